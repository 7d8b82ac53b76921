/* examine.c - x/FMT EXPR: the raw elements of a tensor, as gdb shows memory.
 *
 * The format is a count, a letter and the size of a unit (b h w g), each of
 * which may be missing: then it is one unit, as the dtype shows itself, of the
 * size of an element (of complex numbers, of a part).  /i lists nodes, /m
 * draws a map (heat_map.c).
 */
#include <config.h>

#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "commands/out/out.h"
#include "commands/shell/groups.h"
#include "commands/shell/shell.h"
#include "commands/verbs/elements.h"
#include "commands/verbs/show.h"
#include "ir/graph.h"
#include "run/datum.h"
#include "run/values.h"
#include "session/position.h"
#include "session/resolve.h"

/* Units that one command shows at most. */
#define UNIT_LIMIT ((uint64_t)1 << 20)

struct format {
	uint64_t count;
	char letter; /* 0: as the dtype shows itself */
	char size;   /* b h w g, 0: of an element */
};

static const struct {
	char letter;
	size_t size;
	size_t in_line;
} sizes[] = { { 'b', 1, 8 }, { 'h', 2, 8 }, { 'w', 4, 4 }, { 'g', 8, 2 } };

static struct fx_error *
read_format(const char *text, struct format *ret)
{
	const char *at = text;

	*ret = (struct format){ .count = 0 };
	for (; *at >= '0' && *at <= '9'; at++)
		if (ret->count <= UNIT_LIMIT)
			ret->count = 10 * ret->count + (uint64_t)(*at - '0');
	if (at == text)
		ret->count = 1;
	for (; *at; at++) {
		if (strchr("duxotfczim", *at) && !ret->letter)
			ret->letter = *at;
		else if (strchr("bhwg", *at) && !ret->size)
			ret->size = *at;
		else
			return fx_error_hint(fx_error_new(FX_ERR_VALUE,
						     "unknown format \"/%s\": "
						     "a count, one of d u x o "
						     "t f c i m, a size b h "
						     "w g",
						     text),
				"x/8xw NAME shows eight units of four bytes");
	}
	if (ret->count > UNIT_LIMIT)
		return fx_error_new(FX_ERR_LIMIT,
			"at most %" PRIu64 " units are shown at once",
			UNIT_LIMIT);
	return NULL;
}

/* --- units --------------------------------------------------------------- */

struct view {
	const struct fx_datum *tensor;
	struct fx_extent extent;
	size_t element;      /* bytes of an element */
	size_t size;         /* bytes of a unit */
	size_t in_line;      /* units in a line */
	enum fx_dtype dtype; /* of a unit for f; NONE: it is no number */
	char letter;
	uint64_t total; /* units in all */
};

/* What SIZE bytes are as a floating point number. */
static enum fx_dtype
float_of(enum fx_dtype own, size_t size)
{
	if (fx_dtype_info(own)->size == size &&
		fx_dtype_info(own)->category == FX_DTYPE_CATEGORY_FLOAT)
		return own;
	return size == 2   ? FX_DTYPE_F16
	       : size == 4 ? FX_DTYPE_F32
	       : size == 8 ? FX_DTYPE_F64
			   : FX_DTYPE_NONE;
}

static struct fx_error *
set_view(struct view *view, const struct format *format)
{
	const struct fx_dtype_info *info = fx_dtype_info(view->extent.dtype);
	enum fx_dtype part = info->part ? info->part : view->extent.dtype;
	bool is_whole = fx_dtype_is_integer(part);

	view->element = info->size;
	view->size = fx_dtype_info(part)->size;
	view->letter = format->letter;
	/* A letter says what gdb has without a size: one byte for c. */
	if (!view->letter)
		view->letter = is_whole ? 'd' : 'f';
	for (size_t i = 0; i < FX_ARRAY_LEN(sizes); i++) {
		if (format->size == sizes[i].letter)
			view->size = sizes[i].size;
		if (view->size == sizes[i].size)
			view->in_line = sizes[i].in_line;
	}
	if (view->letter == 't')
		view->in_line = FX_MAX(8 / view->size, (size_t)1);
	view->dtype =
		is_whole && !format->size ? part : float_of(part, view->size);
	if (view->letter == 'f' && !view->dtype)
		return fx_error_new(FX_ERR_VALUE,
			"there are no floats of one byte; /x shows its bits");
	view->total = view->extent.count * view->element / view->size;
	return NULL;
}

static void
add_bits(struct fx_buf *out, uint64_t bits, size_t size)
{
	for (int i = (int)(8 * size); i--;)
		fx_buf_add_char(out, (char)('0' + (bits >> i & 1)));
}

static void
cell_float(struct out *out, const struct view *view, const void *bytes)
{
	static const int digits[] = { [1] = 4, [2] = 5, [4] = 9, [8] = 17 };
	double number;

	fx_elements_decode(view->dtype, bytes, 1, &number, NULL);
	if (fx_dtype_is_integer(view->dtype))
		out_cell_int(out, FX_ROLE_NUMBER,
			fx_element_int(view->dtype, bytes, 0));
	else
		out_cell_digits(out, FX_ROLE_NUMBER, number,
			digits[view->size]);
}

/* The unit at BYTES as the letter shows it. */
static void
cell_unit(struct out *out, const struct view *view, const void *bytes)
{
	int spare = (int)(64 - 8 * view->size);
	FX_AUTO_BUF struct fx_buf text = { 0 };
	uint64_t bits = 0;
	int64_t number;

	memcpy(&bits, bytes, view->size);
	number = (int64_t)(bits << spare) >> spare;
	switch (view->letter) {
	case 'd':
		out_cell_int(out, FX_ROLE_NUMBER, number);
		return;
	case 'f':
		cell_float(out, view, bytes);
		return;
	case 'u':
		fx_buf_addf(&text, "%" PRIu64, bits);
		break;
	case 'o':
		fx_buf_addf(&text, bits ? "0%" PRIo64 : "%" PRIo64, bits);
		break;
	case 't':
		add_bits(&text, bits, view->size);
		break;
	case 'c':
		fx_buf_addf(&text, "%" PRId64, number);
		if (bits >= ' ' && bits <= '~')
			fx_buf_addf(&text, " '%c'", (char)bits);
		break;
	default:
		fx_buf_addf(&text, "0x%0*" PRIx64, (int)(2 * view->size), bits);
	}
	out_cell(out, FX_ROLE_NUMBER, "%s", fx_buf_text(&text));
}

/* --- lines --------------------------------------------------------------- */

/* Where unit INDEX lies: "[0,3]", and "+2" bytes into the element. */
static void
add_place(struct fx_buf *out, const struct view *view, uint64_t index)
{
	uint64_t byte = index * view->size;

	fx_extent_print_index(out, &view->extent, byte / view->element);
	if (byte % view->element)
		fx_buf_addf(out, "+%" PRIu64, byte % view->element);
}

/* A row of COUNT units from FIRST. */
static struct fx_error *
say_line(struct cmd_ctx *ctx, const struct view *view, uint64_t first,
	size_t count)
{
	FX_AUTO_BUF struct fx_buf place = { 0 };
	uint64_t begin = first * view->size;
	uint64_t element = begin / view->element;
	uint64_t end = begin + count * view->size;
	size_t elements =
		(size_t)((end + view->element - 1) / view->element - element);
	char bytes[256];
	const char *at = bytes + (begin - element * view->element);
	struct fx_error *err;

	fx_assert(elements * view->element <= sizeof(bytes));
	err = fx_values_read(view->tensor, element, elements, bytes);
	if (err)
		return err;
	add_place(&place, view, first);
	out_cell(ctx->out, FX_ROLE_MUTED, "%s", fx_buf_text(&place));
	for (size_t i = 0; i < view->in_line; i++)
		if (i < count)
			cell_unit(ctx->out, view, at + i * view->size);
		else
			out_cell_none(ctx->out, "");
	return NULL;
}

static struct fx_error *
say_units(struct cmd_ctx *ctx, const struct view *view, uint64_t first,
	uint64_t count)
{
	static const char *const keys[] = { "place", "u0", "u1", "u2", "u3",
		"u4", "u5", "u6", "u7" };
	struct fx_error *err = NULL;

	out_table_begin(ctx->out, "units", view->in_line + 1, keys);
	for (uint64_t i = 0; !err && i < count && out_more(ctx->out);
		i += view->in_line)
		err = say_line(ctx, view, first + i,
			(size_t)FX_MIN(count - i, (uint64_t)view->in_line));
	out_table_end(ctx->out);
	return err;
}

static struct fx_error *
examine_tensor(struct cmd_ctx *ctx, const struct format *format,
	const struct fx_datum *tensor)
{
	struct view view = { .tensor = tensor };
	uint64_t first = ctx->is_repeat ? ctx->shell->examine_next : 0;
	uint64_t count;
	struct fx_error *err = fx_extent_of(tensor, &view.extent);

	if (!err)
		err = set_view(&view, format);
	if (err)
		return err;
	if (first > view.total)
		first = view.total;
	count = FX_MIN(format->count, view.total - first);
	if (count)
		err = say_units(ctx, &view, first, count);
	if (err)
		return err;
	ctx->shell->examine_next = first + count;
	out_value_int(ctx->out, "first", (int64_t)first);
	out_value_int(ctx->out, "total", (int64_t)view.total);
	if (count < format->count)
		out_line(ctx->out, FX_ROLE_MUTED,
			view.total ? "The end: %" PRIu64 " in all."
				   : "No elements.",
			view.total);
	return NULL;
}

/* --- nodes --------------------------------------------------------------- */

/* As many nodes from the one that EXPRESSION names. */
static struct fx_error *
examine_nodes(struct cmd_ctx *ctx, const struct format *format,
	const char *expression)
{
	FX_AUTO_FREE size_t *positions = NULL;
	struct fx_node *node;
	size_t first;
	size_t count;
	struct fx_error *err =
		ctx->model ? fx_resolve_node(ctx->session, ctx->model,
				     expression, &node)
			   : fx_error_new(FX_ERR_NO_GRAPH, "no graph is open");

	if (err)
		return err;
	first = fx_graph_position(node->graph, node);
	if (ctx->is_repeat)
		first = FX_MIN((size_t)ctx->shell->examine_next,
			(size_t)node->graph->node_count);
	count = (size_t)FX_MIN(format->count,
		(uint64_t)(node->graph->node_count - first));
	positions = fx_xcalloc(FX_MAX(count, (size_t)1), sizeof(*positions));
	for (size_t i = 0; i < count; i++)
		positions[i] = first + i;
	ctx->shell->examine_next = first + count;
	if (!count) {
		out_line(ctx->out, FX_ROLE_MUTED, "The end of the graph.");
		return NULL;
	}
	/* The listing does not go on by itself. */
	ctx->is_repeat = false;
	return cmd_say_nodes(ctx, positions, count);
}

struct fx_error *
cmd_x_exec(struct cmd_ctx *ctx)
{
	const char *expression = cmd_elements_expression(ctx);
	FX_AUTO_DATUM struct fx_datum *tensor = NULL;
	struct format format;
	struct fx_error *err = read_format(ctx->format, &format);

	if (err)
		return err;
	if (format.letter == 'i')
		return examine_nodes(ctx, &format, expression);
	err = cmd_elements_of(ctx, expression, &tensor);
	if (err)
		return err;
	return format.letter == 'm' ? cmd_say_map(ctx, tensor)
				    : examine_tensor(ctx, &format, tensor);
}
