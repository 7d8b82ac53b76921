/* canonical.c - a command in canonical words, made of its parsed arguments. */
#include <config.h>

#include "commands/shell/canonical.h"

#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/mem.h"
#include "commands/shell/line.h"
#include "commands/shell/shell.h"
#include "commands/shell/split.h"
#include "ir/graph.h"
#include "lang/ast.h"
#include "lang/parse.h"
#include "session/model.h"
#include "session/position.h"
#include "session/resolve.h"

/* Trees higher than this are not walked. */
#define HEIGHT_LIMIT 1000

/* Printing. */

static void
add_quoted(struct fx_buf *out, const char *text)
{
	fx_buf_add_char(out, '"');
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			fx_buf_add_char(out, '\\');
		fx_buf_add_char(out, *text);
	}
	fx_buf_add_char(out, '"');
}

/* Whether TEXT has to stand in quotes to be one word. */
static bool
wants_quotes(const char *text)
{
	return !*text || *text == '-' ||
	       strpbrk(text, " \t\r\n\f\v#'\"\\()[]{}");
}

void
cmd_canonical_add_word(struct fx_buf *out, const char *text)
{
	if (wants_quotes(text))
		add_quoted(out, text);
	else
		fx_buf_add(out, text);
}

void
cmd_canonical_add_flagged(struct fx_buf *out, const char *line,
	const char *flag)
{
	size_t dashes = cmd_line_find_dashes(line);

	fx_buf_add_n(out, line, dashes);
	if (line[dashes])
		fx_buf_addf(out, "%s %s", flag, line + dashes);
	else
		fx_buf_addf(out, " %s", flag);
}

/* Whether TEXT, a word, would be read as a keyword of ENTRY or be cut by one.
 */
static bool
has_keyword(const struct cmd_entry *entry, const char *text)
{
	for (size_t i = 0; i < FX_ARRAY_LEN(entry->args); i++) {
		const struct cmd_arg *arg = &entry->args[i];
		bool is_sign = arg->name && !cmd_is_letter(*arg->name);

		if (!arg->name || !(arg->flags & CMD_KEYWORD))
			continue;
		if (is_sign ? strstr(text, arg->name) != NULL
			    : !strcmp(text, arg->name))
			return true;
	}
	return false;
}

/* Whether a line has TEXT, an argument of TYPE, as it is.  Such an argument has
 * its own rules for quotes and blanks.
 */
static bool
is_plain(enum cmd_arg_type type, const char *text)
{
	if (cmd_arg_kinds[type].is_expression || type == CMD_ARG_SPEC)
		return true;
	return type == CMD_ARG_NODE && !strpbrk(text, " \t");
}

static const char *
text_of(const struct cmd_value *value)
{
	return value->canonical ? value->canonical : value->text;
}

static void
add_text(struct fx_buf *out, const struct cmd_entry *entry,
	const struct cmd_value *value)
{
	const char *text = text_of(value);

	fx_buf_add_char(out, ' ');
	if (is_plain(value->type, text) || entry->needs & CMD_RAW ||
		!(has_keyword(entry, text) || wants_quotes(text)))
		fx_buf_add(out, text);
	else
		add_quoted(out, text);
}

static const struct cmd_flag *
find_flag(const struct cmd_entry *entry, const char *name)
{
	const struct cmd_flag *flag;

	for (size_t i = 0; (flag = cmd_entry_flag(entry, i)); i++)
		if (!strcmp(flag->name, name))
			return flag;
	return NULL;
}

static void
add_flag_name(struct fx_buf *out, const struct cmd_entry *entry,
	const char *name)
{
	const struct cmd_flag *flag = find_flag(entry, name);

	if (flag && flag->letter)
		fx_buf_addf(out, " -%c", flag->letter);
	else
		fx_buf_addf(out, " --%s", name);
}

/* What was PARSED for the argument ARG, or NULL: for flags. */
static void
add_values(struct fx_buf *out, const struct cmd_entry *entry,
	const struct cmd_parsed *parsed, const struct cmd_arg *arg)
{
	const struct cmd_value *value;

	fx_vec_for_each (value, &parsed->values) {
		if (value->is_left_out || value->is_flag == (arg != NULL) ||
			(arg && strcmp(value->name, arg->name) != 0))
			continue;
		if (!arg)
			add_flag_name(out, entry, value->name);
		else if (arg->flags & CMD_KEYWORD)
			fx_buf_addf(out, " %s", arg->name);
		if (arg || value->type != CMD_ARG_END)
			add_text(out, entry, value);
	}
}

/* Whether an argument begins like a flag: then `--` stands before it. */
static bool
needs_dashes(const struct cmd_entry *entry, const struct cmd_parsed *parsed)
{
	const struct cmd_value *value;

	fx_vec_for_each (value, &parsed->values) {
		const char *text = value->is_flag ? "" : text_of(value);

		if (!value->is_left_out && *text == '-' &&
			is_plain(value->type, text) &&
			!(entry->needs & CMD_RAW) &&
			(text[1] == '-' || cmd_is_letter(text[1])))
			return true;
	}
	return false;
}

void
cmd_canonical_print(struct fx_buf *out, const struct cmd_entry *entry,
	const char *format, const struct cmd_parsed *parsed)
{
	bool has_dashes = needs_dashes(entry, parsed);

	fx_buf_add(out, entry->name);
	if (*format)
		fx_buf_addf(out, "/%s", format);
	if (has_dashes) {
		add_values(out, entry, parsed, NULL);
		fx_buf_add(out, " --");
	}
	for (size_t i = 0; i < FX_ARRAY_LEN(entry->args); i++)
		if (entry->args[i].name)
			add_values(out, entry, parsed, &entry->args[i]);
	if (!has_dashes)
		add_values(out, entry, parsed, NULL);
}

/* What a command decided. */

void
cmd_canonical_set(struct cmd_ctx *ctx, const char *name, const char *text)
{
	struct cmd_value decided = {
		.name = name, .type = CMD_ARG_REST, .is_decided = true
	};
	const struct cmd_flag *flag;
	struct cmd_value *value;
	bool is_there = false;

	fx_vec_for_each (value, &ctx->parsed->values) {
		if (strcmp(value->name, name) != 0)
			continue;
		free(value->canonical);
		value->canonical = text ? fx_xstrdup(text) : NULL;
		value->is_left_out = !text;
		is_there = true;
	}
	if (is_there || !text)
		return;
	flag = find_flag(ctx->entry, name);
	if (flag) {
		decided.type = flag->type;
		decided.is_flag = true;
	}
	decided.canonical = fx_xstrdup(text);
	fx_vec_push(&ctx->parsed->values, decided);
}

/* Resolving. */

struct change {
	struct fx_span span;
	const char *name;
};

struct changes {
	struct cmd_ctx *ctx;
	const char *text;
	FX_VEC(struct change) items;
};

static bool
is_designator(const struct fx_ast *tree)
{
	return tree->kind == FX_AST_NODE || tree->kind == FX_AST_POSITION ||
	       tree->kind == FX_AST_HERE ||
	       (tree->kind == FX_AST_VARIABLE && !strcmp(tree->text, "_"));
}

static FX_NODISCARD struct fx_error *
find_designators(struct changes *changes, const struct fx_ast *tree)
{
	struct fx_error *err;
	uint32_t i;

	if (!tree)
		return NULL;
	if (is_designator(tree)) {
		size_t length = tree->span.end - tree->span.begin;
		FX_AUTO_FREE char *text =
			fx_xstrndup(changes->text + tree->span.begin, length);
		struct change change = { .span = tree->span };
		struct fx_node *node;

		err = fx_resolve_node(changes->ctx->session,
			changes->ctx->model, text, &node);
		if (err)
			return err;
		change.name = node->name;
		fx_vec_push(&changes->items, change);
		return NULL;
	}
	for (i = 0; i < tree->kid_count; i++) {
		err = find_designators(changes, tree->kids[i]);
		if (err)
			return err;
	}
	return NULL;
}

struct fx_error *
cmd_canonical_expression(struct cmd_ctx *ctx, const char *text,
	const char *sign, char **ret)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	FX_AUTO_BUF struct fx_buf out = { 0 };
	struct changes changes = { .ctx = ctx, .text = text };
	struct fx_ast *tree;
	struct fx_error *err;
	size_t at = 0;
	size_t i;

	err = fx_parse_expression(arena, text, strlen(text),
		FX_PARSE_DESIGNATORS, &tree);
	if (!err && tree->height > HEIGHT_LIMIT)
		err = fx_error_new(FX_ERR_LIMIT,
			"the expression is nested too deep");
	if (!err)
		err = find_designators(&changes, tree);
	for (i = 0; !err && i < changes.items.count; i++) {
		const struct change *change = &changes.items.items[i];

		fx_buf_add_n(&out, text + at, change->span.begin - at);
		fx_buf_addf(&out, "%s%s", sign, change->name);
		at = change->span.end;
	}
	fx_vec_deinit(&changes.items);
	if (err)
		return err;
	fx_buf_add(&out, text + at);
	*ret = fx_buf_take(&out);
	return NULL;
}

/* More nodes than these are said by their places. */
#define NAMED_LIMIT 100

/* @10:@20 or @30:@30. */
static void
add_ranges(struct fx_buf *out, const size_t *positions, size_t count)
{
	size_t last;

	for (size_t i = 0; i < count; i = last + 1) {
		last = i;
		while (last + 1 < count &&
			positions[last + 1] == positions[last] + 1)
			last++;
		fx_buf_addf(out, "%s@%zu:@%zu", i ? " or " : "", positions[i],
			positions[last]);
	}
}

/* "%a"; of several what was typed, if that gives the same set whenever the
 * graph is the same, else "{%a or %b}".
 */
static char *
set_text(const struct cmd_ctx *ctx, const struct cmd_value *value)
{
	struct fx_graph *graph = fx_position_graph(ctx->model);
	FX_AUTO_BUF struct fx_buf text = { 0 };
	size_t count = value->count;

	if (count > 1 && fx_resolve_is_steady(ctx->model, value->text))
		return fx_xstrdup(value->text);
	if (count > NAMED_LIMIT)
		add_ranges(&text, value->positions, count);
	for (size_t i = 0; i < count && count <= NAMED_LIMIT; i++)
		fx_buf_addf(&text, "%s%%%s", i ? " or " : "",
			fx_graph_at(graph, value->positions[i])->name);
	return count == 1 ? fx_buf_take(&text)
			  : fx_xasprintf("{%s}", fx_buf_text(&text));
}

static char *
resolved(struct cmd_ctx *ctx, const struct cmd_value *value)
{
	char *text = NULL;

	if (value->node)
		return fx_xasprintf("%%%s", value->node->name);
	if (value->positions)
		return set_text(ctx, value);
	if (value->type == CMD_ARG_EXPR || value->type == CMD_ARG_CONDITION)
		fx_error_free(cmd_canonical_expression(ctx, value->text, "%",
			&text));
	return text;
}

/* Whether the flag NAME says something about the answer, nothing of the edit.
 */
static bool
is_about_answer(const struct cmd_entry *entry, const char *name)
{
	if (!strcmp(name, "dry-run") || !strcmp(name, "force"))
		return true;
	for (size_t i = 0; i < FX_ARRAY_LEN(entry->flags); i++)
		if (entry->flags[i].name && !strcmp(entry->flags[i].name, name))
			return false;
	return true;
}

void
cmd_canonical_resolve(struct cmd_ctx *ctx)
{
	struct cmd_value *value;

	fx_vec_for_each (value, &ctx->parsed->values) {
		value->is_left_out |= value->is_flag &&
				      is_about_answer(ctx->entry, value->name);
		if (value->text && !value->canonical && ctx->model)
			value->canonical = resolved(ctx, value);
	}
}

char *
cmd_canonical_line(struct cmd_ctx *ctx)
{
	FX_AUTO_BUF struct fx_buf line = { 0 };

	cmd_canonical_resolve(ctx);
	cmd_canonical_print(&line, ctx->entry, ctx->format, ctx->parsed);
	return fx_buf_take(&line);
}
