/* diff_script.c - diff --script: one graph as edits of another. */
#include <config.h>

#include <string.h>

#include "base/blob.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/tick.h"
#include "base/vec.h"
#include "commands/out/out.h"
#include "commands/shell/shell.h"
#include "commands/verbs/diff.h"
#include "emit/edits.h"
#include "ir/control.h"
#include "ir/module.h"
#include "run/values.h"
#include "session/nested.h"
#include "session/session.h"

/* More values than these are not written as text. */
#define VALUES_LIMIT 1024

struct elements {
	const struct fx_tensor *tensor;
	const void *bytes; /* of its elements, in order */
	size_t next;
};

static void
add_element(struct fx_buf *out, struct elements *e)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };
	const char *digits;

	fx_element_print(&text, e->tensor->dtype, e->bytes, e->next++);
	digits = fx_buf_text(&text);
	if (fx_str_equal(digits, "-inf"))
		fx_buf_add(out, "-math.inf");
	else
		fx_buf_addf(out, "%s%s", strchr("ni", *digits) ? "math." : "",
			digits);
}

static void
add_items(struct fx_buf *out, struct elements *e, uint32_t depth)
{
	if (depth == e->tensor->rank) {
		add_element(out, e);
		return;
	}
	fx_buf_add_char(out, '[');
	for (int64_t i = 0; i < e->tensor->sizes[depth]; i++) {
		fx_buf_add(out, i ? ", " : "");
		add_items(out, e, depth + 1);
	}
	fx_buf_add_char(out, ']');
}

/* "torch.tensor([1.0, 2.0])" */
static bool
add_values(struct fx_buf *out, const struct fx_tensor *tensor)
{
	size_t size = fx_tensor_bytes(tensor);
	struct elements elements = { .tensor = tensor };
	FX_AUTO_FREE void *bytes = NULL;
	struct fx_error *err;

	if (!tensor->storage || !tensor->storage->blob ||
		!fx_tensor_is_contiguous(tensor) ||
		fx_tensor_numel(tensor) > VALUES_LIMIT)
		return false;
	bytes = fx_xmalloc(size + 1);
	err = fx_blob_read(tensor->storage->blob,
		(size_t)tensor->offset * fx_dtype_info(tensor->dtype)->size,
		size, bytes);
	if (err) {
		fx_error_free(err);
		return false;
	}
	elements.bytes = bytes;
	fx_buf_add(out, "torch.tensor(");
	add_items(out, &elements, 0);
	fx_buf_add_char(out, ')');
	return true;
}

/* Whether GRAPH, which may be MODEL's, has impossible shapes, or one nested in
 * it has.
 */
static bool
is_impossible(const struct fx_graph *graph, const struct fx_model *model)
{
	struct fx_nested_graphs nested;
	bool is_bad;

	if (fx_model_graph(model) != graph)
		return false;
	fx_model_nested(model, &nested);
	is_bad = fx_control_lacks_shapes(graph);
	for (size_t i = 0; i < nested.count && !is_bad; i++)
		is_bad = fx_control_lacks_shapes(nested.items[i]);
	fx_vec_deinit(&nested);
	return is_bad;
}

struct fx_error *
cmd_diff_script(struct cmd_ctx *ctx, struct fx_graph *before,
	struct fx_graph *after, size_t *unsaid_ret)
{
	const struct fx_tick tick = fx_session_ticks(ctx->session);
	struct fx_edits_options options = { .values = add_values,
		.tick = &tick };
	FX_AUTO_BUF struct fx_buf text = { 0 };

	for (size_t i = 0; i < fx_session_model_count(ctx->session); i++)
		options.is_forced |= is_impossible(after,
			fx_session_model_at(ctx->session, i));
	if (!fx_emit_edits(&text, before, after, &options, unsaid_ret))
		return cmd_diff_stopped();
	*unsaid_ret +=
		!cmd_diff_replay(&text, before, after, &tick, *unsaid_ret == 0);
	if (fx_tick_is_pressed(&tick))
		return cmd_diff_stopped();
	out_raw(ctx->out, fx_buf_text(&text), text.length);
	return NULL;
}

struct fx_error *
cmd_diff_unsaid(struct cmd_ctx *ctx, size_t count)
{
	static const char format[] =
		"%zu difference%s that no command makes: see the comments";

	if (!count)
		return NULL;
	if (!cmd_is_typed(ctx))
		return fx_error_new(FX_ERR_CHECK, format, count,
			count == 1 ? "" : "s");
	out_note(ctx->out, format, count, count == 1 ? "" : "s");
	return NULL;
}
