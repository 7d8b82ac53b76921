/* grp_help.c - help and apropos. */
#include <config.h>

#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "commands/learn/help.h"
#include "commands/out/out.h"
#include "commands/shell/groups.h"
#include "commands/shell/shell.h"
#include "run/eval.h"

/* help COMMAND. */

static void
say_flags(struct out *out, const struct cmd_entry *entry)
{
	static const char *const keys[] = { "argument", "meaning" };
	size_t i;

	out_table_begin(out, "arguments", FX_ARRAY_LEN(keys), keys);
	for (i = 0; i < FX_ARRAY_LEN(entry->args) && entry->args[i].name; i++) {
		out_cell(out, FX_ROLE_KEYWORD, "%s", entry->args[i].name);
		out_cell(out, FX_ROLE_PLAIN, "%s", entry->args[i].help);
	}
	for (i = 0; i < FX_ARRAY_LEN(entry->flags) && entry->flags[i].name;
		i++) {
		FX_AUTO_BUF struct fx_buf usage = { 0 };

		cmd_flag_usage(&usage, &entry->flags[i]);
		out_cell(out, FX_ROLE_KEYWORD, "%s", fx_buf_text(&usage));
		out_cell(out, FX_ROLE_PLAIN, "%s", entry->flags[i].help);
	}
	out_table_end(out);
}

static void
say_examples(struct out *out, const struct cmd_entry *entry)
{
	static const char *const keys[] = { "example", "shows" };
	size_t i;

	out_table_begin(out, "examples", FX_ARRAY_LEN(keys), keys);
	for (i = 0;
		i < FX_ARRAY_LEN(entry->examples) && entry->examples[i].line;
		i++) {
		out_cell(out, FX_ROLE_STRING, "%s", entry->examples[i].line);
		out_cell(out, FX_ROLE_PLAIN, "%s", entry->examples[i].says);
	}
	out_table_end(out);
}

static void
say_entry(struct out *out, const struct cmd_entry *entry)
{
	FX_AUTO_BUF struct fx_buf usage = { 0 };

	out_piece(out, FX_ROLE_HEAD, "%s", entry->name);
	if (entry->aliases)
		out_piece(out, FX_ROLE_HEAD, " (%s)", entry->aliases);
	out_piece(out, FX_ROLE_PLAIN, ": %s", entry->summary);
	out_line_end(out);
	cmd_usage(&usage, entry);
	out_line(out, FX_ROLE_KEYWORD, "  %s", fx_buf_text(&usage));
	out_line(out, FX_ROLE_PLAIN, "%s", "");
	cmd_say_wrapped(out, entry->help, 0);
	if (entry->args[0].name || entry->flags[0].name) {
		out_line(out, FX_ROLE_PLAIN, "%s", "");
		say_flags(out, entry);
	}
	if (entry->examples[0].line) {
		out_line(out, FX_ROLE_PLAIN, "%s", "");
		say_examples(out, entry);
	}
}

/* help alone, help GROUP. */

static void
say_group(struct out *out, size_t index)
{
	static const char *const keys[] = { "name", "summary" };
	const struct cmd_entry *entry = cmd_group_entries(index);
	FX_AUTO_FREE char *name = fx_xstrdup(cmd_group_title(index));

	out_line(out, FX_ROLE_HEAD, "%s", name);
	out_table_begin(out, "commands", FX_ARRAY_LEN(keys), keys);
	for (; entry->name; entry++) {
		if (entry->aliases)
			out_cell(out, FX_ROLE_KEYWORD, "%s (%s)", entry->name,
				entry->aliases);
		else
			out_cell(out, FX_ROLE_KEYWORD, "%s", entry->name);
		out_cell(out, FX_ROLE_PLAIN, "%s", entry->summary);
	}
	out_table_end(out);
}

/* Every command once more as a row, for programs. */
static void
say_index(struct out *out)
{
	static const char *const keys[] = { "~name", "~aliases", "~summary",
		"~group" };
	const struct cmd_entry *entry;
	const char *title;
	size_t i;

	out_table_begin(out, "commands", FX_ARRAY_LEN(keys), keys);
	for (i = 0; (title = cmd_group_title(i)); i++)
		for (entry = cmd_group_entries(i); entry->name; entry++) {
			out_cell(out, FX_ROLE_KEYWORD, "%s", entry->name);
			out_cell(out, FX_ROLE_KEYWORD, "%s",
				entry->aliases ? entry->aliases : "");
			out_cell(out, FX_ROLE_PLAIN, "%s", entry->summary);
			out_cell(out, FX_ROLE_HEAD, "%s", title);
		}
	out_table_end(out);
}

static const struct {
	const char *command;
	const char *word;
} everyday[] = {
#define CMD_EVERYDAY(command, word) { command, word },
#include "commands/learn/everyday.def"
};

/* help alone: those of every day, two a line. */
static void
say_everyday(struct out *out)
{
	size_t half = FX_ARRAY_LEN(everyday) / 2;

	for (size_t i = 0; i < half; i++) {
		for (size_t k = i; k < FX_ARRAY_LEN(everyday); k += half) {
			out_piece(out, FX_ROLE_KEYWORD, "%s%-13s",
				k == i ? "" : "  ", everyday[k].command);
			out_piece(out, FX_ROLE_PLAIN, k == i ? "%-21s" : "%s",
				everyday[k].word);
		}
		out_line_end(out);
	}
	say_index(out);
	cmd_say_wrapped(out,
		"\nhelp all lists every command; help COMMAND or COMMAND? "
		"shows "
		"one with examples, help concepts the words, apropos WORD "
		"searches, tutorial is a lesson. Any unambiguous prefix of a "
		"name works.",
		0);
}

/* help all. */
static void
say_all(struct cmd_ctx *ctx)
{
	struct out *out = ctx->out;
	const struct cmd_entry *entry;
	const char *title;
	size_t i;

	for (i = 0; (title = cmd_group_title(i)); i++) {
		FX_AUTO_BUF struct fx_buf names = { 0 };

		for (entry = cmd_group_entries(i); entry->name; entry++)
			fx_buf_addf(&names, "%s%s", names.length ? " " : "",
				entry->name);
		out_line(out, FX_ROLE_HEAD, "%s", title);
		cmd_say_wrapped(out, fx_buf_text(&names), 4);
	}
	say_index(out);
}

/* help functions, settings, errors. */

/* All, or the one called NAME. */
static void
say_function(struct cmd_ctx *ctx, const char *name)
{
	static const char *const keys[] = { "function", "gives" };
	struct fx_function_info info;
	struct out *out = ctx->out;
	size_t i;

	out_table_begin(out, "functions", FX_ARRAY_LEN(keys), keys);
	for (i = 0; fx_eval_function_at(i, &info); i++) {
		if (name && strcmp(name, info.name) != 0)
			continue;
		out_cell(out, FX_ROLE_KEYWORD, "%s", info.signature);
		out_cell(out, FX_ROLE_PLAIN, "%s", info.help);
	}
	out_table_end(out);
}

static void
say_functions(struct cmd_ctx *ctx)
{
	const char *word = cmd_arg_text_at(ctx, "topic", 1);
	struct fx_function_info info;
	bool is_near = word && fx_eval_function_near(word, &info);

	say_function(ctx, is_near ? info.name : NULL);
}

static void
say_errors(struct cmd_ctx *ctx)
{
	static const char *const keys[] = { "error", "means" };
	const char *word = cmd_arg_text_at(ctx, "topic", 1);
	struct out *out = ctx->out;
	int i;

	out_table_begin(out, "errors", FX_ARRAY_LEN(keys), keys);
	for (i = 0; i < FX_ERR_COUNT; i++) {
		if (word && strcmp(word, fx_error_word(i)) != 0)
			continue;
		out_cell(out, FX_ROLE_KEYWORD, "%s", fx_error_word(i));
		out_cell(out, FX_ROLE_PLAIN, "%s", fx_error_summary(i));
	}
	out_table_end(out);
}

static void
say_settings(struct cmd_ctx *ctx)
{
	fx_error_free(cmd_say_settings(ctx));
}

/* Pages that are tables. */
static const struct {
	const char *word;
	void (*say)(struct cmd_ctx *ctx);
} topics[] = {
	{ "all", say_all },
	{ "functions", say_functions },
	{ "settings", say_settings },
	{ "errors", say_errors },
	{ "error", say_errors },
};

const char *
cmd_topic_at(size_t index)
{
	return index < FX_ARRAY_LEN(topics) ? topics[index].word : NULL;
}

/* Pages that name others. */
static void say_concepts(struct out *out, const struct cmd_help_topic *page);
static void say_pages(struct out *out, const struct cmd_help_topic *page);

static const struct {
	const char *word;
	void (*say)(struct out *out, const struct cmd_help_topic *page);
} lists[] = {
	{ "concepts", say_concepts },
	{ "pages", say_pages },
};

static void
say_concept(struct out *out, const struct cmd_help_topic *concept)
{
	out_piece(out, FX_ROLE_HEAD, "%s", concept->word);
	out_piece(out, FX_ROLE_PLAIN, ": %s", concept->summary);
	out_line_end(out);
	if (!concept->is_word)
		out_line(out, FX_ROLE_PLAIN, "%s", "");
	cmd_say_wrapped(out, concept->text, 0);
}

static bool
is_list(const char *word)
{
	for (size_t i = 0; i < FX_ARRAY_LEN(lists); i++)
		if (!strcmp(lists[i].word, word))
			return true;
	return false;
}

/* help pages: every concept that is neither a word nor a list of others, and
 * the pages that are tables.
 */
static void
say_pages(struct out *out, const struct cmd_help_topic *page)
{
	FX_AUTO_BUF struct fx_buf names = { 0 };
	struct cmd_help_topic concept;

	for (size_t i = 0; cmd_help_topic_at(i, &concept); i++)
		if (!concept.is_word && !is_list(concept.word))
			fx_buf_addf(&names, "%s%s",
				names.length ? ", " : "help ", concept.word);
	for (size_t i = 0; i < FX_ARRAY_LEN(topics); i++)
		if (!i || topics[i].say != topics[i - 1].say)
			fx_buf_addf(&names, ", %s", topics[i].word);
	fx_buf_addf(&names, ".  %s", page->text);
	concept = *page;
	concept.text = fx_buf_text(&names);
	say_concept(out, &concept);
}

/* All the words, between what begins the page and where to go on. */
static void
say_concepts(struct out *out, const struct cmd_help_topic *page)
{
	struct cmd_help_topic concept;

	say_concept(out, page);
	for (size_t i = 0; cmd_help_topic_at(i, &concept); i++) {
		if (!concept.is_word)
			continue;
		out_line(out, FX_ROLE_PLAIN, "%s", "");
		say_concept(out, &concept);
	}
	if (!cmd_help_topic_find("pages", &concept))
		return;
	out_line(out, FX_ROLE_PLAIN, "%s", "");
	say_pages(out, &concept);
}

/* Print the concept called TOPIC, if there is one, below the help of the
 * command of the same name.
 */
static void
say_word(struct out *out, const char *topic)
{
	struct cmd_help_topic concept;

	if (!cmd_help_topic_find(topic, &concept) || !concept.is_word ||
		strlen(topic) != strlen(concept.word))
		return;
	out_line(out, FX_ROLE_PLAIN, "%s", "");
	say_concept(out, &concept);
}

/* Words that are no commands; true when TOPIC was one. */
static bool
say_topic(struct cmd_ctx *ctx, const char *topic)
{
	struct cmd_help_topic concept;
	size_t i;

	for (i = 0; i < FX_ARRAY_LEN(lists); i++)
		if (!strcmp(lists[i].word, topic) &&
			cmd_help_topic_find(topic, &concept)) {
			lists[i].say(ctx->out, &concept);
			return true;
		}
	if (cmd_help_topic_find(topic, &concept)) {
		say_concept(ctx->out, &concept);
		return true;
	}
	for (i = 0; i < FX_ARRAY_LEN(topics); i++)
		if (!strcmp(topic, topics[i].word)) {
			topics[i].say(ctx);
			return true;
		}
	for (i = 0; cmd_group_title(i); i++) {
		if (!strncasecmp(cmd_group_title(i), topic, strlen(topic)) &&
			strlen(topic) > 3) {
			say_group(ctx->out, i);
			return true;
		}
	}
	return false;
}

static void
say_user(struct out *out, const struct cmd_user *user)
{
	out_line(out, FX_ROLE_HEAD, "%s: a command of yours", user->name);
	if (user->document)
		cmd_say_wrapped(out, user->document, 0);
	cmd_say_wrapped(out, user->body, 2);
}

static struct fx_error *
document(struct cmd_ctx *ctx, void (*write)(struct fx_buf *))
{
	FX_AUTO_BUF struct fx_buf text = { 0 };

	write(&text);
	out_raw(ctx->out, fx_buf_text(&text), text.length);
	return NULL;
}

/* No page has that name: the function that has, or the pages that speak of it.
 * ERR when none does.
 */
static FX_NODISCARD struct fx_error *
say_about(struct cmd_ctx *ctx, const char *topic, struct fx_error *err)
{
	FX_AUTO_FREE char *heading =
		fx_xasprintf("No page is called \"%s\"; these speak of it:",
			topic);
	struct fx_function_info info;

	if (fx_eval_function_near(topic, &info)) {
		fx_error_free(err);
		say_function(ctx, info.name);
		return NULL;
	}
	if (fx_error_hint_text(err))
		return err;
	if (fx_error_code(err) != FX_ERR_UNKNOWN_COMMAND ||
		!cmd_say_about(ctx, "topic", heading))
		return fx_error_hint(err, "apropos %s", topic);
	fx_error_free(err);
	return NULL;
}

struct fx_error *
cmd_help_exec(struct cmd_ctx *ctx)
{
	const char *topic = cmd_arg_text(ctx, "topic");
	const struct cmd_entry *entry;
	struct cmd_user *user;
	struct cmd_alias *alias;
	struct fx_error *err;

	if (cmd_flag(ctx, "markdown"))
		return document(ctx, cmd_document_markdown);
	if (cmd_flag(ctx, "man"))
		return document(ctx, cmd_document_man);
	if (cmd_flag(ctx, "json-tables"))
		return document(ctx, cmd_document_json);
	if (!topic) {
		say_everyday(ctx->out);
		return NULL;
	}
	user = cmd_shell_find_user(ctx->shell, topic);
	alias = cmd_shell_find_alias(ctx->shell, topic);
	if (user) {
		say_user(ctx->out, user);
		return NULL;
	}
	if (alias) {
		out_line(ctx->out, FX_ROLE_PLAIN, "%s is short for %s",
			alias->name, alias->expansion);
		return NULL;
	}
	if (!cmd_table_find(topic) && say_topic(ctx, topic))
		return NULL;
	err = cmd_lookup(ctx->shell, topic, &entry);
	if (err)
		return say_about(ctx, topic, err);
	say_entry(ctx->out, entry);
	say_word(ctx->out, topic);
	return NULL;
}

struct fx_error *
cmd_apropos_exec(struct cmd_ctx *ctx)
{
	if (!cmd_say_about(ctx, "words", NULL))
		out_line(ctx->out, FX_ROLE_PLAIN, "Nothing is about that.");
	return NULL;
}

const struct cmd_entry cmd_group_help[] = {
	{
		.name = "help",
		.aliases = "h",
		.summary = "show help",
		.help = "Without a topic all commands; with one a command, a "
			"group or an idea: help concepts explains the words, "
			"help "
			"functions, settings and errors those.",
		.synonyms = "manual usage documentation how keyboard",
		.args = { { "topic", CMD_ARG_COMMAND,
			CMD_OPTIONAL | CMD_REPEATED, "about what", NULL } },
		.flags = { { "markdown", 0, CMD_ARG_END,
				   "the text of doc/commands.md" },
			{ "man", 0, CMD_ARG_END, "the manual page" },
			{ "json-tables", 0, CMD_ARG_END,
				"the text of doc/json.md" } },
		.examples = { { "help break", "one command" },
			{ "help query", "an idea" } },
		.needs = CMD_ASIDE,
		.exec = cmd_help_exec,
	},
	{
		.name = "apropos",
		.summary = "search the help",
		.help = "Lists commands, ideas and settings about all of the "
			"words.",
		.synonyms = "find search which command",
		.args = { { "words", CMD_ARG_WORD, CMD_REPEATED,
			"what it is about", NULL } },
		.examples = { { "apropos go back", "what goes back" } },
		.needs = CMD_ASIDE,
		.exec = cmd_apropos_exec,
	},
	{ .name = NULL },
};
