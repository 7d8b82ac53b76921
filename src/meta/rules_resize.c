/* rules_resize.c - interpolation, padding, and moving between channels and
 * space.
 */
#include <config.h>

#include <math.h>
#include <string.h>

#include "ir/size.h"
#include "meta/shape.h"

/* Set *RET to the spatial SIZE times its FACTOR, rounded down as torch does. */
static bool
scaled(struct fx_shape_call *call, struct fx_value size,
	const struct fx_value *factor, struct fx_value *ret)
{
	double number;

	if (factor->kind == FX_VALUE_INT) {
		*ret = fx_mul_int(call, size, factor->integer);
		return true;
	}
	if (factor->kind != FX_VALUE_FLOAT)
		return fx_rule_give_up(call, "the scale factor is not known");
	number = factor->real;
	if (!(number > 0))
		return fx_rule_fail(call, FX_ERR_VALUE,
			"the scale factor %g is not positive", number);
	/* So that no size outgrows an int64_t. */
	if (number > 1e6 || number < 1e-6 ||
		(size.kind == FX_VALUE_INT && size.integer > (int64_t)1e12))
		return fx_rule_give_up(call, "a size times %g is not followed",
			number);
	if (size.kind == FX_VALUE_INT)
		*ret = fx_value_int((int64_t)floor((double)size.integer *
						   number));
	else if (number == floor(number))
		*ret = fx_mul_int(call, size, (int64_t)number);
	else if (1 / number == floor(1 / number))
		*ret = fx_div_int(call, size, (int64_t)(1 / number));
	else
		return fx_rule_give_up(call,
			"a symbolic size times %g is not known", number);
	return true;
}

/* Which ranks a mode of interpolation takes; 0: any of 3 to 5. */
static bool
check_mode(struct fx_shape_call *call, const struct fx_tensor_meta *input)
{
	static const struct {
		const char *mode;
		uint32_t rank;
	} modes[] = {
		{ "linear", 3 },
		{ "bilinear", 4 },
		{ "bicubic", 4 },
		{ "trilinear", 5 },
		{ "nearest", 0 },
		{ "nearest-exact", 0 },
		{ "area", 0 },
	};
	const char *mode = fx_arg_text(call, "mode");

	if (input->rank < 3 || input->rank > 5)
		return fx_rule_fail(call, FX_ERR_SHAPE,
			"3 to 5 dimensions are needed, not those of %s",
			fx_rule_text(call, input));
	for (size_t i = 0; *mode && i < FX_ARRAY_LEN(modes); i++) {
		if (strcmp(modes[i].mode, mode) != 0)
			continue;
		if (modes[i].rank == 0 || modes[i].rank == input->rank)
			return true;
		return fx_rule_fail(call, FX_ERR_SHAPE,
			"mode \"%s\" is not for %s", mode,
			fx_rule_text(call, input));
	}
	return !*mode || fx_rule_fail(call, FX_ERR_VALUE,
				 "there is no mode \"%s\"", mode);
}

void
fx_shape_interpolate(struct fx_shape_call *call)
{
	const struct fx_value *size = fx_arg(call, "size");
	const struct fx_value *factor = fx_arg(call, "scale_factor");
	const struct fx_tensor_meta *input;
	const struct fx_value *given;
	struct fx_shape shape;
	size_t spatial;
	bool is_list;

	if (!fx_arg_first(call, &input) || !check_mode(call, input) ||
		!fx_rule_needs_float(call, input))
		return;
	if ((size->kind == FX_VALUE_NONE) == (factor->kind == FX_VALUE_NONE)) {
		fx_rule_fail(call, FX_ERR_VALUE,
			"give either size or scale_factor");
		return;
	}
	given = size->kind == FX_VALUE_NONE ? factor : size;
	is_list = fx_value_is_sequence(given);
	spatial = input->rank - 2;
	if (is_list && given->count != spatial) {
		fx_rule_fail(call, FX_ERR_SHAPE,
			"%s has %zu spatial dimensions, not %u",
			fx_rule_text(call, input), spatial, given->count);
		return;
	}
	fx_rule_of(input, &shape);
	for (size_t i = 0; i < spatial; i++) {
		const struct fx_value *one = is_list ? &given->items[i] : given;
		struct fx_value *out = &shape.sizes[2 + i];

		if (given == size ? !fx_arg_as_size(call, one, "size", out)
				  : !scaled(call, *out, one, out))
			return;
		if (out->kind == FX_VALUE_INT && out->integer < 1) {
			fx_rule_fail(call, FX_ERR_SHAPE,
				"%s would have no elements left",
				fx_rule_text(call, input));
			return;
		}
	}
	fx_rule_give(call, input->dtype, &shape);
}

/* The input is [N, C, H, W] and the grid [N, Ho, Wo, 2]; in 3d, both have one
 * dimension more.
 */
void
fx_shape_grid_sample(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *input;
	const struct fx_tensor_meta *grid;
	struct fx_shape shape;

	if (!fx_arg_first(call, &input) || !fx_arg_tensor(call, "grid", &grid))
		return;
	if (input->rank != grid->rank || input->rank < 4 || input->rank > 5 ||
		!fx_size_is_int(grid->sizes[grid->rank - 1],
			(int64_t)input->rank - 2)) {
		fx_rule_fail(call, FX_ERR_SHAPE,
			"grid %s does not fit input %s",
			fx_rule_text(call, grid), fx_rule_text(call, input));
		return;
	}
	if (!fx_rule_same_size(call, "batches", input->sizes[0],
		    grid->sizes[0]) ||
		!fx_rule_same_dtype(call, input, grid))
		return;
	fx_rule_of(input, &shape);
	for (uint32_t i = 2; i < input->rank; i++)
		shape.sizes[i] = grid->sizes[i - 1];
	fx_rule_give(call, input->dtype, &shape);
}

void
fx_shape_affine_grid(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *theta;
	struct fx_shape size;
	struct fx_shape shape;

	if (!fx_arg_first(call, &theta) || !fx_arg_sizes(call, "size", &size))
		return;
	if (theta->rank != 3 || (size.rank != 4 && size.rank != 5)) {
		fx_rule_fail(call, FX_ERR_SHAPE,
			"theta %s does not fit %zu sizes",
			fx_rule_text(call, theta), size.rank);
		return;
	}
	shape = size;
	for (size_t i = 1; i + 1 < size.rank; i++)
		shape.sizes[i] = size.sizes[i + 1];
	shape.sizes[size.rank - 1] = fx_value_int((int64_t)size.rank - 2);
	fx_rule_give(call, theta->dtype, &shape);
}

/* Space and channels exchanged by squares of FACTOR. */
static void
shuffle_pixels(struct fx_shape_call *call, const char *name, bool grow)
{
	const struct fx_tensor_meta *input;
	struct fx_shape shape;
	int64_t factor;
	size_t channel;

	if (!fx_arg_first(call, &input) || !fx_arg_int(call, name, &factor))
		return;
	if (input->rank < 3 || factor < 1 || factor > 1 << 20) {
		fx_rule_fail(call, FX_ERR_SHAPE,
			"%s cannot be shuffled by %lld",
			fx_rule_text(call, input), (long long)factor);
		return;
	}
	fx_rule_of(input, &shape);
	channel = shape.rank - 3;
	for (size_t i = channel; i < shape.rank; i++) {
		bool divide = (i == channel) == grow;
		int64_t by = i == channel ? factor * factor : factor;
		struct fx_value *size = &shape.sizes[i];

		if (divide && size->kind == FX_VALUE_INT &&
			size->integer % by != 0) {
			fx_rule_fail(call, FX_ERR_SHAPE,
				"dimension %zu of %s is not divisible by %lld",
				i, fx_rule_text(call, input), (long long)by);
			return;
		}
		*size = divide ? fx_div_int(call, *size, by)
			       : fx_mul_int(call, *size, by);
	}
	fx_rule_give(call, input->dtype, &shape);
}

void
fx_shape_pixel_shuffle(struct fx_shape_call *call)
{
	shuffle_pixels(call, "upscale_factor", true);
}

void
fx_shape_pixel_unshuffle(struct fx_shape_call *call)
{
	shuffle_pixels(call, "downscale_factor", false);
}

void
fx_shape_channel_shuffle(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *input;
	int64_t groups;

	if (!fx_arg_first(call, &input) || !fx_arg_int(call, "groups", &groups))
		return;
	if (input->rank < 3 || groups < 1 ||
		(input->sizes[1].kind == FX_VALUE_INT &&
			input->sizes[1].integer % groups != 0))
		fx_rule_fail(call, FX_ERR_SHAPE,
			"channels of %s do not divide into %lld groups",
			fx_rule_text(call, input), (long long)groups);
	else
		fx_rule_give_same(call, input, input->dtype);
}

/* Modes other than constant pad the last dimensions by less than (circular:
 * at most) their size.
 */
static bool
check_pad(struct fx_shape_call *call, const struct fx_tensor_meta *input,
	const int64_t *pads, size_t pairs)
{
	const char *mode = fx_arg_text(call, "mode");
	bool reflects = strcmp(mode, "reflect") == 0;
	bool circular = strcmp(mode, "circular") == 0;

	if (!*mode || strcmp(mode, "constant") == 0)
		return true;
	if (!reflects && strcmp(mode, "replicate") != 0 && !circular)
		return fx_rule_fail(call, FX_ERR_VALUE,
			"there is no padding mode \"%s\"", mode);
	if (pairs < 1 || pairs > 3 ||
		(input->rank != pairs + 2 &&
			(circular || input->rank != pairs + 1)))
		return fx_rule_fail(call, FX_ERR_SHAPE,
			"mode \"%s\" does not pad %zu dimensions of %s", mode,
			pairs, fx_rule_text(call, input));
	if (fx_rule_is_empty(input, ~(uint64_t)1))
		return fx_rule_fail(call, FX_ERR_SHAPE,
			"mode \"%s\" does not pad the empty %s", mode,
			fx_rule_text(call, input));
	for (size_t i = 0; i < pairs; i++) {
		struct fx_value size = input->sizes[input->rank - 1 - i];
		int64_t most = size.integer - reflects;

		/* "replicate" repeats the edge any number of times. */
		if (size.kind != FX_VALUE_INT || strcmp(mode, "replicate") == 0)
			continue;
		if (pads[2 * i] > most || pads[2 * i + 1] > most)
			return fx_rule_fail(call, FX_ERR_SHAPE,
				"the padding is larger than the input %s",
				fx_rule_text(call, input));
	}
	return true;
}

void
fx_shape_pad(struct fx_shape_call *call)
{
	const struct fx_value *pad = fx_arg(call, "pad");
	const struct fx_tensor_meta *input;
	struct fx_shape shape;
	struct fx_shape amounts;
	int64_t pads[2 * FX_RANK_LIMIT] = { 0 };

	if (!fx_arg_first(call, &input) ||
		!fx_arg_as_sizes(call, pad, "pad", &amounts))
		return;
	if (amounts.rank % 2 != 0 || amounts.rank / 2 > input->rank) {
		fx_rule_fail(call, FX_ERR_SHAPE,
			"%zu amounts of padding do not fit %s", amounts.rank,
			fx_rule_text(call, input));
		return;
	}
	for (size_t i = 0; i < amounts.rank; i++)
		if (amounts.sizes[i].kind == FX_VALUE_INT)
			pads[i] = amounts.sizes[i].integer;
	if (!check_pad(call, input, pads, amounts.rank / 2))
		return;
	fx_rule_of(input, &shape);
	for (size_t i = 0; i < amounts.rank; i++) {
		struct fx_value *size = &shape.sizes[shape.rank - 1 - i / 2];

		*size = fx_add(call, *size, amounts.sizes[i]);
		if (i % 2 && size->kind == FX_VALUE_INT && size->integer < 0) {
			fx_rule_fail(call, FX_ERR_SHAPE,
				"padding makes a dimension of %s negative",
				fx_rule_text(call, input));
			return;
		}
	}
	fx_rule_give(call, input->dtype, &shape);
}

/* Return how many windows fit along a dimension of SIZE.  WINDOW is the kernel,
 * dilation, padding and stride of that dimension.
 */
static struct fx_value
blocks(struct fx_shape_call *call, struct fx_value size, const int64_t *window)
{
	int64_t reach = window[1] * (window[0] - 1) + 1;

	return fx_add_int(call,
		fx_div_int(call, fx_add_int(call, size, 2 * window[2] - reach),
			window[3]),
		1);
}

/* kernel, dilation, padding, stride of both dimensions. */
static bool
read_windows(struct fx_shape_call *call, int64_t windows[2][4])
{
	static const char *const names[] = { "kernel_size", "dilation",
		"padding", "stride" };

	for (size_t k = 0; k < 4; k++) {
		int64_t pair[2];

		if (!fx_arg_ints(call, names[k], 2, pair))
			return false;
		for (size_t i = 0; i < 2; i++) {
			windows[i][k] = pair[i];
			if (pair[i] < (k != 2))
				return fx_rule_fail(call, FX_ERR_VALUE,
					"%s must be positive", names[k]);
		}
	}
	return true;
}

void
fx_shape_im2col(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *input;
	struct fx_shape shape = { .rank = 0 };
	int64_t windows[2][4];
	struct fx_value count = fx_value_int(1);
	struct fx_value channels;

	if (!fx_arg_first(call, &input) || !read_windows(call, windows))
		return;
	if (input->rank != 3 && input->rank != 4) {
		fx_rule_fail(call, FX_ERR_SHAPE, "an image is needed, not %s",
			fx_rule_text(call, input));
		return;
	}
	channels = input->sizes[input->rank - 3];
	for (size_t i = 0; i < 2; i++) {
		struct fx_value n = blocks(call,
			input->sizes[input->rank - 2 + i], windows[i]);

		if (n.kind == FX_VALUE_INT && n.integer < 1) {
			fx_rule_fail(call, FX_ERR_SHAPE,
				"%s is too small for the window",
				fx_rule_text(call, input));
			return;
		}
		count = fx_mul(call, count, n);
		channels = fx_mul_int(call, channels, windows[i][0]);
	}
	if (input->rank == 4)
		shape.sizes[shape.rank++] = input->sizes[0];
	shape.sizes[shape.rank++] = channels;
	shape.sizes[shape.rank++] = count;
	fx_rule_give(call, input->dtype, &shape);
}

void
fx_shape_fold(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *input;
	struct fx_shape shape = { .rank = 0 };
	int64_t windows[2][4];
	int64_t size[2];
	struct fx_value columns;
	int64_t area;
	int64_t along[2];
	int64_t count;

	if (!fx_arg_first(call, &input) || !read_windows(call, windows) ||
		!fx_arg_ints(call, "output_size", 2, size))
		return;
	if (input->rank != 2 && input->rank != 3) {
		fx_rule_fail(call, FX_ERR_SHAPE,
			"2 or 3 dimensions are needed, not those of %s",
			fx_rule_text(call, input));
		return;
	}
	for (size_t i = 0; i < 2; i++)
		along[i] =
			blocks(call, fx_value_int(size[i]), windows[i]).integer;
	count = along[0] < 1 || along[1] < 1 ? 0 : along[0] * along[1];
	area = windows[0][0] * windows[1][0];
	columns = input->sizes[input->rank - 2];
	if (count == 0 ||
		(columns.kind == FX_VALUE_INT && columns.integer % area != 0) ||
		fx_rule_differs(call, "the number of windows",
			input->sizes[input->rank - 1], fx_value_int(count))) {
		fx_rule_fail(call, FX_ERR_SHAPE,
			"%s is not made of %lld windows of %lld",
			fx_rule_text(call, input), (long long)count,
			(long long)area);
		return;
	}
	if (input->rank == 3)
		shape.sizes[shape.rank++] = input->sizes[0];
	shape.sizes[shape.rank++] = fx_div_int(call, columns, area);
	shape.sizes[shape.rank++] = fx_value_int(size[0]);
	shape.sizes[shape.rank++] = fx_value_int(size[1]);
	fx_rule_give(call, input->dtype, &shape);
}
