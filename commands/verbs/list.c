/* list.c - the commands list and ll: code around a place. */
#include <config.h>

#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/str.h"
#include "commands/out/out.h"
#include "commands/shell/groups.h"
#include "commands/shell/shell.h"
#include "commands/verbs/show.h"
#include "emit/fx.h"
#include "ir/graph.h"
#include "session/model.h"
#include "session/position.h"
#include "session/resolve.h"
#include "session/session.h"
#include "session/settings.h"
#include "session/source.h"

struct listing {
	struct cmd_ctx *ctx;
	struct fx_graph *graph;
	char form;      /* p f t s */
	size_t current; /* position of the stop, or node_count + 1 */
};

void
cmd_code_deinit(struct cmd_code *code)
{
	fx_buf_deinit(&code->text);
	fx_emit_ranges_deinit(&code->ranges);
}

/* The code of the graph, written again when that is another one by now. */
static const struct cmd_code *
code_of(struct listing *listing)
{
	struct cmd_code *code = &listing->ctx->shell->code;
	struct fx_graph *graph = listing->graph;

	if (code->graph == graph && code->serial == graph->serial &&
		code->version == graph->version &&
		code->dialect == graph->dialect)
		return code;
	cmd_code_deinit(code);
	*code = (struct cmd_code){ .graph = graph,
		.serial = graph->serial,
		.version = graph->version,
		.dialect = graph->dialect };
	fx_emit_python(&code->text, graph, NULL, &code->ranges);
	return code;
}

static void
say_mark(struct listing *listing, struct fx_node *node, size_t position)
{
	struct out *out = listing->ctx->out;
	bool stopped = position == listing->current;
	bool stops = fx_model_has_breakpoint(listing->ctx->model, node);

	out_piece(out, FX_ROLE_CURRENT, stopped ? "=>" : "  ");
	out_piece(out, FX_ROLE_BREAKPOINT, stops ? "B" : " ");
	out_piece(out, FX_ROLE_NUMBER, "%4zu  ", position);
}

static void
say_python(struct listing *listing, struct fx_node *node, size_t position)
{
	const struct cmd_code *code = code_of(listing);
	const struct fx_emit_range *range = &code->ranges.items[position];

	say_mark(listing, node, position);
	out_piece(listing->ctx->out, FX_ROLE_PLAIN, "%.*s",
		(int)(range->end - range->begin),
		code->text.data + range->begin);
	out_line_end(listing->ctx->out);
}

static void
say_fx(struct listing *listing, struct fx_node *node, size_t position)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };

	fx_emit_fx_node(&text, node, NULL);
	say_mark(listing, node, position);
	out_piece(listing->ctx->out, FX_ROLE_PLAIN, "%s", fx_buf_text(&text));
	out_line_end(listing->ctx->out);
}

static FX_NODISCARD struct fx_error *
say_table(struct listing *listing, size_t begin, size_t end)
{
	FX_AUTO_FREE size_t *positions =
		fx_xcalloc(end - begin, sizeof(size_t));
	size_t i;

	for (i = begin; i < end; i++)
		positions[i - begin] = i;
	listing->ctx->is_repeat = false;
	return cmd_say_nodes(listing->ctx, positions, end - begin);
}

static FX_NODISCARD struct fx_error *
say_range(struct listing *listing, size_t begin, size_t end)
{
	size_t i;

	if (listing->form == 't')
		return say_table(listing, begin, end);
	for (i = begin; i < end && out_more(listing->ctx->out); i++) {
		struct fx_node *node = fx_graph_at(listing->graph, i);

		if (listing->form == 'f')
			say_fx(listing, node, i);
		else
			say_python(listing, node, i);
	}
	return NULL;
}

static size_t
list_size(struct cmd_ctx *ctx)
{
	return (size_t)fx_settings_int(fx_session_settings(ctx->session),
		FX_SET_LISTSIZE);
}

/* The model's source: the lines around the one that made the node, or those
 * from FIRST on, counted from 1.
 */

static void
say_source_lines(struct cmd_ctx *ctx, const char *text,
	const struct fx_source_frame *frame, int first, int size)
{
	struct cmd_shell *shell = ctx->shell;
	int number = 1;

	if (first < 1)
		first = FX_MAX(1, frame->line - size / 2);
	for (; *text && number < first + size; number++) {
		size_t length = strcspn(text, "\n");

		if (number >= first) {
			out_piece(ctx->out, FX_ROLE_CURRENT,
				number == frame->line ? "=>" : "  ");
			out_piece(ctx->out, FX_ROLE_NUMBER, "%5d  ", number);
			out_piece(ctx->out, FX_ROLE_PLAIN, "%.*s", (int)length,
				text);
			out_line_end(ctx->out);
		}
		text += length + (text[length] == '\n');
	}
	if (number <= first)
		out_line(ctx->out, FX_ROLE_PLAIN,
			"At the end: nothing after line %d.", number - 1);
	shell->list_first = (size_t)first;
	shell->list_next = (size_t)number;
	shell->has_listed = true;
	shell->list_form = 's';
}

static void
say_source(struct cmd_ctx *ctx, const struct fx_source_frame *frame, int first,
	size_t size)
{
	FX_AUTO_FREE char *text = NULL;

	if (!ctx->shell->restricted && frame->file)
		text = fx_source_read(ctx->model, frame);
	out_line(ctx->out, FX_ROLE_PATH, "%s:%d", frame->file, frame->line);
	if (text)
		say_source_lines(ctx, text, frame, first, (int)size);
	else if (frame->text)
		out_line(ctx->out, FX_ROLE_PLAIN, "=>%5d  %s", frame->line,
			frame->text);
}

/* Where to list. */

/* Whether nodes were listed, and not lines of source. */
static bool
has_listed_nodes(const struct cmd_shell *shell)
{
	return shell->has_listed && shell->list_form != 's';
}

/* SIZE nodes with CENTER in the middle. */
static void
around(const struct listing *listing, size_t center, size_t *begin_ret,
	size_t *end_ret)
{
	size_t size = list_size(listing->ctx);
	size_t count = listing->graph->node_count;
	size_t begin = center > size / 2 ? center - size / 2 : 0;

	if (begin + size > count)
		begin = count > size ? count - size : 0;
	*begin_ret = begin;
	*end_ret = FX_MIN(begin + size, count);
}

static void
next_page(const struct listing *listing, size_t *begin_ret, size_t *end_ret)
{
	struct cmd_shell *shell = listing->ctx->shell;
	size_t count = listing->graph->node_count;

	/* The same place once more in another form, not what comes after. */
	if (has_listed_nodes(shell) && shell->list_form != listing->form) {
		*begin_ret = FX_MIN(shell->list_first, count);
		*end_ret = FX_MIN(*begin_ret + list_size(listing->ctx), count);
		return;
	}
	if (!has_listed_nodes(shell)) {
		around(listing, FX_MIN(listing->current, count), begin_ret,
			end_ret);
		if (listing->current > count)
			around(listing, 0, begin_ret, end_ret);
		return;
	}
	*begin_ret = FX_MIN(shell->list_next, count);
	*end_ret = FX_MIN(*begin_ret + list_size(listing->ctx), count);
}

static void
page_before(const struct listing *listing, size_t *begin_ret, size_t *end_ret)
{
	struct cmd_shell *shell = listing->ctx->shell;
	size_t size = list_size(listing->ctx);
	size_t first = FX_MIN(shell->list_first, listing->graph->node_count);

	if (!has_listed_nodes(shell)) {
		next_page(listing, begin_ret, end_ret);
		first = *begin_ret;
	}
	*end_ret = first;
	*begin_ret = first > size ? first - size : 0;
}

/* "@10,@30", "add", "{query}": the range that WHERE means. */
static FX_NODISCARD struct fx_error *
named_range(struct listing *listing, const char *where, size_t *begin_ret,
	size_t *end_ret)
{
	struct cmd_ctx *ctx = listing->ctx;
	FX_AUTO_FREE size_t *positions = NULL;
	struct fx_error *err;
	size_t count;

	err = fx_resolve_set(ctx->session, ctx->model, where, &positions,
		&count);
	if (err)
		return err;
	if (!count)
		return fx_error_new(FX_ERR_NO_NODE, "no node matches \"%s\"",
			where);
	fx_session_examine(ctx->session,
		fx_graph_at(listing->graph, positions[0]));
	if (count == 1) {
		around(listing, positions[0], begin_ret, end_ret);
	} else {
		*begin_ret = positions[0];
		*end_ret = positions[count - 1] + 1;
	}
	return NULL;
}

static FX_NODISCARD struct fx_error *
find_range(struct listing *listing, size_t *begin_ret, size_t *end_ret)
{
	const char *where = cmd_arg_text(listing->ctx, "where");

	if (where && !strcmp(where, "-"))
		page_before(listing, begin_ret, end_ret);
	else if (where && !listing->ctx->is_repeat)
		return named_range(listing, where, begin_ret, end_ret);
	else
		next_page(listing, begin_ret, end_ret);
	return NULL;
}

static FX_NODISCARD struct fx_error *
listing_init(struct listing *listing, struct cmd_ctx *ctx)
{
	const char *format = ctx->format;
	const struct fx_node *node = fx_position_selected(ctx->model);

	*listing = (struct listing){ .ctx = ctx,
		.graph = fx_position_graph(ctx->model),
		.form = *format ? *format : 'p' };
	listing->current = node ? fx_graph_position(listing->graph, node)
				: listing->graph->node_count + 1;
	if (!strchr("pfts", listing->form) || (*format && format[1]))
		return fx_error_hint(fx_error_new(FX_ERR_USAGE,
					     "list: unknown format \"/%s\"",
					     format),
			"/p Python, /f torch.fx, /t table, /s source");
	return NULL;
}

static FX_NODISCARD struct fx_error *
list_range(struct listing *listing)
{
	struct cmd_shell *shell = listing->ctx->shell;
	struct fx_error *err;
	size_t begin;
	size_t end;

	err = find_range(listing, &begin, &end);
	if (err)
		return err;
	if (begin >= end) {
		out_line(listing->ctx->out, FX_ROLE_PLAIN,
			begin ? "At the end: nothing after @%zu."
			      : "At the beginning: nothing before @%zu.",
			begin ? begin - 1 : 0);
		return NULL;
	}
	shell->list_first = begin;
	shell->list_next = end;
	shell->has_listed = true;
	shell->list_form = listing->form;
	return say_range(listing, begin, end);
}

/* List the source of the node that the command names, else of the stop, else of
 * the first node.  If that node has no source, a node near it is taken, and the
 * listing says so.
 */
static FX_NODISCARD struct fx_error *
list_source(struct listing *listing)
{
	struct cmd_ctx *ctx = listing->ctx;
	const char *where = cmd_arg_text(ctx, "where");
	struct fx_node *node = fx_position_node(ctx->model);
	struct fx_node *near;
	struct fx_error *err;

	if (where) {
		err = fx_resolve_node(ctx->session, ctx->model, where, &node);
		if (err)
			return err;
	}
	if (!node)
		node = fx_graph_first(listing->graph);
	if (!node)
		return fx_error_new(FX_ERR_NO_NODE, "%s has no nodes",
			fx_model_name(ctx->model));
	near = fx_source_nearest(node);
	if (!near)
		return fx_error_hint(fx_error_new(FX_ERR_NO_NAME,
					     "%s has no source lines",
					     fx_model_name(ctx->model)),
			"list shows its code");
	if (near != node)
		out_note(ctx->out,
			"%%%s has no source line; this is that of %%%s",
			node->name, near->name);
	say_source(ctx, &near->source->frames[0], 0, list_size(ctx));
	return NULL;
}

/* WHERE may be a line or a function of the model's source: no node is called
 * like that.
 */
static FX_NODISCARD struct fx_error *
hint_source(struct fx_error *err)
{
	enum fx_error_code code = err ? fx_error_code(err) : FX_ERR_NO_NODE;

	if (!err || (code != FX_ERR_NO_NODE && code != FX_ERR_SYNTAX) ||
		fx_error_note_count(err) || fx_error_hint_text(err))
		return err;
	return fx_error_hint(err,
		"list/s NODE shows the source of a node, "
		"nodes source~\"FILE.py:20\" the nodes of a line");
}

/* The source around FRAME, which up or frame selected, or what comes before or
 * after what was listed of it.
 */
static void
list_frame(struct cmd_ctx *ctx, const struct fx_source_frame *frame)
{
	struct cmd_shell *shell = ctx->shell;
	bool has_listed = shell->has_listed && shell->list_form == 's';
	bool is_back = has_listed && cmd_arg_text(ctx, "where");
	size_t size = list_size(ctx);
	size_t first = shell->list_first;

	if (is_back && first <= 1)
		out_line(ctx->out, FX_ROLE_PLAIN,
			"At the beginning: nothing before line 1.");
	else if (is_back)
		say_source(ctx, frame, first > size ? (int)(first - size) : 1,
			FX_MIN(size, first - 1));
	else
		say_source(ctx, frame, has_listed ? (int)shell->list_next : 0,
			size);
}

struct fx_error *
cmd_list_exec(struct cmd_ctx *ctx)
{
	const char *where = cmd_arg_text(ctx, "where");
	bool is_page = !*ctx->format && (!where || !strcmp(where, "-"));
	struct listing listing;
	struct fx_source_frame frame;
	struct fx_error *err = listing_init(&listing, ctx);

	if (!err && is_page && fx_source_selected(ctx->model, &frame)) {
		list_frame(ctx, &frame);
		return NULL;
	}
	if (!err && listing.form == 's')
		err = list_source(&listing);
	else if (!err)
		err = list_range(&listing);
	return hint_source(err);
}

/* context: no listing that `list` goes on with. */

void
cmd_say_source_around(struct cmd_ctx *ctx, size_t size)
{
	const struct fx_node *node = fx_position_selected(ctx->model);
	struct cmd_shell *shell = ctx->shell;
	size_t first = shell->list_first;
	size_t next = shell->list_next;
	bool has_listed = shell->has_listed;
	char form = shell->list_form;
	struct fx_source_frame frame;

	if (!fx_source_selected(ctx->model, &frame)) {
		if (!node || !node->source || !node->source->count)
			return;
		frame = node->source->frames[0];
	}
	say_source(ctx, &frame, 0, size);
	shell->list_first = first;
	shell->list_next = next;
	shell->has_listed = has_listed;
	shell->list_form = form;
}

void
cmd_say_code_around(struct cmd_ctx *ctx, size_t before, size_t after)
{
	struct listing listing = {
		.ctx = ctx, .graph = fx_position_graph(ctx->model), .form = 'p'
	};
	const struct fx_node *node = fx_position_selected(ctx->model);
	size_t count = listing.graph->node_count;

	listing.current = node ? fx_graph_position(listing.graph, node) : count;
	for (size_t i = listing.current > before ? listing.current - before : 0;
		i < count && i <= listing.current + after; i++)
		say_python(&listing, fx_graph_at(listing.graph, i), i);
}

/* ll: everything in the scope entered, else in the one of the stop. */

static bool
is_in_scope(const struct fx_node *node, const char *scope)
{
	return fx_str_is_below(cmd_node_scope(node), scope);
}

static const char *
scope_of_ll(struct cmd_ctx *ctx)
{
	const char *entered = fx_model_scope(ctx->model);
	struct fx_node *here = fx_position_node(ctx->model);

	if (cmd_flag(ctx, "all"))
		return "";
	return *entered || !here ? entered
				 : fx_position_scope(ctx->model, here);
}

/* A part looks like all there is: say which part, and how to see all. */
static void
say_part(struct listing *listing, const char *scope, size_t first, size_t last)
{
	if (last - first < listing->graph->node_count)
		out_note(listing->ctx->out,
			"%s, %zu of %zu nodes; ll --all lists all", scope,
			last - first, listing->graph->node_count);
}

static FX_NODISCARD struct fx_error *
list_scope(struct listing *listing)
{
	const char *scope = scope_of_ll(listing->ctx);
	size_t first = 0;
	size_t last = listing->graph->node_count;
	struct fx_node *node = fx_graph_first(listing->graph);

	if (listing->form == 's')
		return fx_error_new(FX_ERR_USAGE, "ll: /s is for list only");
	while (node && !is_in_scope(node, scope)) {
		node = fx_graph_next(node);
		first++;
	}
	node = fx_graph_last(listing->graph);
	while (node && last > first && !is_in_scope(node, scope)) {
		node = fx_graph_previous(node);
		last--;
	}
	say_part(listing, scope, first, last);
	return say_range(listing, first, last);
}

struct fx_error *
cmd_ll_exec(struct cmd_ctx *ctx)
{
	struct listing listing;
	struct fx_error *err = listing_init(&listing, ctx);

	return err ? err : list_scope(&listing);
}
