/* node_text.c - what is known of a node, as text. */
#include <config.h>

#include "session/node_text.h"

#include <stdint.h>
#include <string.h>

#include "base/buf.h"
#include "base/number.h"
#include "base/vec.h"
#include "emit/fx.h"
#include "emit/python.h"
#include "ir/graph.h"
#include "ir/size.h"
#include "ir/tensor_meta.h"
#include "ir/value_text.h"

void
fx_node_text_shape(struct fx_buf *out, const struct fx_node *node, bool spaced)
{
	if (node->meta)
		fx_value_print_shape(out, node->meta, spaced);
}

void
fx_node_text_sizes(struct fx_buf *out, const struct fx_node *node)
{
	FX_AUTO_BUF struct fx_buf shape = { 0 };
	const char *text;
	const char *sizes;

	fx_node_text_shape(&shape, node, false);
	text = fx_buf_text(&shape);
	if (!*text || strcmp(text, "?") == 0)
		return;
	sizes = node->meta->kind == FX_VALUE_TENSOR ? strchr(text, '[') : NULL;
	fx_buf_add(out, sizes ? sizes : text);
}

const char *
fx_node_text_opcode(const struct fx_node *node)
{
	return fx_opcode_word((enum fx_opcode)node->opcode);
}

void
fx_node_text_line(struct fx_buf *out, const struct fx_node *node)
{
	fx_emit_fx_node(out, node, NULL);
}

void
fx_node_text_use(struct fx_buf *out, const struct fx_node *user,
	const struct fx_node *node)
{
	for (uint32_t i = 0; i < user->args.count; i++) {
		const struct fx_value *arg = &user->args.items[i];

		if (arg->kind == FX_VALUE_NODE && arg->node == node) {
			fx_buf_addf(out, " arg %u", i);
			return;
		}
	}
}

/* --- facts of a result --------------------------------------------------- */

void
fx_node_text_type(const struct fx_node *node, fx_node_fact_fn *tell,
	void *context)
{
	FX_AUTO_BUF struct fx_buf shape = { 0 };
	bool is_tensor = node->meta && node->meta->kind == FX_VALUE_TENSOR;

	if (!node->meta)
		return;
	fx_node_text_shape(&shape, node, true);
	if (is_tensor && node->meta->tensor->device)
		fx_buf_addf(&shape, "  %s", node->meta->tensor->device);
	tell(context, is_tensor ? "tensor" : "value", FX_ROLE_PLAIN,
		fx_buf_text(&shape));
}

/* Elements and bytes, where all sizes are known. */
static void
tell_sizes(const struct fx_tensor_meta *tensor, fx_node_fact_fn *tell,
	void *context)
{
	FX_AUTO_BUF struct fx_buf count = { 0 };
	FX_AUTO_BUF struct fx_buf bytes = { 0 };
	int64_t elements = 1;

	for (uint32_t i = 0; i < tensor->rank; i++) {
		if (tensor->sizes[i].kind != FX_VALUE_INT ||
			__builtin_mul_overflow(elements,
				tensor->sizes[i].integer, &elements))
			return;
	}
	fx_buf_add_int(&count, elements);
	tell(context, "elements", FX_ROLE_NUMBER, fx_buf_text(&count));
	if (tensor->dtype == FX_DTYPE_NONE || elements < 0 ||
		elements > INT64_MAX / 16)
		return;
	fx_number_add_bytes(&bytes,
		(uint64_t)elements * fx_dtype_info(tensor->dtype)->size);
	tell(context, "bytes", FX_ROLE_PLAIN, fx_buf_text(&bytes));
}

/* Apart from the shape: run together, f32[2, 8][8, 1]cpu, both read badly. */
static void
tell_strides(const struct fx_tensor_meta *tensor, fx_node_fact_fn *tell,
	void *context)
{
	FX_AUTO_BUF struct fx_buf strides = { 0 };

	if (!tensor->strides)
		return;
	for (size_t i = 0; i < tensor->rank; i++) {
		fx_buf_add(&strides, i ? ", " : "");
		fx_size_print(&strides, tensor->strides[i]);
	}
	tell(context, "strides", FX_ROLE_PLAIN, fx_buf_text(&strides));
}

void
fx_node_text_tensor(const struct fx_node *node, fx_node_fact_fn *tell,
	void *context)
{
	const struct fx_tensor_meta *tensor =
		node->meta && node->meta->kind == FX_VALUE_TENSOR
			? node->meta->tensor
			: NULL;

	if (!tensor || !tensor->has_shape)
		return;
	tell_sizes(tensor, tell, context);
	tell_strides(tensor, tell, context);
}

/* --- code ---------------------------------------------------------------- */

/* For each node of RANGES the line of TEXT on which it begins, counted from
 * that at START.
 */
static void
find_lines(const char *text, size_t start, const struct fx_emit_ranges *ranges,
	struct fx_code_lines *lines)
{
	size_t node = 0;
	size_t line = 0;

	for (const char *at = text + start; *at; line++) {
		size_t length = strcspn(at, "\n");
		size_t end = (size_t)(at - text) + length;

		for (; node < ranges->count && ranges->items[node].begin <= end;
			node++)
			fx_vec_push(lines, line);
		at += length + (at[length] == '\n');
	}
}

void
fx_node_text_code(struct fx_buf *out, struct fx_graph *graph,
	const char *dialect, struct fx_code_lines *lines)
{
	struct fx_emit_python options = { .dialect = dialect };
	struct fx_emit_ranges ranges = { 0 };
	FX_AUTO_BUF struct fx_buf code = { 0 };
	const char *text;
	size_t start;

	fx_emit_python(&code, graph, &options, &ranges);
	text = fx_buf_text(&code);
	start = strspn(text, "\n");
	fx_vec_clear(lines);
	find_lines(text, start, &ranges, lines);
	fx_buf_add_n(out, text + start, code.length - start);
	fx_emit_ranges_deinit(&ranges);
}
