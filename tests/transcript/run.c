/* run.c - runs a transcript (.fxt) and compares what is said.
 *
 *	# The fact, in one line.
 *	> typed line
 *	expected output
 *
 * Each file runs three times: through the plain sink, whose text is compared;
 * through the recorded sink, whose items must give the same text; through the
 * JSON sink, which must give one valid object a command, with the same
 * outcome, and only tables and keys that commands/learn/json.def names.
 *FXDB_UPDATE=1 writes what was said into the file instead.
 *
 * Commands run in an empty folder with links: examples (doc/examples), cases
 * ($FXDB_CASES/dumps213), samples (beside the transcripts).  `~ ` instead of
 * `> ` runs a line whose output is not compared; it may not fail.
 */
#include <config.h>

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <jansson.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/file.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "commands/out/out.h"
#include "commands/out/record.h"
#include "commands/shell/cmd.h"
#include "commands/shell/front.h"
#include "ops/layertab.h"
#include "tests/support/folder.h"
#include "tests/support/golden.h"
#include "tests/transcript/meta.h"

enum sink {
	SINK_PLAIN,
	SINK_RECORDED,
	SINK_JSON,
	SINK_COUNT
};

static const char *const sink_names[] = { "plain", "recorded", "JSON" };

struct run {
	const char *path;
	const char *text; /* of the transcript */
	const char *at;   /* what has not been read */
	enum sink sink;
	struct fx_session *session;
	struct cmd_shell *shell;
	struct out *out;
	struct fx_buf said; /* by this sink, since the last command */
	struct out_recording *recording;
	struct front front;
	char *folder;
	int child;            /* what programs write, a file */
	struct fx_buf result; /* the transcript with what was said */
	FX_VEC(int) outcomes; /* error code + 1 of each command, or 0 */
	int problems;
};

/* The front end: lines of blocks are the next typed ones. */

static bool
says_no(void *context, const char *question)
{
	struct run *run = context;

	out_note(run->out, "%s (no)", question);
	return false;
}

static bool
is_typed(const char *line)
{
	return (*line == '>' || *line == '~') &&
	       (line[1] == ' ' || line[1] == '\n' || !line[1]);
}

static char *
take_line(struct run *run)
{
	size_t length = strcspn(run->at, "\n");
	char *line = fx_xstrndup(run->at, length);

	run->at += length + (run->at[length] == '\n');
	return line;
}

static char *
read_typed(void *context, const char *prompt)
{
	struct run *run = context;
	FX_AUTO_FREE char *line = NULL;

	(void)prompt;
	if (!*run->at || !is_typed(run->at))
		return NULL;
	line = take_line(run);
	fx_buf_addf(&run->result, "%s\n", line);
	return fx_xstrdup(line[1] ? line + 2 : "");
}

static void
nothing(void *context)
{
	(void)context;
}

static bool
never(void *context)
{
	(void)context;
	return false;
}

/* Tests have no clock. */
static bool
no_pause(void *context, double seconds)
{
	(void)context;
	(void)seconds;
	return false;
}

static struct fx_error *
request(void *context, enum front_request what, const char *argument)
{
	(void)context;
	(void)argument;
	if (what == FRONT_QUIT)
		return NULL;
	return fx_error_new(FX_ERR_TERMINAL,
		"tui: standard output is not a terminal");
}

/* What was said. */

/* "memory 15.0 KB" without the number, which depends on the build. */
static const char *
skip_memory(struct fx_buf *out, const char *text)
{
	size_t length = 6 + strspn(text + FX_MIN(6, strlen(text)), " \":");

	if (strncmp(text, "memory", 6) || !isdigit((unsigned char)text[length]))
		return NULL;
	fx_buf_addf(out, "%.*sSIZE", (int)length, text);
	text += length + strspn(text + length, "0123456789. ");
	return text + strspn(text, "KMGB");
}

/* TEXT with what differs between machines and builds replaced. */
static char *
normal(struct run *run, const char *text)
{
	FX_AUTO_BUF struct fx_buf out = { 0 };
	size_t length = strlen(run->folder);

	while (*text) {
		const char *rest = skip_memory(&out, text);

		if (rest) {
			text = rest;
		} else if (!strncmp(text, run->folder, length)) {
			fx_buf_add(&out, "FOLDER");
			text += length;
		} else {
			fx_buf_add_char(&out, *text++);
		}
	}
	return fx_buf_take(&out);
}

static void
add_child_output(struct run *run)
{
	char bytes[4096];
	ssize_t n;

	lseek(run->child, 0, SEEK_SET);
	while (run->sink != SINK_JSON &&
		(n = read(run->child, bytes, sizeof(bytes))) > 0)
		fx_buf_add_n(&run->said, bytes, (size_t)n);
	if (ftruncate(run->child, 0) < 0)
		perror("ftruncate");
	lseek(run->child, 0, SEEK_SET);
}

static char *
what_was_said(struct run *run)
{
	char *text;
	size_t i;

	for (i = 0; run->recording && i < out_recording_count(run->recording);
		i++)
		out_item_print(out_recording_at(run->recording, i), &run->said);
	if (run->recording)
		out_recording_clear(run->recording);
	add_child_output(run);
	text = normal(run, fx_buf_text(&run->said));
	fx_buf_clear(&run->said);
	return text;
}

/* Output lines that could be taken for typed ones or comments are marked. */
static void
add_output(struct fx_buf *result, const char *text)
{
	while (*text) {
		size_t length = strcspn(text, "\n");
		size_t shown = length;

		while (shown &&
			(text[shown - 1] == ' ' || text[shown - 1] == '\t'))
			shown--;
		if (is_typed(text) || *text == '#' || *text == '\\')
			fx_buf_add_char(result, '\\');
		if (!shown)
			fx_buf_add(result, "\\");
		fx_buf_add_n(result, text, shown);
		fx_buf_add_char(result, '\n');
		text += length + (text[length] == '\n');
	}
}

/* JSON. */

static void
problem(struct run *run, const char *line, const char *what)
{
	fprintf(stderr, "%s: %s: %s: %s\n", run->path, sink_names[run->sink],
		line, what);
	run->problems++;
}

static const char *const known_tables[][2] = {
#define CMD_JSON(command, name, keys) { name, " " keys " " },
#include "commands/learn/json.def"
};

/* Whether KEY is NAME, or a second one of that name, which is numbered. */
static bool
is_called(const char *key, const char *name)
{
	size_t length = strlen(name);

	return !strncmp(key, name, length) &&
	       (!key[length] ||
		       (key[length] == '_' &&
			       isdigit((unsigned char)key[length + 1])));
}

static bool
is_known(const char *table, const char *key)
{
	FX_AUTO_FREE char *wanted = fx_xasprintf(" %s ", key);

	for (size_t i = 0; i < FX_ARRAY_LEN(known_tables); i++)
		if (is_called(table, known_tables[i][0]) &&
			strstr(known_tables[i][1], wanted))
			return true;
	return false;
}

static void
check_keys(struct run *run, const char *line, const char *table, json_t *row)
{
	const char *key;
	json_t *value;

	json_object_foreach(row, key, value)
	{
		if (!is_known(table, key)) {
			FX_AUTO_FREE char *what =
				fx_xasprintf("json.def has no key %s of %s",
					key, table);

			problem(run, line, what);
		}
	}
}

static void
check_member(struct run *run, const char *line, const char *key, json_t *value)
{
	static const char *const own[] = { "command", "ok", "error", "lines",
		"text", "more" };

	for (size_t i = 0; i < FX_ARRAY_LEN(own); i++)
		if (is_called(key, own[i]))
			return;
	if (json_is_object(value))
		check_keys(run, line, key, value);
	else if (json_is_array(value))
		for (size_t i = 0; i < json_array_size(value); i++)
			check_keys(run, line, key, json_array_get(value, i));
	else if (!is_known("(values)", key))
		problem(run, line, key);
}

/* TEXT: objects, one a line; the last one's outcome is the command's. */
static void
check_json(struct run *run, const char *line, const char *text, bool failed)
{
	bool ok = true;
	size_t count = 0;

	while (*text) {
		size_t length = strcspn(text, "\n");
		json_t *object = json_loadb(text, length, 0, NULL);
		const char *key;
		json_t *value;

		if (length && !object)
			problem(run, line, "not JSON");
		json_object_foreach(object, key, value)
			check_member(run, line, key, value);
		if (object) {
			ok = json_is_true(json_object_get(object, "ok"));
			if (!ok && !json_object_get(object, "error"))
				problem(run, line, "failed without an error");
			count++;
		}
		json_decref(object);
		text += length + (text[length] == '\n');
	}
	if (!count && line[strspn(line, " ")] && *line != '#')
		problem(run, line, "no object");
	else if (count && ok == failed)
		problem(run, line, "another outcome");
}

/* Running. */

static void
record_outcome(struct run *run, const struct fx_error *err)
{
	fx_vec_push(&run->outcomes, err ? (int)fx_error_code(err) + 1 : 0);
}

static void
run_line(struct run *run, const char *typed)
{
	const char *line = typed[1] ? typed + 2 : "";
	FX_AUTO_FREE char *text = NULL;
	struct fx_error *err;

	fx_buf_addf(&run->result, "%s\n", typed);
	cmd_shell_history_add(run->shell, line);
	err = cmd_run(run->shell, line, run->out);
	if (err)
		out_error(run->out, err);
	record_outcome(run, err);
	text = what_was_said(run);
	if (run->sink == SINK_JSON)
		check_json(run, line, text, err != NULL);
	else if (*typed == '>')
		add_output(&run->result, text);
	else if (err)
		problem(run, typed, fx_error_message(err));
	fx_error_free(err);
}

static void
skip_expected(struct run *run)
{
	while (*run->at && !is_typed(run->at) && *run->at != '#') {
		FX_AUTO_FREE char *line = take_line(run);

		if (run->sink == SINK_JSON)
			fx_buf_addf(&run->result, "%s\n", line);
	}
}

static void
run_all(struct run *run)
{
	while (*run->at) {
		FX_AUTO_FREE char *line = take_line(run);

		if (is_typed(line)) {
			run_line(run, line);
			skip_expected(run);
		} else {
			fx_buf_addf(&run->result, "%s\n", line);
		}
	}
}

/* The folder. */

static void
link_to(const char *target, const char *name)
{
	if (symlink(target, name) < 0)
		perror(name);
}

static void
enter_folder(struct run *run, const char *source, const char *cases)
{
	FX_AUTO_FREE char *examples = fx_xasprintf("%s/doc/examples", source);
	FX_AUTO_FREE char *samples =
		fx_xasprintf("%s/tests/transcript/samples", source);
	FX_AUTO_FREE char *dumps = fx_xasprintf("%s/dumps213", cases);

	run->folder = fxt_folder_new();
	if (chdir(run->folder) < 0) {
		perror(run->folder);
		exit(99);
	}
	setenv("XDG_STATE_HOME", run->folder, 1);
	link_to(examples, "examples");
	link_to(samples, "samples");
	link_to(dumps, "cases");
	/* What programs write must not mix with ours. */
	run->child =
		open(".out", O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

static void
run_begin(struct run *run, const char *source, const char *cases)
{
	/* With JSON, notes go where errors go, as text. */
	struct out_stream stream =
		out_stream_buffer(&run->said, run->sink != SINK_JSON);

	run->at = run->text;
	enter_folder(run, source, cases);
	run->session = meta_session();
	run->shell = cmd_shell_new(run->session);
	run->front = (struct front){ .context = run,
		.confirm = says_no,
		.read_line = read_typed,
		.suspend = nothing,
		.resume = nothing,
		.tick = never,
		.pause = no_pause,
		.request = request,
		.columns = front_any_columns,
		.is_interactive = never };
	cmd_shell_set_front(run->shell, &run->front);
	if (run->sink == SINK_PLAIN) {
		run->out = out_new_plain(&stream);
	} else if (run->sink == SINK_JSON) {
		run->out = out_new_json(&stream);
	} else {
		run->recording = out_recording_new();
		run->out = out_new_recording(run->recording);
	}
}

static void
run_end(struct run *run)
{
	cmd_shell_free(run->shell);
	out_free(run->out);
	out_recording_free(run->recording);
	fx_session_free(run->session);
	fx_buf_deinit(&run->said);
	if (run->child >= 0)
		close(run->child);
	if (chdir("/") == 0)
		fxt_folder_free(run->folder);
}

/* Run TEXT through SINK; the transcript as it came out is the caller's. */
static char *
run_through(struct run *run, enum sink sink, const char *source,
	const char *cases)
{
	int saved = dup(STDOUT_FILENO);

	run->sink = sink;
	run_begin(run, source, cases);
	fflush(stdout);
	dup2(run->child, STDOUT_FILENO);
	run_all(run);
	dup2(saved, STDOUT_FILENO);
	close(saved);
	run_end(run);
	return fx_buf_take(&run->result);
}

/* The first line in which both differ. */
static void
show_difference(const char *path, const char *sink, const char *expected,
	const char *got)
{
	int line = 1;

	while (*expected && *got) {
		size_t a = strcspn(expected, "\n");
		size_t b = strcspn(got, "\n");

		if (a != b || strncmp(expected, got, a) != 0)
			break;
		expected += a + (expected[a] == '\n');
		got += b + (got[b] == '\n');
		line++;
	}
	fprintf(stderr, "%s:%d: %s sink\n  expected: %.*s\n  got:      %.*s\n",
		path, line, sink, (int)strcspn(expected, "\n"), expected,
		(int)strcspn(got, "\n"), got);
}

static bool
same_outcomes(struct run *a, struct run *b)
{
	size_t i;

	if (a->outcomes.count != b->outcomes.count)
		return false;
	for (i = 0; i < a->outcomes.count; i++)
		if (a->outcomes.items[i] != b->outcomes.items[i])
			return false;
	return true;
}

static int
run_file(const char *path, const char *text, const char *source,
	const char *cases)
{
	struct run runs[SINK_COUNT] = { { 0 } };
	char *got[SINK_COUNT] = { NULL };
	int problems = 0;
	int i;

	for (i = 0; i < SINK_COUNT; i++) {
		runs[i].path = path;
		runs[i].text = text;
		got[i] = run_through(&runs[i], (enum sink)i, source, cases);
		problems += runs[i].problems;
		if (!same_outcomes(&runs[0], &runs[i])) {
			fprintf(stderr, "%s: %s sink: other errors\n", path,
				sink_names[i]);
			problems++;
		}
	}
	if (strcmp(got[SINK_PLAIN], got[SINK_RECORDED]) != 0) {
		show_difference(path, "recorded", got[SINK_PLAIN],
			got[SINK_RECORDED]);
		problems++;
	}
	if (!fxt_is_golden(path, text, got[SINK_PLAIN])) {
		show_difference(path, "plain", text, got[SINK_PLAIN]);
		problems++;
	}
	for (i = 0; i < SINK_COUNT; i++) {
		fx_vec_deinit(&runs[i].outcomes);
		free(got[i]);
	}
	return problems ? 1 : 0;
}

int
main(int argc, char **argv)
{
	const char *source = getenv("FXDB_SRCDIR");
	const char *cases = getenv("FXDB_CASES");
	FX_AUTO_FREE char *path = NULL;
	FX_AUTO_FREE char *text = NULL;
	struct fx_error *err;
	size_t size;
	int status;

	setlocale(LC_CTYPE, "C.UTF-8");
	/* As in fxdb: a program that stops reading is no reason to die. */
	signal(SIGPIPE, SIG_IGN);
	if (argc != 2 || !source)
		return 99;
	path = realpath(argv[1], NULL);
	err = fx_file_read(path ? path : argv[1], 0, &text, &size);
	if (err) {
		fprintf(stderr, "%s: %s\n", argv[1], fx_error_message(err));
		fx_error_free(err);
		return 99;
	}
	/* A transcript over the dumps is skipped where there are none. */
	if (strstr(text, " cases/") && (!cases || access(cases, R_OK) < 0))
		return 77;
	status = run_file(path, text, source, cases ? cases : "/nonexistent");
	fx_layertab_shutdown();
	fx_intern_shutdown();
	return status;
}
