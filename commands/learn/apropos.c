/* apropos.c - searching what the tables say, for apropos and for help on
 * a word that has no page.
 *
 * Every word must begin a word of what is said about a thing.
 */
#include <config.h>

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "commands/learn/help.h"
#include "commands/out/out.h"
#include "pass/engine.h"
#include "run/eval.h"
#include "session/settings.h"

static bool
holds(const char *text, const char *word)
{
	size_t length = strlen(word);
	const char *at;

	for (at = text; at && *at; at++)
		if (!strncasecmp(at, word, length) &&
			(at == text || !isalnum((unsigned char)at[-1])))
			return true;
	return false;
}

/* Words that say nothing about what is looked for. */
static bool
is_small(const char *word)
{
	static const char *const small[] = { "a", "an", "the", "at", "of", "to",
		"in", "is", "my", "i", "how", "do", "does", "can", "what",
		"which", "it" };

	for (size_t i = 0; i < FX_ARRAY_LEN(small); i++)
		if (!strcasecmp(small[i], word))
			return true;
	return false;
}

/* The words: the argument ARG of the command that runs. */
struct sought {
	struct cmd_ctx *ctx;
	const char *arg;
	bool counts; /* nothing is said */
};

/* The texts of one command, setting or topic.  A word found in NAMES counts
 * before a word found in TEXT.
 */
struct about {
	const char *name;
	const char *summary;
	const char *names[4];
	const char *text;
};

static size_t
count_held(const struct sought *sought, const struct about *about, bool by_text)
{
	size_t count = cmd_arg_count(sought->ctx, sought->arg);
	size_t held = 0;

	for (size_t i = 0; i < count; i++) {
		const char *word = cmd_arg_text_at(sought->ctx, sought->arg, i);
		bool found =
			is_small(word) || (by_text && holds(about->text, word));

		for (size_t k = 0; !found && k < FX_ARRAY_LEN(about->names);
			k++)
			found = holds(about->names[k], word);
		held += found;
	}
	return held;
}

static size_t
count_small(const struct sought *sought)
{
	size_t count = cmd_arg_count(sought->ctx, sought->arg);
	size_t small = 0;

	for (size_t i = 0; i < count; i++)
		small += is_small(cmd_arg_text_at(sought->ctx, sought->arg, i));
	return small;
}

/* How well a thing is matched, best last. */
enum match {
	MATCH_NONE,
	MATCH_PART, /* some of the words */
	MATCH_TEXT,
	MATCH_NAME,
};

static enum match
match_of(const struct sought *sought, const struct about *about)
{
	size_t count = cmd_arg_count(sought->ctx, sought->arg);

	if (count == count_small(sought))
		return MATCH_NONE;
	if (count_held(sought, about, false) == count)
		return MATCH_NAME;
	if (count_held(sought, about, true) == count)
		return MATCH_TEXT;
	return count_held(sought, about, false) > count_small(sought)
		       ? MATCH_PART
		       : MATCH_NONE;
}

/* Print one row for ABOUT if the search matches it in the way WANTED.  Returns
 * how many rows that makes, 0 or 1.
 */
static size_t
say_match(const struct sought *sought, const struct about *about,
	enum match wanted)
{
	if (match_of(sought, about) != wanted)
		return 0;
	if (sought->counts)
		return 1;
	out_cell(sought->ctx->out, FX_ROLE_KEYWORD, "%s", about->name);
	out_cell(sought->ctx->out, FX_ROLE_PLAIN, "%s", about->summary);
	return 1;
}

static size_t
say_commands(const struct sought *sought, enum match wanted)
{
	const struct cmd_entry *entry;
	size_t found = 0;

	for (size_t i = 0; (entry = cmd_table_at(i)); i++) {
		struct about about = { entry->name, entry->summary,
			{ entry->name, entry->aliases, entry->summary,
				entry->synonyms },
			entry->help };

		found += say_match(sought, &about, wanted);
	}
	return found;
}

static size_t
say_pages(const struct sought *sought, enum match wanted)
{
	struct cmd_help_topic concept;
	size_t found = 0;

	for (size_t i = 0; cmd_help_topic_at(i, &concept); i++) {
		FX_AUTO_FREE char *name = fx_xasprintf("help %s", concept.word);
		struct about about = { name, concept.summary,
			{ concept.word, concept.summary }, concept.text };

		found += say_match(sought, &about, wanted);
	}
	return found;
}

static size_t
say_settings(const struct sought *sought, enum match wanted)
{
	size_t found = 0;

	for (size_t i = 0; i < FX_SET_COUNT; i++) {
		const struct fx_setting_info *info = fx_settings_info(i);
		FX_AUTO_FREE char *name = fx_xasprintf("set %s", info->name);
		struct about about = { name, info->help,
			{ info->name, info->help }, NULL };

		found += say_match(sought, &about, wanted);
	}
	return found;
}

static size_t
say_subjects(const struct sought *sought, enum match wanted)
{
	const struct cmd_subject *subject;
	size_t found = 0;

	for (size_t i = 0; (subject = cmd_subject_at(i)); i++) {
		FX_AUTO_FREE char *name =
			fx_xasprintf("info %s", subject->word);
		struct about about = { name, subject->help,
			{ subject->word, subject->help }, NULL };

		found += say_match(sought, &about, wanted);
	}
	return found;
}

/* What stands on the command line of the program. */
static size_t
say_options(const struct sought *sought, enum match wanted)
{
	static const char *const options[][2] = {
#define CMD_OPTION(option, text) { "fxdb " option, text },
#include "commands/learn/options.def"
	};
	size_t found = 0;

	for (size_t i = 0; i < FX_ARRAY_LEN(options); i++) {
		struct about about = { options[i][0], options[i][1],
			{ options[i][0] + strlen("fxdb "), options[i][1] },
			NULL };

		found += say_match(sought, &about, wanted);
	}
	return found;
}

/* Passes, which `pass list` tells of. */
static size_t
say_passes(const struct sought *sought, enum match wanted)
{
	const struct fx_pass *pass;
	size_t found = 0;

	for (size_t i = 0; (pass = fx_pass_at(i)); i++) {
		FX_AUTO_FREE char *name =
			fx_xasprintf("pass list %s", pass->name);
		struct about about = { name, pass->summary,
			{ pass->name, pass->summary }, NULL };

		found += say_match(sought, &about, wanted);
	}
	return found;
}

/* Of the language, which stand on a page of their own. */
static size_t
say_functions(const struct sought *sought, enum match wanted)
{
	struct fx_function_info info;
	size_t found = 0;

	for (size_t i = 0; fx_eval_function_at(i, &info); i++) {
		struct about about = { info.signature, info.help, { info.name },
			info.help };

		found += say_match(sought, &about, wanted);
	}
	return found;
}

static size_t
say_matches(const struct sought *sought, enum match wanted)
{
	return say_commands(sought, wanted) + say_subjects(sought, wanted) +
	       say_passes(sought, wanted) + say_pages(sought, wanted) +
	       say_settings(sought, wanted) + say_options(sought, wanted) +
	       say_functions(sought, wanted);
}

/* Names before texts; parts only if nothing is about all of the words. */
static size_t
say_best(const struct sought *sought)
{
	size_t found = say_matches(sought, MATCH_NAME) +
		       say_matches(sought, MATCH_TEXT);

	if (!found && cmd_arg_count(sought->ctx, sought->arg) > 1)
		found = say_matches(sought, MATCH_PART);
	return found;
}

size_t
cmd_say_about(struct cmd_ctx *ctx, const char *arg, const char *heading)
{
	static const char *const keys[] = { "name", "does" };
	struct sought sought = { ctx, arg, true };
	size_t found = say_best(&sought);

	sought.counts = false;
	/* A topic that nothing is about is an error, and no empty answer. */
	if (!found && heading)
		return 0;
	if (heading)
		out_line(ctx->out, FX_ROLE_PLAIN, "%s", heading);
	out_table_begin(ctx->out, "matches", FX_ARRAY_LEN(keys), keys);
	say_best(&sought);
	out_table_end(ctx->out);
	return found;
}
