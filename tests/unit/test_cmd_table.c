/* test_cmd_table.c - the table of commands: unique, whole, and the documents
 * made from it up to date; and how its cells are written.
 */
#include <config.h>

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "commands/learn/help.h"
#include "commands/learn/lesson.h"
#include "commands/out/out.h"
#include "commands/shell/data_files.h"
#include "commands/shell/groups.h"
#include "commands/shell/line.h"
#include "commands/shell/shell.h"
#include "session/session.h"
#include "tests/support/folder.h"
#include "tests/support/unit.h"

static void
check_sentence(const char *name, const char *text, bool full_stop)
{
	size_t length = text ? strlen(text) : 0;

	if (!length || (text[length - 1] == '.') != full_stop)
		printf("\n  %s: \"%s\"\n", name, text ? text : "");
	FXT_IS_FATAL(length, >, 0);
	FXT_EQ(text[length - 1] == '.', full_stop);
}

static void
every_row_is_whole(void)
{
	const struct cmd_entry *entry;
	size_t i;
	size_t k;

	for (i = 0; (entry = cmd_table_at(i)); i++) {
		check_sentence(entry->name, entry->summary, false);
		CU_ASSERT(islower((unsigned char)entry->summary[0]));
		check_sentence(entry->name, entry->help, true);
		CU_ASSERT_PTR_NOT_NULL(entry->synonyms);
		CU_ASSERT_PTR_NOT_NULL(entry->exec);
		CU_ASSERT_PTR_NOT_NULL(entry->examples[0].line);
		for (k = 0; k < FX_ARRAY_LEN(entry->args); k++)
			if (entry->args[k].name)
				check_sentence(entry->name, entry->args[k].help,
					false);
		for (k = 0; k < FX_ARRAY_LEN(entry->flags); k++)
			if (entry->flags[k].name)
				check_sentence(entry->name,
					entry->flags[k].help, false);
	}
	FXT_IS(i, >, 60);
}

/* A name or short name means one command. */
static void
names_are_unique(void)
{
	const struct cmd_entry *entry;
	const struct cmd_entry *other;
	size_t i;
	size_t k;

	for (i = 0; (entry = cmd_table_at(i)); i++)
		for (k = 0; (other = cmd_table_at(k)); k++) {
			FX_AUTO_FREE char *names = NULL;
			char *name;
			char *rest;

			if (k == i)
				continue;
			names = fx_xasprintf("%s %s", entry->name,
				entry->aliases ? entry->aliases : "");
			for (name = strtok_r(names, " ", &rest); name;
				name = strtok_r(NULL, " ", &rest)) {
				if (cmd_entry_is(other, name))
					printf("\n  %s: %s and %s\n", name,
						entry->name, other->name);
				CU_ASSERT(!cmd_entry_is(other, name));
			}
		}
}

/* Own flags come before the common ones, which must stay reachable. */
static void
flags_of_a_command_are_unique(void)
{
	const struct cmd_entry *entry;
	const struct cmd_flag *a;
	const struct cmd_flag *b;
	size_t i;
	size_t j;
	size_t k;

	for (i = 0; (entry = cmd_table_at(i)); i++)
		for (j = 0; (a = cmd_entry_flag(entry, j)); j++)
			for (k = 0; k < j; k++) {
				b = cmd_entry_flag(entry, k);
				if (!strcmp(a->name, b->name) ||
					(a->letter && a->letter == b->letter))
					printf("\n  %s: %s and %s\n",
						entry->name, a->name, b->name);
				CU_ASSERT(strcmp(a->name, b->name) != 0);
				CU_ASSERT(!a->letter || a->letter != b->letter);
			}
}

/* Each example is a line of its command. */
static void
examples_can_be_read(void)
{
	const struct cmd_entry *entry;
	size_t i;
	size_t k;

	for (i = 0; (entry = cmd_table_at(i)); i++)
		for (k = 0; k < FX_ARRAY_LEN(entry->examples) &&
			    entry->examples[k].line;
			k++) {
			CMD_AUTO_PARSED struct cmd_parsed parsed = { 0 };
			const char *line = entry->examples[k].line;
			FX_AUTO_FREE char *name = NULL;
			struct cmd_head head;

			FXT_OK(cmd_line_head(line, &head));
			name = fx_xstrndup(line + head.name.begin,
				head.name.end - head.name.begin);
			CU_ASSERT(cmd_entry_is(entry,
				head.shortcut ? head.shortcut : name));
			FXT_OK(cmd_line_split(entry, line, head.rest, &parsed));
		}
}

static void
check_document(const char *name, void (*write)(struct fx_buf *))
{
	FX_AUTO_FREE char *relative = fx_xasprintf("doc/%s", name);
	FX_AUTO_FREE char *path = fxt_source(relative);
	FX_AUTO_FREE char *text = NULL;
	FX_AUTO_BUF struct fx_buf now = { 0 };
	struct fx_error *err;
	size_t size;

	err = fx_file_read(path, 0, &text, &size);
	FXT_OK(err);
	if (!text)
		return;
	write(&now);
	if (strcmp(text, fx_buf_text(&now)) != 0)
		printf("\n  doc/%s is out of date: scripts/gen-commands\n",
			name);
	FXT_SAME(text, fx_buf_text(&now));
}

static void
generated_documents_are_up_to_date(void)
{
	check_document("commands.md", cmd_document_markdown);
	check_document("json.md", cmd_document_json);
	check_document("fxdb.1", cmd_document_man);
}

static char **
complete(struct cmd_shell *shell, const char *line, size_t *start)
{
	return cmd_complete(shell, line, strlen(line), start);
}

static bool
offers(struct cmd_shell *shell, const char *line, const char *wanted)
{
	size_t start;
	char **found = complete(shell, line, &start);
	bool has = false;
	size_t i;

	for (i = 0; found[i]; i++) {
		has = has || !strcmp(found[i], wanted);
		free(found[i]);
	}
	free(found);
	return has;
}

static void
completion_offers_only_what_fits_the_place(void)
{
	struct fx_session *session = fx_session_new();
	struct cmd_shell *shell = cmd_shell_new(session);
	FX_AUTO_FREE char *path = fxt_source("doc/examples/mlp.fxg");
	struct fx_model *model;

	FXT_OK(fx_session_load(session, path,
		&(struct fx_opening){ .name = NULL, .line = "load" }, &model,
		NULL));
	/* What begins with a dash is an option, also before an expression. */
	CU_ASSERT(offers(shell, "nodes -", "--max"));
	CU_ASSERT(offers(shell, "nodes -", "-s"));
	CU_ASSERT_FALSE(offers(shell, "nodes -", "fc1"));
	CU_ASSERT_FALSE(offers(shell, "print -", "fc1"));
	CU_ASSERT(offers(shell, "nodes -s us", "users"));
	CU_ASSERT(offers(shell, "nodes -s -by", "bytes"));
	/* Only what fits the place. */
	CU_ASSERT(offers(shell, "goto f", "fc1"));
	CU_ASSERT_FALSE(offers(shell, "goto pl", "placeholder"));
	CU_ASSERT_FALSE(offers(shell, "goto fc1.w", "fc1.weight"));
	CU_ASSERT(offers(shell, "break {op=call_m", "call_module"));
	CU_ASSERT(offers(shell, "set module f", "fc1"));
	CU_ASSERT_FALSE(offers(shell, "set module all", "allclose"));
	CU_ASSERT_FALSE(offers(shell, "set module fc1.w", "fc1.weight"));
	CU_ASSERT(offers(shell, "set value fc1.w", "fc1.weight"));
	/* What a node answers to. */
	CU_ASSERT(offers(shell, "p %fc1.us", "%fc1.users"));
	CU_ASSERT(offers(shell, "p %fc1.sh", "%fc1.shape"));
	/* To the next dot. */
	CU_ASSERT(offers(shell, "p fc", "fc1."));
	CU_ASSERT_FALSE(offers(shell, "p fc", "fc1.weight"));
	CU_ASSERT(offers(shell, "p fc1.", "fc1.weight"));
	CU_ASSERT(offers(shell, "focus va", "values"));
	CU_ASSERT(offers(shell, "demo re", "resnet"));
	CU_ASSERT(offers(shell, "tutorial ag", "again"));
	CU_ASSERT(offers(shell, "tutorial ", "2"));
	CU_ASSERT(offers(shell, "shell cat /et", "/etc/"));
	cmd_shell_free(shell);
	fx_session_free(session);
}

static void
completion_follows_the_types_of_arguments(void)
{
	struct fx_session *session = fx_session_new();
	struct cmd_shell *shell = cmd_shell_new(session);
	FX_AUTO_FREE char *path = fxt_source("doc/examples/mlp.fxg");
	FX_AUTO_FREE char *source =
		fxt_source("tests/transcript/samples/one_model.py");
	FX_AUTO_BUF struct fx_buf line = { 0 };
	FX_AUTO_BUF struct fx_buf spec = { 0 };
	struct fx_model *model;

	fx_buf_addf(&line, "trace %s:", source);
	fx_buf_addf(&spec, "%s:Net", source);
	FXT_OK(fx_session_load(session, path,
		&(struct fx_opening){ .name = NULL, .line = "load" }, &model,
		NULL));
	CU_ASSERT(offers(shell, "", "nodes"));
	CU_ASSERT(offers(shell, "bre", "break"));
	CU_ASSERT(offers(shell, "node f", "fc1"));
	CU_ASSERT(offers(shell, "node %f", "%fc1"));
	CU_ASSERT(offers(shell, "p fc1 + dr", "drop"));
	CU_ASSERT(offers(shell, "p torch.sof", "torch.softmax"));
	CU_ASSERT(offers(shell, "replace act = F.ge", "F.gelu"));
	CU_ASSERT(offers(shell, "insert after act : y = nn.GE", "nn.GELU"));
	CU_ASSERT(offers(shell, "set module act = nn.GE", "nn.GELU"));
	CU_ASSERT(offers(shell, "nodes {op", "op"));
	CU_ASSERT(offers(shell, "insert af", "after"));
	CU_ASSERT(offers(shell, "insert after dr", "drop"));
	CU_ASSERT(offers(shell, "set ", "listsize"));
	CU_ASSERT(offers(shell, "set ", "module"));
	CU_ASSERT(offers(shell, "set va", "value"));
	CU_ASSERT_FALSE(offers(shell, "set ", "fc1"));
	CU_ASSERT_FALSE(offers(shell, "set color ", "value"));
	CU_ASSERT(offers(shell, "unset ", "value"));
	CU_ASSERT(offers(shell, "unset value f", "fc1"));
	CU_ASSERT(offers(shell, "draw -T ", "svg"));
	CU_ASSERT_FALSE(offers(shell, "draw -T ", "fc1"));
	CU_ASSERT(offers(shell, "break ml", "mlp.py:"));
	CU_ASSERT(offers(shell, "break mlp.py:", "mlp.py:14"));
	CU_ASSERT_FALSE(offers(shell, "break mlp.py:", "fc1"));
	CU_ASSERT(offers(shell, fx_buf_text(&line), fx_buf_text(&spec)));
	CU_ASSERT(offers(shell, "set lists", "listsize"));
	CU_ASSERT(offers(shell, "set output j", "json"));
	CU_ASSERT(offers(shell, "set confirm o", "off"));
	CU_ASSERT(offers(shell, "info br", "breakpoints"));
	CU_ASSERT(offers(shell, "pass run d", "dce"));
	CU_ASSERT(offers(shell, "help bre", "break"));
	CU_ASSERT(offers(shell, "help que", "query"));
	CU_ASSERT(offers(shell, "nodes --ma", "--max"));
	CU_ASSERT(offers(shell, "dump py", "python"));
	CU_ASSERT(offers(shell, "pipe node f", "fc1"));
	CU_ASSERT(offers(shell, "with output json -- nod", "nodes"));
	CU_ASSERT(offers(shell, "graph ml", "mlp"));
	CU_ASSERT_FALSE(offers(shell, "nosuch f", "fc1"));
	cmd_shell_free(shell);
	fx_session_free(session);
}

static void
completion_knows_what_passes_take(void)
{
	struct fx_session *session = fx_session_new();
	struct cmd_shell *shell = cmd_shell_new(session);
	FX_AUTO_FREE char *path = fxt_source("doc/examples/mlp.fxg");
	FX_AUTO_FREE char *source =
		fxt_source("tests/transcript/samples/one_model.py");
	FX_AUTO_FREE char *pass = fx_xasprintf("pass run python:%s", source);
	FX_AUTO_FREE char *file = fx_xasprintf("%s:", source);
	FX_AUTO_FREE char *function = fx_xasprintf("%s:", pass);
	FX_AUTO_FREE char *spec = fx_xasprintf("%s:Net", source);
	struct fx_model *model;

	FXT_OK(fx_session_load(session, path,
		&(struct fx_opening){ .name = NULL, .line = "load" }, &model,
		NULL));
	CU_ASSERT(offers(shell, "pass run normalize a", "args="));
	CU_ASSERT(offers(shell, "pass run normalize args=", "args=places"));
	CU_ASSERT_FALSE(offers(shell, "pass run normalize args=", "args="));
	CU_ASSERT(offers(shell, "pass run dce torch=o", "torch=off"));
	CU_ASSERT_FALSE(offers(shell, "pass run dce args=", "args=places"));
	CU_ASSERT(offers(shell, "pass run dce --only fc1,a", "act"));
	CU_ASSERT(offers(shell, "rewrite relu(x) => x --only a", "act"));
	CU_ASSERT(offers(shell, "pass run py", "python:"));
	CU_ASSERT_FALSE(offers(shell, "pass list py", "python:"));
	CU_ASSERT(offers(shell, pass, file));
	CU_ASSERT(offers(shell, function, spec));
	cmd_shell_free(shell);
	fx_session_free(session);
}

/* An error that sends the reader to a page of help, a word or another topic,
 * must not send him nowhere.
 */
static void
words_that_errors_name_have_help(void)
{
	struct cmd_help_topic concept;
	int found = 0;

	for (int i = 0; i < FX_ERR_COUNT; i++) {
		const char *word = fx_error_help((enum fx_error_code)i);

		if (!*word)
			continue;
		found++;
		CU_ASSERT(cmd_help_topic_find(word, &concept));
		FXT_SAME(concept.word, word);
	}
	FXT_IS(found, >=, 8);
}

static void
every_lesson_is_whole(void)
{
	FXT_EQ(cmd_lesson_count(), 4);
	for (size_t i = 0; i < cmd_lesson_count(); i++) {
		FX_AUTO_FREE char *path = NULL;
		struct cmd_lesson lesson;
		const struct cmd_step *step;

		cmd_lesson_read(i, &lesson);
		FXT_OK(cmd_data_files(CMD_BUNDLE_EXAMPLES,
			*lesson.model ? lesson.model : lesson.file, &path));
		FXT_EQ(lesson.bad_lines, 0);
		CU_ASSERT(*lesson.title && *lesson.says && *lesson.end);
		FXT_IS(lesson.steps.count, >=, 8);
		fx_vec_for_each (step, &lesson.steps) {
			CU_ASSERT(*step->task && *step->hint && *step->line);
			FXT_IS(step->checks.count, >, 0);
		}
		cmd_lesson_deinit(&lesson);
	}
}

/* Words of other tools are in nobody's way and appear once. */
static void
habits_are_no_commands(void)
{
	static const char *const words[] = {
#define CMD_LATER(word, instead) word,
#define CMD_HABIT(word, instead) word,
#include "commands/shell/habits.def"
	};

	for (size_t i = 0; i < FX_ARRAY_LEN(words); i++) {
		CU_ASSERT_PTR_NULL(cmd_table_find(words[i]));
		for (size_t k = i + 1; k < FX_ARRAY_LEN(words); k++)
			CU_ASSERT(strcmp(words[i], words[k]) != 0);
	}
}

/* "edits=undo changes=undo": each right side is a choice of the command. */
static void
further_words_lead_to_a_choice(void)
{
	const struct cmd_entry *entry;
	size_t found = 0;

	for (size_t i = 0; (entry = cmd_table_at(i)); i++) {
		const char *at = entry->also;

		for (; at && *at; at += strcspn(at, " "), at += *at == ' ') {
			const char *choice = at + strcspn(at, "= ");
			size_t length = strcspn(choice, " ");
			FX_AUTO_FREE char *wanted = NULL;
			FX_AUTO_FREE char *choices = NULL;

			CU_ASSERT_FATAL(*choice == '=' && length > 1);
			wanted = fx_xasprintf("|%.*s|", (int)length - 1,
				choice + 1);
			choices = fx_xasprintf("|%s|", entry->args[0].choices);
			FXT_IS(strstr(choices, wanted), !=, NULL);
			found++;
		}
	}
	FXT_IS(found, >, 10);
}

static void
a_nan_has_no_sign(void)
{
	static const char *const keys[] = { "number" };
	FX_AUTO_BUF struct fx_buf buf = { 0 };
	struct out_stream stream = out_stream_buffer(&buf, false);
	struct out *out = out_new_plain(&stream);

	out_command_begin(out, "x");
	out_table_begin(out, "numbers", FX_ARRAY_LEN(keys), keys);
	out_cell_double(out, FX_ROLE_NUMBER, copysign(NAN, -1));
	out_cell_double(out, FX_ROLE_NUMBER, -0.5);
	out_table_end(out);
	out_command_end(out, true);
	FXT_SAME(fx_buf_text(&buf), "number\n   nan\n  -0.5\n");
	out_free(out);
}

int
main(void)
{
	static const struct fxt_case cases[] = {
		FXT_CASE(a_nan_has_no_sign),
		FXT_CASE(every_row_is_whole),
		FXT_CASE(names_are_unique),
		FXT_CASE(flags_of_a_command_are_unique),
		FXT_CASE(examples_can_be_read),
		FXT_CASE(generated_documents_are_up_to_date),
		FXT_CASE(every_lesson_is_whole),
		FXT_CASE(habits_are_no_commands),
		FXT_CASE(further_words_lead_to_a_choice),
		FXT_CASE(words_that_errors_name_have_help),
		FXT_CASE(completion_offers_only_what_fits_the_place),
		FXT_CASE(completion_follows_the_types_of_arguments),
		FXT_CASE(completion_knows_what_passes_take),
	};

	return fxt_run("cmd_table", cases, FX_ARRAY_LEN(cases));
}
