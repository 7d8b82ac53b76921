/* tensor_text.c - laying out the elements of a tensor.
 *
 * The elements that will be seen are gathered into one dense array first (all
 * of them, or the corners of a large tensor): from it come the width and the
 * notation, which PyTorch too derives from what is shown only.
 */
#include <config.h>

#include "run/tensor_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "meta/promote.h"
#include "run/datum.h"
#include "run/values.h"

#define EDGE       3
#define THRESHOLD  1000
#define LINE_WIDTH 80
/* Most elements shown: many small dimensions are not shortened. */
#define SHOWN_LIMIT ((uint64_t)1 << 16)

static const char prefix[] = "tensor(";

/* How numbers of one kind are written. */
struct notation {
	bool is_integer;  /* of the dtype: no point */
	bool is_whole;    /* floats that are: "1." */
	bool is_exponent; /* 1.0000e+00 */
	size_t width;
};

struct layout {
	struct fx_buf *out;
	const struct fx_datum *tensor;
	size_t columns;
	struct fx_extent extent;
	struct fx_extent shown; /* its sizes cut to the edges */
	char *bytes;            /* of SHOWN, row-major */
	double *real;
	double *imag;
	struct notation notation;
	struct notation notation_imag;
};

static void
layout_deinit(struct layout *layout)
{
	free(layout->bytes);
	free(layout->real);
	free(layout->imag);
}
FX_DEFINE_DEINIT(layout, struct layout, layout_deinit);

/* --- gathering ----------------------------------------------------------- */

static bool
is_cut(const struct layout *layout, uint32_t dimension)
{
	return layout->shown.sizes[dimension] !=
	       layout->extent.sizes[dimension];
}

/* Where place AT of a dimension as shown lies in the tensor. */
static uint64_t
source_place(const struct layout *layout, uint32_t dimension, int64_t at)
{
	if (at < EDGE || !is_cut(layout, dimension))
		return (uint64_t)at;
	return (uint64_t)(layout->extent.sizes[dimension] - 2 * EDGE + at);
}

/* The element of the tensor that INDEX of what is shown means. */
static uint64_t
source_index(const struct layout *layout, uint64_t index)
{
	uint64_t result = 0;
	uint64_t step = 1;

	for (uint32_t i = layout->shown.rank; i--;) {
		uint64_t size = (uint64_t)layout->shown.sizes[i];

		result +=
			step * source_place(layout, i, (int64_t)(index % size));
		step *= (uint64_t)layout->extent.sizes[i];
		index /= size;
	}
	return result;
}

/* Elements that lie together: a row, or the edges of one. */
static uint64_t
run_length(const struct layout *layout)
{
	uint32_t rank = layout->shown.rank;

	if (layout->shown.count == layout->extent.count)
		return layout->shown.count;
	return is_cut(layout, rank - 1)
		       ? EDGE
		       : (uint64_t)layout->shown.sizes[rank - 1];
}

static struct fx_error *
gather(struct layout *layout)
{
	uint64_t count = layout->shown.count;
	size_t size = fx_dtype_info(layout->extent.dtype)->size;
	uint64_t run = run_length(layout);

	layout->bytes = fx_xcalloc((size_t)count, size);
	layout->real = fx_xcalloc((size_t)count, sizeof(double));
	layout->imag = fx_xcalloc((size_t)count, sizeof(double));
	for (uint64_t at = 0; at < count; at += run) {
		struct fx_error *err =
			fx_values_read(layout->tensor, source_index(layout, at),
				(size_t)run, layout->bytes + at * size);

		if (err)
			return err;
	}
	fx_elements_decode(layout->extent.dtype, layout->bytes, (size_t)count,
		layout->real, layout->imag);
	return NULL;
}

static struct fx_error *
choose_shown(struct layout *layout)
{
	struct fx_extent *shown = &layout->shown;

	*shown = layout->extent;
	if (shown->count <= THRESHOLD)
		return NULL;
	shown->count = 1;
	for (uint32_t i = 0; i < shown->rank; i++) {
		shown->sizes[i] = FX_MIN(shown->sizes[i], 2 * EDGE);
		shown->count *= (uint64_t)shown->sizes[i];
		if (shown->count > SHOWN_LIMIT)
			return fx_error_hint(fx_error_new(FX_ERR_LIMIT,
						     "the tensor has too many "
						     "dimensions "
						     "to show its corners"),
				"a slice of it can be shown: x[0, 0]");
	}
	return NULL;
}

/* --- notation ------------------------------------------------------------ */

static void
choose_integer(struct layout *layout, struct notation *notation)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };

	notation->is_integer = true;
	for (uint64_t i = 0; i < layout->shown.count; i++) {
		fx_buf_clear(&text);
		fx_element_print(&text, layout->extent.dtype, layout->bytes,
			(size_t)i);
		notation->width = FX_MAX(notation->width, text.length);
	}
}

static void
add_finite(struct fx_buf *text, const struct notation *notation, double number)
{
	if (notation->is_exponent)
		fx_buf_addf(text, "%.4e", number);
	else if (notation->is_whole)
		fx_buf_addf(text, "%.0f.", number);
	else
		fx_buf_addf(text, "%.4f", number);
}

static size_t
length_of(const struct notation *notation, double number)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };

	add_finite(&text, notation, number);
	return text.length;
}

/* Numbers of very different size are written with exponents; numbers that are
 * all whole without digits after the point.
 */
static void
choose_float(const double *numbers, uint64_t count, struct notation *notation)
{
	double least = INFINITY;
	double most = 0;

	notation->is_whole = true;
	for (uint64_t i = 0; i < count; i++) {
		double number = fabs(numbers[i]);

		if (!isfinite(number) || number == 0)
			continue;
		least = fmin(least, number);
		most = fmax(most, number);
		if (number != ceil(number))
			notation->is_whole = false;
	}
	if (most == 0)
		return;
	notation->is_exponent = most / least > 1000 || most > 1e8 ||
				(!notation->is_whole && least < 1e-4);
	for (uint64_t i = 0; i < count; i++)
		if (isfinite(numbers[i]) && numbers[i] != 0)
			notation->width = FX_MAX(notation->width,
				length_of(notation, numbers[i]));
}

/* --- elements ------------------------------------------------------------ */

static void
add_padded(struct layout *layout, const struct fx_buf *text, size_t width)
{
	if (text->length < width)
		fx_buf_add_repeat(layout->out, ' ', width - text->length);
	fx_buf_add_n(layout->out, text->data, text->length);
}

static void
add_number(struct fx_buf *text, const struct notation *notation, double number)
{
	if (isnan(number))
		fx_buf_add(text, "nan");
	else if (isinf(number))
		fx_buf_add(text, number > 0 ? "inf" : "-inf");
	else
		add_finite(text, notation, number);
}

static void
add_element(struct layout *layout, uint64_t index)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };
	FX_AUTO_BUF struct fx_buf imag = { 0 };

	if (layout->notation.is_integer)
		fx_element_print(&text, layout->extent.dtype, layout->bytes,
			(size_t)index);
	else
		add_number(&text, &layout->notation, layout->real[index]);
	add_padded(layout, &text, layout->notation.width);
	if (!fx_dtype_is_complex(layout->extent.dtype))
		return;
	/* The imaginary part is not padded, and has a sign. */
	add_number(&imag, &layout->notation_imag, layout->imag[index]);
	if (*imag.data != '-')
		fx_buf_add_char(layout->out, '+');
	fx_buf_addf(layout->out, "%sj", fx_buf_text(&imag));
}

/* Elements in a line that is indented so far. */
static uint64_t
per_line(const struct layout *layout, size_t indent)
{
	size_t length = layout->notation.width + 2;

	if (fx_dtype_is_complex(layout->extent.dtype))
		length += layout->notation_imag.width + 1;
	if (indent >= layout->columns)
		return 1;
	return FX_MAX((layout->columns - indent) / length, 1);
}

static void
add_row(struct layout *layout, uint64_t first, size_t indent)
{
	uint32_t last = layout->shown.rank - 1;
	uint64_t count = (uint64_t)layout->shown.sizes[last];
	uint64_t line = per_line(layout, indent);
	bool cut = is_cut(layout, last);
	uint64_t words = 0;

	fx_buf_add_char(layout->out, '[');
	for (uint64_t i = 0; i < count + cut; i++, words++) {
		if (words && words % line == 0) {
			fx_buf_add(layout->out, ",\n");
			fx_buf_add_repeat(layout->out, ' ', indent + 1);
		} else if (words) {
			fx_buf_add(layout->out, ", ");
		}
		if (cut && i == EDGE)
			fx_buf_add(layout->out, " ...");
		else
			add_element(layout, first + i - (cut && i > EDGE));
	}
	fx_buf_add_char(layout->out, ']');
}

static void
add_break(struct layout *layout, uint32_t below, size_t indent)
{
	fx_buf_add_char(layout->out, ',');
	fx_buf_add_repeat(layout->out, '\n', below - 1);
	fx_buf_add_repeat(layout->out, ' ', indent + 1);
}

/* The part from DIMENSION on, of SIZE elements, that begins at FIRST.  As deep
 * as the tensor has dimensions, 64 at most.
 */
static void
add_block(struct layout *layout, uint32_t dimension, uint64_t first,
	uint64_t size)
{
	size_t indent = sizeof(prefix) - 1 + dimension;
	uint64_t count = (uint64_t)layout->shown.sizes[dimension];
	uint32_t below = layout->shown.rank - dimension;

	if (below == 1) {
		add_row(layout, first, indent);
		return;
	}
	size /= count;
	fx_buf_add_char(layout->out, '[');
	for (uint64_t i = 0; i < count; i++) {
		if (i)
			add_break(layout, below, indent);
		if (i == EDGE && is_cut(layout, dimension)) {
			fx_buf_add(layout->out, "...");
			add_break(layout, below, indent);
		}
		add_block(layout, dimension + 1, first + i * size, size);
	}
	fx_buf_add_char(layout->out, ']');
}

/* --- the whole ----------------------------------------------------------- */

static void
add_suffix(struct layout *layout, const char *suffix, size_t *column)
{
	size_t length = strlen(suffix);

	if (*column + length + 2 > layout->columns) {
		fx_buf_add(layout->out, ",\n");
		fx_buf_add_repeat(layout->out, ' ', sizeof(prefix) - 1);
		*column = sizeof(prefix) - 1 + length;
	} else {
		fx_buf_add(layout->out, ", ");
		*column += length + 2;
	}
	fx_buf_add(layout->out, suffix);
}

/* Dtypes that the elements alone tell. */
static bool
is_default(enum fx_dtype dtype)
{
	return dtype == FX_DTYPE_F32 || dtype == FX_DTYPE_C64 ||
	       dtype == FX_DTYPE_I64 || dtype == FX_DTYPE_BOOL;
}

static void
add_size(struct fx_buf *out, const struct fx_extent *extent)
{
	fx_buf_add(out, "size=(");
	for (uint32_t i = 0; i < extent->rank; i++)
		fx_buf_addf(out, "%s%" PRId64, i ? ", " : "", extent->sizes[i]);
	fx_buf_add(out, extent->rank == 1 ? ",)" : ")");
}

static void
add_suffixes(struct layout *layout, size_t start)
{
	const struct fx_extent *extent = &layout->extent;
	FX_AUTO_BUF struct fx_buf suffix = { 0 };
	const char *text = fx_buf_text(layout->out) + start;
	const char *line = strrchr(text, '\n');
	size_t length = layout->out->length - start;
	/* The first line counts two columns more than its text, and a later
	 * line one more, as in PyTorch.
	 */
	size_t column =
		length - (line ? (size_t)(line - text) : (size_t)-1) + 1;
	bool is_empty = !extent->count;

	if (is_empty && extent->rank != 1) {
		add_size(&suffix, extent);
		add_suffix(layout, fx_buf_text(&suffix), &column);
	}
	if (is_empty ? extent->dtype != FX_DTYPE_F32
		     : !is_default(extent->dtype)) {
		fx_buf_clear(&suffix);
		fx_buf_addf(&suffix, "dtype=torch.%s",
			fx_dtype_info(extent->dtype)->name);
		add_suffix(layout, fx_buf_text(&suffix), &column);
	}
	fx_buf_add_char(layout->out, ')');
}

static void
choose_notation(struct layout *layout)
{
	uint64_t count = layout->shown.count;

	layout->notation = layout->notation_imag =
		(struct notation){ .width = 1 };
	if (fx_dtype_is_integer(layout->extent.dtype)) {
		choose_integer(layout, &layout->notation);
		return;
	}
	choose_float(layout->real, count, &layout->notation);
	choose_float(layout->imag, count, &layout->notation_imag);
}

struct fx_error *
fx_tensor_text(struct fx_buf *out, const struct fx_datum *tensor)
{
	return fx_tensor_text_within(out, tensor, LINE_WIDTH);
}

struct fx_error *
fx_tensor_text_within(struct fx_buf *out, const struct fx_datum *tensor,
	size_t columns)
{
	FX_AUTO(layout)
	struct layout layout = {
		.out = out, .tensor = tensor, .columns = columns
	};
	size_t start = out->length;
	struct fx_error *err = fx_extent_of(tensor, &layout.extent);

	if (!err)
		err = fx_values_read(tensor, 0, 0, NULL);
	if (!err)
		err = choose_shown(&layout);
	if (!err && layout.shown.count)
		err = gather(&layout);
	if (err)
		return err;
	fx_buf_add(out, prefix);
	if (!layout.shown.count) {
		fx_buf_add(out, "[]");
	} else {
		choose_notation(&layout);
		if (layout.shown.rank)
			add_block(&layout, 0, 0, layout.shown.count);
		else
			add_element(&layout, 0);
	}
	add_suffixes(&layout, start);
	return NULL;
}
