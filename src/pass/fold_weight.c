/* fold_weight.c - numbers of layers with a normalisation folded in.
 *
 * With r = 1 / sqrt(variance + eps) the weight of a channel is multiplied by
 * gamma * r, and the bias becomes (bias - mean) * r * gamma + beta.
 */
#include <config.h>

#include "pass/fold_weight.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/blob.h"
#include "base/mem.h"
#include "ir/module.h"
#include "pass/layers.h"
#include "run/values.h"

/* --- the bias ------------------------------------------------------------ */

struct numbers {
	struct fx_recipe recipe; /* first */
	double *items;
	size_t count;
};

static void
numbers_fill(const struct fx_recipe *recipe, enum fx_dtype dtype, void *data)
{
	const struct numbers *numbers = (const struct numbers *)recipe;

	fx_elements_encode(dtype, numbers->items, NULL, numbers->count, data);
}

static void
numbers_free(struct fx_recipe *recipe)
{
	struct numbers *numbers = (struct numbers *)recipe;

	free(numbers->items);
	free(numbers);
}

struct fx_error *
fx_fold_read(const struct fx_tensor *tensor, size_t count, double fallback,
	double **ret)
{
	size_t size = tensor ? fx_dtype_info(tensor->dtype)->size : 1;
	FX_AUTO_FREE char *bytes = fx_xcalloc(count, size);
	struct fx_error *err = NULL;

	*ret = fx_xcalloc(count, sizeof(double));
	for (size_t i = 0; i < count; i++)
		(*ret)[i] = fallback;
	if (!tensor)
		return NULL;
	if (tensor->storage->recipe &&
		fx_blob_size(tensor->storage->blob) == count * size) {
		tensor->storage->recipe->fill(tensor->storage->recipe,
			FX_DTYPE_F64, *ret);
		return NULL;
	}
	err = fx_blob_read(tensor->storage->blob, (size_t)tensor->offset * size,
		count * size, bytes);
	if (!err)
		fx_elements_decode(tensor->dtype, bytes, count, *ret, NULL);
	return err;
}

/* --- elements of a storage ------------------------------------------------ */

/* COUNT elements of SOURCE, whose dtype is DTYPE. */
struct extract {
	const struct fx_storage *source;
	enum fx_dtype dtype;
	size_t first;
	size_t count;
};

/* Them as DTYPE, their own or F64, to OUT.  Bytes that cannot be read any more,
 * of a file that was cut short, become NaN.
 */
static void
read_elements(const struct extract *extract, enum fx_dtype dtype, char *out)
{
	size_t count = extract->count;
	size_t size = fx_dtype_info(extract->dtype)->size;
	FX_AUTO_FREE char *own = NULL;
	char *to = out;
	struct fx_error *err;

	if (dtype != extract->dtype)
		to = own = fx_xcalloc(count, size);
	err = fx_blob_read(extract->source->blob, extract->first * size,
		count * size, to);
	if (err)
		memset(to, 0xff, count * size);
	fx_error_free(err);
	if (own)
		fx_elements_decode(extract->dtype, own, count,
			(double *)(void *)out, NULL);
}

/* --- the weight ---------------------------------------------------------- */

/* ROWS rows of CHANNELS parts of PART elements.  CHANNELS is 1 where a row is a
 * channel; else they are those of the group that the row belongs to.
 */
struct scaled {
	struct fx_recipe recipe; /* first */
	enum fx_dtype dtype;
	struct fx_storage *source;
	size_t offset; /* in elements */
	size_t rows;
	size_t channels;
	size_t part;
	size_t group_rows;
	double *scale; /* by channel */
};

static void
scaled_free(struct fx_recipe *recipe)
{
	struct scaled *scaled = (struct scaled *)recipe;

	fx_storage_unref(scaled->source);
	free(scaled->scale);
	free(scaled);
}

static void
scale_part(enum fx_dtype dtype, char *bytes, size_t count, double scale)
{
	double numbers[FX_VALUES_CHUNK];
	size_t size = fx_dtype_info(dtype)->size;

	if (dtype == FX_DTYPE_F32) {
		float *elements = (float *)(void *)bytes;

		for (size_t i = 0; i < count; i++)
			elements[i] *= (float)scale;
		return;
	}
	for (size_t at = 0; at < count; at += FX_VALUES_CHUNK) {
		size_t some = FX_MIN((size_t)FX_VALUES_CHUNK, count - at);

		fx_elements_decode(dtype, bytes + at * size, some, numbers,
			NULL);
		for (size_t i = 0; i < some; i++)
			numbers[i] *= scale;
		fx_elements_encode(dtype, numbers, NULL, some,
			bytes + at * size);
	}
}

static void
scaled_fill(const struct fx_recipe *recipe, enum fx_dtype dtype, void *data)
{
	const struct scaled *scaled = (const struct scaled *)recipe;
	const struct fx_recipe *before = scaled->source->recipe;
	size_t part = fx_dtype_info(dtype)->size * scaled->part;
	size_t row = part * scaled->channels;
	size_t own = fx_blob_size(scaled->source->blob) /
		     fx_dtype_info(scaled->dtype)->size;
	/* A weight that was folded before is not rounded in between. */
	bool is_exact = before && dtype != scaled->dtype &&
			own * fx_dtype_info(dtype)->size == scaled->rows * row;
	char *to = data;

	if (is_exact)
		before->fill(before, dtype, data);
	for (size_t i = 0; i < scaled->rows; i++, to += row) {
		size_t first = i / scaled->group_rows * scaled->channels;

		if (!is_exact)
			read_elements(&(struct extract){ scaled->source,
					      scaled->dtype,
					      scaled->offset +
						      i * scaled->channels *
							      scaled->part,
					      scaled->channels * scaled->part },
				dtype, to);
		for (size_t j = 0; j < scaled->channels; j++)
			scale_part(dtype, to + j * part, scaled->part,
				scaled->scale[first + j]);
	}
}

static struct fx_recipe *
scaled_new(const struct fx_folding *folding, double *scale_taken)
{
	const struct fx_tensor *weight = folding->weight;
	struct scaled *scaled = FX_NEW(struct scaled);

	scaled->recipe = (struct fx_recipe){ 1, scaled_fill, scaled_free };
	scaled->dtype = weight->dtype;
	scaled->source = fx_storage_ref(weight->storage);
	scaled->offset = (size_t)weight->offset;
	scaled->scale = scale_taken;
	scaled->rows = (size_t)weight->sizes[0];
	scaled->channels = folding->axis ? (size_t)weight->sizes[1] : 1;
	scaled->group_rows =
		folding->axis ? scaled->rows * scaled->channels / folding->count
			      : 1;
	scaled->part = (size_t)fx_tensor_numel(weight) /
		       (scaled->rows * scaled->channels);
	return &scaled->recipe;
}

/* --- both ---------------------------------------------------------------- */

/* SCALE is by what each channel is multiplied; BIAS has the layer's own before,
 * the folded one afterwards.
 */
static FX_NODISCARD struct fx_error *
fold(const struct fx_folding *folding, double *scale, double *bias)
{
	size_t count = folding->count;
	FX_AUTO_FREE double *mean = NULL;
	FX_AUTO_FREE double *variance = NULL;
	FX_AUTO_FREE double *gamma = NULL;
	FX_AUTO_FREE double *beta = NULL;
	struct fx_error *err;

	if (folding->scale) {
		for (size_t i = 0; i < count; i++) {
			scale[i] = folding->scale[i];
			bias[i] = bias[i] * scale[i] + folding->shift[i];
		}
		return NULL;
	}
	err = fx_fold_read(folding->mean, count, 0, &mean);
	if (!err)
		err = fx_fold_read(folding->variance, count, 0, &variance);
	if (!err)
		err = fx_fold_read(folding->gamma, count, 1, &gamma);
	if (!err)
		err = fx_fold_read(folding->beta, count, 0, &beta);
	for (size_t i = 0; !err && i < count; i++) {
		double r = 1 / sqrt(variance[i] + folding->eps);

		scale[i] = gamma[i] * r;
		bias[i] = (bias[i] - mean[i]) * scale[i] + beta[i];
	}
	return err;
}

static void
make_tensors(struct fx_graph *graph, const struct fx_folding *folding,
	struct fx_storage *const storages[2], struct fx_tensor **weight_ret,
	struct fx_tensor **bias_ret)
{
	const struct fx_tensor *weight = folding->weight;
	int64_t count = (int64_t)folding->count;

	*weight_ret = fx_tensor_new_like(graph, weight, storages[0]);
	*bias_ret = fx_tensor_new(graph, weight->dtype, &count, 1, storages[1]);
	(*bias_ret)->requires_grad = weight->requires_grad;
}

struct fx_error *
fx_fold_weight(struct fx_graph *graph, const struct fx_folding *folding,
	struct fx_tensor **weight_ret, struct fx_tensor **bias_ret)
{
	size_t count = folding->count;
	enum fx_dtype dtype = folding->weight->dtype;
	FX_AUTO_FREE double *scale = fx_xcalloc(count, sizeof(double));
	struct numbers *bias = FX_NEW(struct numbers);
	struct fx_storage *storages[2] = { NULL, NULL };
	struct fx_error *err =
		fx_fold_read(folding->bias, count, 0, &bias->items);

	bias->recipe = (struct fx_recipe){ 1, numbers_fill, numbers_free };
	bias->count = count;
	if (!err)
		err = fold(folding, scale, bias->items);
	if (err) {
		numbers_free(&bias->recipe);
		return err;
	}
	err = fx_storage_new_later(&bias->recipe, dtype, count, &storages[1]);
	if (!err)
		err = fx_storage_new_later(scaled_new(folding, FX_TAKE(scale)),
			dtype, (size_t)fx_tensor_numel(folding->weight),
			&storages[0]);
	if (!err)
		make_tensors(graph, folding, storages, weight_ret, bias_ret);
	fx_storage_unref(storages[0]);
	fx_storage_unref(storages[1]);
	return err;
}

/* --- one layer after the other ------------------------------------------- */

/* The numbers of two layers, one after the other. */
struct product {
	size_t in;
	size_t between;
	size_t out;
	double *weights[2];
	double *biases[2];
};

static double *
multiply(const struct product *p)
{
	double *result = fx_xcalloc(p->in * p->out, sizeof(*result));

	for (size_t i = 0; i < p->out; i++)
		for (size_t j = 0; j < p->between; j++) {
			double factor = p->weights[1][i * p->between + j];
			const double *row = p->weights[0] + j * p->in;

			for (size_t k = 0; k < p->in; k++)
				result[i * p->in + k] += factor * row[k];
		}
	return result;
}

static double *
carry_bias(const struct product *p)
{
	double *result = fx_xcalloc(p->out, sizeof(*result));

	for (size_t i = 0; i < p->out; i++) {
		result[i] = p->biases[1][i];
		for (size_t j = 0; j < p->between; j++)
			result[i] += p->weights[1][i * p->between + j] *
				     p->biases[0][j];
	}
	return result;
}

/* The weight (RANK 2) or bias of P, with the dtype and flags of LIKE. */
static FX_NODISCARD struct fx_error *
make_tensor(struct fx_graph *graph, const struct fx_tensor *like,
	const struct product *p, size_t rank, struct fx_tensor **ret)
{
	const int64_t sizes[2] = { (int64_t)p->out, (int64_t)p->in };
	struct numbers *numbers = FX_NEW(struct numbers);
	struct fx_storage *storage = NULL;
	struct fx_error *err;

	numbers->recipe = (struct fx_recipe){ 1, numbers_fill, numbers_free };
	numbers->items = rank == 2 ? multiply(p) : carry_bias(p);
	numbers->count = rank == 2 ? p->out * p->in : p->out;
	err = fx_storage_new_later(&numbers->recipe, like->dtype,
		numbers->count, &storage);
	if (err)
		return err;
	*ret = fx_tensor_new(graph, like->dtype, sizes, rank, storage);
	(*ret)->requires_grad = like->requires_grad;
	fx_storage_unref(storage);
	return NULL;
}

static FX_NODISCARD struct fx_error *
read_layer(const struct fx_module *layer, double **weight_ret,
	double **bias_ret)
{
	const struct fx_tensor *weight = fx_layer_tensor(layer, "weight");
	struct fx_error *err = fx_fold_read(weight,
		(size_t)fx_tensor_numel(weight), 0, weight_ret);

	return err ? err
		   : fx_fold_read(fx_layer_tensor(layer, "bias"),
			     (size_t)weight->sizes[0], 0, bias_ret);
}

struct fx_error *
fx_fold_product(struct fx_graph *graph, const struct fx_module *first,
	const struct fx_module *second, struct fx_tensor **weight_ret,
	struct fx_tensor **bias_ret)
{
	const struct fx_tensor *inner = fx_layer_tensor(first, "weight");
	const struct fx_tensor *outer = fx_layer_tensor(second, "weight");
	bool has_bias = fx_layer_tensor(first, "bias") ||
			fx_layer_tensor(second, "bias");
	struct product p = { .in = (size_t)inner->sizes[1],
		.between = (size_t)inner->sizes[0],
		.out = (size_t)outer->sizes[0] };
	struct fx_error *err = read_layer(first, &p.weights[0], &p.biases[0]);

	*bias_ret = NULL;
	if (!err)
		err = read_layer(second, &p.weights[1], &p.biases[1]);
	if (!err)
		err = make_tensor(graph, outer, &p, 2, weight_ret);
	if (!err && has_bias)
		err = make_tensor(graph, outer, &p, 1, bias_ret);
	for (int i = 0; i < 2; i++) {
		free(p.weights[i]);
		free(p.biases[i]);
	}
	return err;
}

/* --- layers side by side ------------------------------------------------- */

struct joined {
	struct fx_recipe recipe; /* first */
	size_t count;
	struct extract parts[]; /* each with a reference to its source */
};

static void
joined_fill(const struct fx_recipe *recipe, enum fx_dtype dtype, void *data)
{
	const struct joined *joined = (const struct joined *)recipe;
	char *to = data;

	for (size_t i = 0; i < joined->count; i++) {
		const struct extract *part = &joined->parts[i];
		const struct fx_recipe *before = part->source->recipe;
		size_t own = fx_dtype_info(part->dtype)->size;

		/* What was computed is not rounded in between. */
		if (before && dtype != part->dtype &&
			fx_blob_size(part->source->blob) == part->count * own)
			before->fill(before, dtype, to);
		else
			read_elements(part, dtype, to);
		to += part->count * fx_dtype_info(dtype)->size;
	}
}

static void
joined_free(struct fx_recipe *recipe)
{
	struct joined *joined = (struct joined *)recipe;

	for (size_t i = 0; i < joined->count; i++)
		fx_storage_unref((struct fx_storage *)joined->parts[i].source);
	free(joined);
}

struct fx_error *
fx_fold_join(struct fx_graph *graph, const struct fx_tensor *const *parts,
	size_t count, struct fx_tensor **ret)
{
	struct joined *joined = fx_xcalloc(1,
		sizeof(*joined) + count * sizeof(joined->parts[0]));
	int64_t sizes[2] = { 0, parts[0]->rank > 1 ? parts[0]->sizes[1] : 1 };
	struct fx_storage *storage = NULL;
	struct fx_error *err;

	joined->recipe = (struct fx_recipe){ 1, joined_fill, joined_free };
	joined->count = count;
	for (size_t i = 0; i < count; i++) {
		joined->parts[i] =
			(struct extract){ fx_storage_ref(parts[i]->storage),
				parts[i]->dtype, (size_t)parts[i]->offset,
				(size_t)fx_tensor_numel(parts[i]) };
		sizes[0] += parts[i]->sizes[0];
	}
	err = fx_storage_new_later(&joined->recipe, parts[0]->dtype,
		(size_t)(sizes[0] * sizes[1]), &storage);
	if (err)
		return err;
	*ret = fx_tensor_new(graph, parts[0]->dtype, sizes, parts[0]->rank,
		storage);
	(*ret)->requires_grad = parts[0]->requires_grad;
	(*ret)->is_buffer = parts[0]->is_buffer;
	(*ret)->is_persistent = parts[0]->is_persistent;
	fx_storage_unref(storage);
	return NULL;
}
