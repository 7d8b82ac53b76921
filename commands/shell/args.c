/* args.c - typed values of a command's arguments, and reading them. */
#include <config.h>

#include <string.h>

#include "base/mem.h"
#include "base/number.h"
#include "commands/shell/shell.h"
#include "ir/control.h"
#include "ir/graph.h"
#include "session/locals.h"
#include "session/model.h"
#include "session/resolve.h"

/* step relu: a node where a number of steps is wanted. */
static FX_NODISCARD struct fx_error *
hint_place(const struct cmd_ctx *ctx, const struct cmd_value *value,
	struct fx_error *err)
{
	const char *name = value->text + (*value->text == '%');

	if (strcmp(value->name, "count") != 0 ||
		!(ctx->entry->needs & CMD_REPEATS) || !ctx->model ||
		!fx_graph_find(fx_model_graph(ctx->model), name))
		return err;
	return fx_error_hint(err, "until %s runs on to it, goto %s goes there",
		name, name);
}

static const struct cmd_arg *
arg_of(const struct cmd_entry *entry, const char *name)
{
	size_t i;

	for (i = 0; i < FX_ARRAY_LEN(entry->args); i++)
		if (entry->args[i].name && !strcmp(entry->args[i].name, name))
			return &entry->args[i];
	return NULL;
}

static struct fx_error *
resolve_int(struct cmd_ctx *ctx, struct cmd_value *value)
{
	const struct cmd_arg *arg = arg_of(ctx->entry, value->name);
	int least = arg && arg->flags & CMD_FROM_ONE ? 1 : 0;

	if (fx_number_parse_int(value->text, strlen(value->text),
		    &value->integer) &&
		value->integer >= least)
		return NULL;
	/* quit(), step(2): Python's habit. */
	if (*value->text == '(')
		return fx_error_hint(fx_error_new(FX_ERR_USAGE,
					     "%s: \"%s\" is no number",
					     ctx->entry->name, value->text),
			"commands take no parentheses: %s", ctx->entry->name);
	return hint_place(ctx, value,
		fx_error_at(fx_error_new(FX_ERR_USAGE,
				    "expected a number from %d on for %s, got "
				    "\"%s\"",
				    least, value->name, value->text),
			ctx->line, value->span));
}

/* The choice in CHOICES ("a|b|c") that *TEXT is or begins alone, in place of
 * it; false when there is none.
 */
static bool
choose(const char *choices, char **text)
{
	size_t length = strlen(*text);
	const char *at = choices;
	const char *match = NULL;
	size_t match_length = 0;
	int count = 0;

	while (*at) {
		size_t n = strcspn(at, "|");

		if (length <= n && !strncmp(at, *text, length)) {
			match = at;
			match_length = n;
			count++;
			if (length == n) {
				count = 1;
				break;
			}
		}
		at += n + (at[n] == '|');
	}
	if (count != 1 || !length)
		return false;
	free(*text);
	*text = fx_xstrndup(match, match_length);
	return true;
}

/* The choice that ALSO ("edits=undo changes=undo") gives for *TEXT, in place of
 * it; false when there is none.
 */
static bool
choose_also(const char *also, char **text)
{
	size_t length = strlen(*text);

	while (also && *also) {
		size_t n = strcspn(also, " ");
		const char *choice = also + length + 1;

		if (n > length && also[length] == '=' &&
			!strncmp(also, *text, length)) {
			free(*text);
			*text = fx_xstrndup(choice, n - length - 1);
			return true;
		}
		also += n + (also[n] == ' ');
	}
	return false;
}

static bool
begins_several(const char *choices, const char *text)
{
	size_t length = strlen(text);
	int count = 0;

	while (*choices) {
		count += !strncmp(choices, text, length);
		choices += strcspn(choices, "|");
		choices += *choices == '|';
	}
	return count > 1;
}

/* info relu: a node, where the word node was left out. */
static FX_NODISCARD struct fx_error *
hint_node(const struct cmd_ctx *ctx, const char *choices, const char *text,
	struct fx_error *err)
{
	const char *name = text + (*text == '%');

	if (!strstr(choices, "|node|") || !ctx->model ||
		!fx_graph_find(fx_model_graph(ctx->model), name))
		return err;
	return fx_error_hint(err, "%s node %s", ctx->entry->name, text);
}

static struct fx_error *
wrong_choice(struct cmd_ctx *ctx, struct cmd_value *value, const char *choices)
{
	FX_AUTO_FREE char *list = fx_xstrdup(choices);
	struct fx_error *err;
	char *bar;

	for (bar = list; *bar; bar++)
		if (*bar == '|')
			*bar = ' ';
	if (begins_several(choices, value->text))
		return fx_error_at(
			fx_error_note(fx_error_new(FX_ERR_AMBIGUOUS,
					      "%s: \"%s\" is ambiguous",
					      ctx->entry->name, value->text),
				"one of: %s", list),
			ctx->line, value->span);
	err = fx_error_note(fx_error_new(FX_ERR_USAGE, "%s: no such %s: \"%s\"",
				    ctx->entry->name, value->name, value->text),
		"one of: %s", list);
	err = hint_node(ctx, choices, value->text,
		fx_error_at(err, ctx->line, value->span));
	return fx_error_hint_text(err) ? err : cmd_hint_word(err, value->text);
}

static struct fx_error *
resolve_word(struct cmd_ctx *ctx, struct cmd_value *value)
{
	const struct cmd_arg *arg =
		value->is_flag ? NULL : arg_of(ctx->entry, value->name);

	if (!arg || !arg->choices || choose(arg->choices, &value->text) ||
		choose_also(ctx->entry->also, &value->text))
		return NULL;
	return wrong_choice(ctx, value, arg->choices);
}

static struct fx_error *
resolve_scope(struct cmd_ctx *ctx, struct cmd_value *value)
{
	struct fx_error *err;
	const char *path;

	err = fx_resolve_scope(ctx->model, value->text, &path);
	if (err)
		return err;
	free(value->text);
	value->text = fx_xstrdup(path);
	return NULL;
}

/* One node; people try a set where one command has to do many things. */
static struct fx_error *
resolve_node(struct cmd_ctx *ctx, struct cmd_value *value)
{
	struct fx_error *err;

	if (ctx->entry->needs & CMD_RUNS_INTO)
		value->node = fx_control_find(fx_model_graph(ctx->model),
			value->text);
	if (value->node)
		return NULL;
	err = ctx->entry->needs & CMD_NEED_WRITABLE
		      ? fx_resolve_node(ctx->session, ctx->model, value->text,
				&value->node)
		      : fx_locals_resolve(ctx->session, ctx->model, value->text,
				&value->node);
	if (!err || *value->text != '{')
		return err;
	fx_error_free(err);
	return fx_error_hint(fx_error_new(FX_ERR_TYPE,
				     "%s: one node is wanted, not a set",
				     ctx->entry->name),
		"nodes %s lists them", value->text);
}

static struct fx_error *
resolve_value(struct cmd_ctx *ctx, struct cmd_value *value)
{
	switch (value->type) {
	case CMD_ARG_INT:
		return resolve_int(ctx, value);
	case CMD_ARG_NODE:
		return resolve_node(ctx, value);
	case CMD_ARG_SET:
		return fx_resolve_set(ctx->session, ctx->model, value->text,
			&value->positions, &value->count);
	case CMD_ARG_SCOPE:
		return resolve_scope(ctx, value);
	case CMD_ARG_WORD:
		return resolve_word(ctx, value);
	case CMD_ARG_END:
	case CMD_ARG_LOCATION:
	case CMD_ARG_QUERY:
	case CMD_ARG_EXPR:
	case CMD_ARG_CONDITION:
	case CMD_ARG_SPEC:
	case CMD_ARG_FILE:
	case CMD_ARG_TARGET:
	case CMD_ARG_GRAPH:
	case CMD_ARG_PASS:
	case CMD_ARG_SETTING:
	case CMD_ARG_COMMAND:
	case CMD_ARG_FORMAT:
	case CMD_ARG_NUMBERS:
	case CMD_ARG_REST:
		break;
	}
	return NULL;
}

struct fx_error *
cmd_args_resolve(struct cmd_ctx *ctx)
{
	struct cmd_value *value;
	struct fx_error *err;

	fx_vec_for_each (value, &ctx->parsed->values) {
		if (!value->text)
			continue;
		err = resolve_value(ctx, value);
		if (err)
			return err;
	}
	return NULL;
}

/* Reading. */

static const struct cmd_value *
find_value(const struct cmd_ctx *ctx, const char *name, bool is_flag,
	size_t index)
{
	const struct cmd_value *value;

	fx_vec_for_each (value, &ctx->parsed->values)
		if (value->is_flag == is_flag && !value->is_decided &&
			!strcmp(value->name, name) && !index--)
			return value;
	return NULL;
}

const char *
cmd_arg_text(const struct cmd_ctx *ctx, const char *name)
{
	return cmd_arg_text_at(ctx, name, 0);
}

const char *
cmd_arg_text_at(const struct cmd_ctx *ctx, const char *name, size_t index)
{
	const struct cmd_value *value = find_value(ctx, name, false, index);

	return value ? value->text : NULL;
}

int64_t
cmd_arg_int(const struct cmd_ctx *ctx, const char *name, int64_t missing)
{
	const struct cmd_value *value = find_value(ctx, name, false, 0);

	return value ? value->integer : missing;
}

struct fx_node *
cmd_arg_node(const struct cmd_ctx *ctx, const char *name)
{
	const struct cmd_value *value = find_value(ctx, name, false, 0);

	return value ? value->node : NULL;
}

bool
cmd_arg_set(const struct cmd_ctx *ctx, const char *name,
	const size_t **positions_ret, size_t *count_ret)
{
	const struct cmd_value *value = find_value(ctx, name, false, 0);

	if (!value)
		return false;
	*positions_ret = value->positions;
	*count_ret = value->count;
	return true;
}

size_t
cmd_arg_count(const struct cmd_ctx *ctx, const char *name)
{
	const struct cmd_value *value;
	size_t count = 0;

	fx_vec_for_each (value, &ctx->parsed->values)
		count += !value->is_flag && !strcmp(value->name, name);
	return count;
}

const char *
cmd_flag(const struct cmd_ctx *ctx, const char *name)
{
	return cmd_flag_at(ctx, name, 0);
}

const char *
cmd_flag_at(const struct cmd_ctx *ctx, const char *name, size_t index)
{
	const struct cmd_value *value = find_value(ctx, name, true, index);

	return !value ? NULL : value->text ? value->text : "";
}

int64_t
cmd_flag_int(const struct cmd_ctx *ctx, const char *name, int64_t missing)
{
	const struct cmd_value *value = find_value(ctx, name, true, 0);

	return value ? value->integer : missing;
}

struct fx_node *
cmd_flag_node(const struct cmd_ctx *ctx, const char *name)
{
	const struct cmd_value *value = find_value(ctx, name, true, 0);

	return value ? value->node : NULL;
}
