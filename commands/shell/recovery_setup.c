/* recovery_setup.c - what stands beside the graphs of a session, as commands:
 * written, and looked at before they run.
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "commands/shell/groups.h"
#include "commands/shell/line.h"
#include "commands/shell/recovery.h"
#include "ir/graph.h"
#include "session/breakpoint.h"
#include "session/display.h"
#include "session/model.h"
#include "session/nested.h"
#include "session/position.h"
#include "session/session.h"
#include "session/settings.h"

static void
add_settings(struct fx_buf *text, const struct fx_settings *settings)
{
	for (size_t i = 0; i < FX_SET_COUNT; i++) {
		const struct fx_setting_info *info = fx_settings_info(i);
		const char *value = fx_settings_text(settings, (int)i);

		if (!fx_str_equal(value, info->initial))
			fx_buf_addf(text, "set %s %s\n", info->name, value);
	}
}

static void
add_seed(struct fx_buf *text, uint64_t seed, uint64_t *now)
{
	if (seed != *now)
		fx_buf_addf(text, "seed %llu\n", (unsigned long long)seed);
	*now = seed;
}

/* Each behind the seed that it follows from; *SEED is that of now. */
static void
add_inputs(struct fx_buf *text, const struct fx_model *model, uint64_t *seed)
{
	const struct fx_node *node;

	fx_graph_for_each_node (node, fx_model_graph(model)) {
		const struct fx_input_given *given =
			fx_model_input_given(model, node);

		if (!given)
			continue;
		add_seed(text, given->seed, seed);
		fx_buf_addf(text, "input %s = %s\n", given->name, given->text);
	}
}

/* The nodes of GRAPH that are tagged, as a set; returns whether there are any.
 */
static bool
add_tagged(struct fx_buf *text, const struct fx_model *model,
	const struct fx_graph *graph)
{
	const struct fx_node *node;
	bool has_some = false;

	fx_graph_for_each_node (node, graph) {
		if (!fx_model_is_tagged(model, node->id))
			continue;
		fx_buf_addf(text, "%sname=%s", has_some ? " or " : "tag {",
			node->name);
		has_some = true;
	}
	if (has_some)
		fx_buf_add(text, "}\n");
	return has_some;
}

/* Those of nested graphs within these; the graph itself is the one that is
 * meant afterwards.
 */
static void
add_tags(struct fx_buf *text, const struct fx_model *model)
{
	struct fx_nested_graphs graphs;

	add_tagged(text, model, fx_model_graph(model));
	fx_model_nested(model, &graphs);
	for (size_t i = 0; i < graphs.count; i++) {
		FX_AUTO_BUF struct fx_buf tags = { 0 };

		if (add_tagged(&tags, model, graphs.items[i]))
			fx_buf_addf(text, "graph /%s\n%sgraph /\n",
				fx_model_graph_path(model, graphs.items[i]),
				fx_buf_text(&tags));
	}
	fx_vec_deinit(&graphs);
}

static void
add_displays(struct fx_buf *text, const struct fx_session *session)
{
	const char *expression;
	const char *format;
	int number;

	for (size_t i = 0;
		fx_display_at(session, i, &number, &expression, &format); i++)
		fx_buf_addf(text, "display%s%s %s\n",
			format && *format ? "/" : "", format ? format : "",
			expression);
}

/* What follows is about MODEL, one of COUNT, and so are names from now on. */
static void
add_graph(struct fx_buf *text, const struct fx_model *model, size_t count,
	const struct fx_model **now)
{
	if (count > 1 && model != *now)
		fx_buf_addf(text, "graph %s\n", fx_model_name(model));
	*now = model;
}

/* Return commands, which the caller frees, that restore what is not in the
 * graphs: settings, inputs, tags, breakpoints, skips, displays and the seed.
 */
char *
cmd_recovery_setup(struct fx_session *session, struct fx_model *const *models,
	size_t count, struct cmd_kept_values *values)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };
	struct fx_model *current = fx_session_model(session);
	const struct fx_model *now = NULL;
	uint64_t seed = 0;

	add_settings(&text, fx_session_settings(session));
	for (size_t i = 0; i < count; i++) {
		FX_AUTO_BUF struct fx_buf own = { 0 };

		add_inputs(&own, models[i], &seed);
		cmd_kept_values_add(values, models[i], &own);
		add_tags(&own, models[i]);
		if (own.length)
			add_graph(&text, models[i], count, &now);
		fx_buf_add_n(&text, fx_buf_text(&own), own.length);
	}
	if (current)
		add_graph(&text, current, count, &now);
	cmd_add_breakpoints(&text, session);
	cmd_add_skips(&text, session);
	add_displays(&text, session);
	add_seed(&text, fx_session_seed(session), &seed);
	return fx_buf_take(&text);
}

/* --- reading -------------------------------------------------------------- */

/* A setting that the person has, but not whom files may trust. */
static bool
is_setting(const char *line)
{
	for (size_t i = 0; i < FX_SET_COUNT; i++) {
		FX_AUTO_FREE char *start =
			fx_xasprintf("set %s ", fx_settings_info(i)->name);

		if (fx_str_starts(line, start))
			return i != FX_SET_TRUST_FILES;
	}
	return false;
}

/* Whether LINE is of the kinds that are written here. */
static bool
is_recorded(const char *line)
{
	static const char *const starts[] = { "# ", "input ", "set value %",
		"seed ", "tag {", "break ", "tbreak ", "watch ", "catch ",
		"tcatch ", "dprintf ", "condition $bpnum ", "ignore $bpnum ",
		"enable count ", "enable delete $bpnum", "disable $bpnum",
		"skip ", "display ", "display/" };

	for (size_t i = 0; i < FX_ARRAY_LEN(starts); i++)
		if (fx_str_starts(line, starts[i]))
			return true;
	/* One word: neither copy nor drop. */
	return is_setting(line) || cmd_line_is(line, "commands") ||
	       (fx_str_starts(line, "graph ") && !strchr(line + 6, ' '));
}

/* Whether LINE, of those that a breakpoint runs, looks at things or goes on:
 * who edits a journal must not decide what runs later, with nobody typing it.
 */
static bool
is_harmless(const char *line)
{
	FX_AUTO_FREE char *word = NULL;
	const struct cmd_entry *entry;

	line += strspn(line, " \t");
	/* No program and no file: print x | less, -o FILE. */
	if (strchr(line, '|') || strstr(line, " -o") || strstr(line, " --o"))
		return false;
	if (!*line || *line == '#' || cmd_line_is(line, "silent") ||
		cmd_line_is(line, "end") || fx_str_starts(line, "set value "))
		return true;
	word = fx_xstrndup(line, strcspn(line, " \t/"));
	entry = cmd_table_find(word);
	return entry && entry->needs & CMD_LOOKS;
}

/* Whether the block at LINES, behind the line that opens it, holds harmless
 * lines only.
 */
static bool
is_block_harmless(const char *lines)
{
	bool is_end = false;

	while (*lines && !is_end) {
		size_t length = strcspn(lines, "\n");
		FX_AUTO_FREE char *line = fx_xstrndup(lines, length);

		lines += length + (lines[length] == '\n');
		is_end = cmd_line_is(line, "end");
		if (!is_harmless(line))
			return false;
	}
	return true;
}

char *
cmd_recovery_check(const char *setup, struct fx_buf *refused)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };
	struct fx_buf *target = &text;
	int depth = 0;

	while (*setup) {
		size_t length = strcspn(setup, "\n");
		FX_AUTO_FREE char *line = fx_xstrndup(setup, length);

		setup += length + (setup[length] == '\n');
		/* A block goes where its first line goes, which names it. */
		if (!depth)
			target = is_recorded(line) &&
						 (!cmd_line_opens_block(line) ||
							 is_block_harmless(
								 setup))
					 ? &text
					 : refused;
		if (*line && (!depth || target == &text))
			fx_buf_addf(target, "%s\n", line);
		if (cmd_line_opens_block(line))
			depth++;
		else if (depth && cmd_line_is(line, "end"))
			depth--;
	}
	return fx_buf_take(&text);
}
