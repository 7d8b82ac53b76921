/* set.c - the command set: which of its meanings, user variables and
 * settings.
 */
#include <config.h>

#include "commands/verbs/set.h"

#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/str.h"
#include "commands/shell/groups.h"
#include "commands/shell/shell.h"
#include "ir/graph.h"
#include "ir/module.h"
#include "run/datum.h"
#include "session/model.h"
#include "session/position.h"
#include "session/session.h"
#include "session/settings.h"

/* Variables and settings. */

static FX_NODISCARD struct fx_error *
set_variable(struct cmd_ctx *ctx, const char *text)
{
	size_t length = strcspn(text + 1, " \t=") + 1;
	size_t at = length + strspn(text + length, " \t");
	FX_AUTO_FREE char *name = fx_xstrndup(text + 1, length - 1);
	FX_AUTO_DATUM struct fx_datum *datum = NULL;
	struct fx_error *err;

	if (!fx_str_is_identifier(name))
		return fx_error_new(FX_ERR_BAD_NAME,
			"\"$%s\" is no name of a variable", name);
	if (text[at] != '=')
		return fx_error_new(FX_ERR_SYNTAX, "set: expected = after $%s",
			name);
	err = cmd_evaluate(ctx, text + at + 1, &datum);
	if (err)
		return err;
	fx_session_set_variable(ctx->session, name, datum);
	return NULL;
}

/* TEXT, a name and perhaps a value: what stands before =, else without its last
 * word if it has several; without blanks at its end.
 */
static char *
without_value(const char *text)
{
	size_t length = strcspn(text, "=");
	size_t word;

	while (length && strchr(" \t", text[length - 1]))
		length--;
	if (strchr(text, '='))
		return fx_xstrndup(text, length);
	for (word = length; word && !strchr(" \t", text[word - 1]); word--)
		;
	while (word && strchr(" \t", text[word - 1]))
		word--;
	return fx_xstrndup(text, word ? word : length);
}

/* What somebody may have meant by TEXT who knows the settings of gdb. */
static FX_NODISCARD struct fx_error *
hint_setting(struct fx_error *err_taken, const char *text)
{
	FX_AUTO_FREE char *key =
		fx_xasprintf("set %.*s", (int)strcspn(text, " \t"), text);
	struct fx_error *err = cmd_hint_word(err_taken, key);

	return fx_error_hint_text(err) ? err
				       : fx_error_hint(err, "show lists them");
}

static FX_NODISCARD struct fx_error *
unknown_setting(const char *text, bool ambiguous)
{
	struct fx_nearest nearest;
	FX_AUTO_BUF struct fx_buf names = { 0 };
	FX_AUTO_FREE char *name_only = without_value(text);
	size_t i;

	text = name_only;
	fx_nearest_init(&nearest, text);
	for (i = 0; i < FX_SET_COUNT; i++) {
		const char *name = fx_settings_info(i)->name;

		if (!ambiguous)
			fx_nearest_offer(&nearest, name);
		else if (fx_str_starts(name, text))
			fx_buf_addf(&names, "%s%s", names.length ? ", " : "",
				name);
	}
	if (ambiguous)
		return fx_error_new(FX_ERR_AMBIGUOUS,
			"setting \"%s\" is ambiguous: %s", text,
			fx_buf_text(&names));
	fx_nearest_print(&nearest, &names);
	return hint_setting(fx_error_new(FX_ERR_SETTING,
				    "no setting \"%s\"%s%s", text,
				    names.length ? "; nearest: " : "",
				    fx_buf_text(&names)),
		text);
}

struct fx_error *
cmd_find_setting(const char *text, int *index_ret, const char **rest_ret)
{
	*index_ret = fx_settings_match(text, rest_ret);
	if (*index_ret >= 0)
		return NULL;
	return unknown_setting(text, *index_ret == -2);
}

/* "x = 3": what somebody meant who names no setting. */
static FX_NODISCARD struct fx_error *
hint_assignment(struct cmd_ctx *ctx, const char *text,
	struct fx_error *err_taken)
{
	struct fx_graph *graph =
		ctx->model ? fx_position_graph(ctx->model) : NULL;
	FX_AUTO_FREE char *name = NULL;
	FX_AUTO_FREE char *owner = NULL;
	size_t length;

	/* gdb's `set var`. */
	if (fx_str_starts(text, "var "))
		text += strcspn(text, " ") + strspn(text + 3, " ");
	text += *text == '%';
	length = strcspn(text, " \t=");
	name = fx_xstrndup(text, length);
	if (text[length + strspn(text + length, " \t")] != '=')
		return err_taken;
	if (graph && (fx_graph_find(graph, name) ||
			     fx_module_find_tensor(graph->module, name)))
		return fx_error_hint(err_taken,
			"set value %s = EXPRESSION decides what it is", name);
	/* A part of what a node gives. */
	owner = fx_xstrndup(name, strcspn(name, ".["));
	if (graph && fx_graph_find(graph, owner))
		return fx_error_hint(err_taken,
			"set value %s = EXPRESSION decides what it is", owner);
	return fx_error_hint(err_taken,
		"set $%s = EXPRESSION makes a variable; show lists settings",
		name);
}

/* `set print pretty on`: what was taken for a value is another setting's name.
 */
static FX_NODISCARD struct fx_error *
hint_setting_value(struct fx_error *err_taken, const char *text,
	const char *value)
{
	FX_AUTO_FREE char *key =
		fx_xasprintf("set %.*s %.*s", (int)strcspn(text, " \t"), text,
			(int)strcspn(value, " \t"), value);

	return cmd_hint_word(err_taken, key);
}

static FX_NODISCARD struct fx_error *
set_setting(struct cmd_ctx *ctx, const char *text)
{
	const char *rest;
	struct fx_error *err;
	FX_AUTO_FREE char *value = NULL;
	size_t length;
	int index;

	err = cmd_find_setting(text, &index, &rest);
	if (err && fx_error_code(err) == FX_ERR_SETTING)
		return hint_assignment(ctx, text, err);
	if (err)
		return err;
	rest += strspn(rest, " \t");
	if (*rest == '=')
		rest += 1 + strspn(rest + 1, " \t");
	length = strlen(rest);
	if (length > 1 && strchr("\"'", *rest) && rest[length - 1] == *rest) {
		rest++;
		length -= 2;
	}
	value = fx_xstrndup(rest, length);
	if (!length && fx_settings_info((size_t)index)->type == FX_SETTING_BOOL)
		return fx_settings_set(fx_session_settings(ctx->session), index,
			"on");
	err = fx_settings_set(fx_session_settings(ctx->session), index, value);
	return err ? hint_setting_value(err, text, value) : NULL;
}

/* Whether TEXT begins with WORD; *REST_RET is behind it. */
static bool
takes_word(const char *text, const char *word, const char **rest_ret)
{
	size_t length = strlen(word);

	if (strncmp(text, word, length) != 0 ||
		(text[length] != ' ' && text[length] != '\t'))
		return false;
	*rest_ret = text + length + strspn(text + length, " \t");
	return true;
}

struct fx_error *
cmd_set_exec(struct cmd_ctx *ctx)
{
	const char *text = cmd_arg_text(ctx, "what");
	const char *rest;

	if (!text)
		return cmd_say_settings(ctx);
	if (takes_word(text, "value", &rest))
		return cmd_set_value(ctx, rest);
	if (!strcmp(text, "value"))
		return fx_error_hint(fx_error_new(FX_ERR_SYNTAX,
					     "set value: expected PLACE = "
					     "EXPRESSION"),
			"set value relu = relu * 0");
	if (!strcmp(text, "module"))
		return fx_error_hint(fx_error_new(FX_ERR_SYNTAX,
					     "set module: expected PATH = "
					     "nn.X(...)"),
			"set module layer1.0.relu = nn.GELU()");
	if (takes_word(text, "module", &rest))
		return cmd_set_module(ctx, rest);
	if (*text == '$')
		return set_variable(ctx, text);
	if (strchr("%@.", *text))
		return cmd_set_field(ctx, text);
	return set_setting(ctx, text);
}
