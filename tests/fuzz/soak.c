/* soak.c - random commands for a while: no crash, no hang, no leak.
 *
 *	soak [-s SECONDS] [-n LINES] [-r SEED] [-b BACKEND] [-v] [MODEL.fxg]...
 *
 * Lines come from soak_lines.c, the same ones for the same seed.  After each
 * the graphs must be sound; one that takes longer than the limit is a hang.
 * Every so often everything is closed and a model opened anew: what is
 * allocated then may not grow from round to round.  Without -b only shapes are
 * computed.  Files are written in a temporary folder only.
 */
#include <config.h>

#include <dirent.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/file.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/vec.h"
#include "commands/out/out.h"
#include "commands/shell/cmd.h"
#include "commands/shell/front.h"
#include "commands/shell/shell.h"
#include "ir/graph.h"
#include "ir/verify.h"
#include "ops/layertab.h"
#include "session/model.h"
#include "session/position.h"
#include "session/session.h"
#include "session/settings.h"
#include "tests/fuzz/soak_lines.h"
#include "tests/support/folder.h"
#include "tests/support/random.h"

enum {
	ROUND = 300,       /* lines between two fresh models */
	SLOWEST = 30,      /* seconds of computing for one line */
	SLOWEST_ALL = 300, /* seconds, on a machine that does other things */
	/* What may stay: the table of interned names doubles, and each round
	 * interns some.
	 */
	LEFT_LIMIT = 1 << 20,
	LEFT_OF_ROUND = 8 << 10,
};

struct soak {
	struct fxt_random random;
	long seconds;
	unsigned long line_limit;
	const char *backend;
	bool is_verbose;
	FX_VEC(char *) models; /* absolute paths */
	struct fx_session *session;
	struct cmd_shell *shell;
	struct front front;
	struct fx_buf said;
	unsigned long lines;
	unsigned long errors;
	unsigned long rounds;
	size_t held; /* after an early round */
};

static bool
once_in(struct soak *soak, size_t times)
{
	return !fxt_random_below(&soak->random, times);
}

/* What the handler of the alarm shows. */
static char current[4096];

static void
on_alarm(int number)
{
	static const char text[] = "\nhangs: ";

	(void)number;
	if (write(2, text, sizeof(text) - 1) < 0 ||
		write(2, current, strlen(current)) < 0 || write(2, "\n", 1) < 0)
		_exit(3);
	abort();
}

/* Begin to measure one line, or end with 0. */
static void
watch(int seconds)
{
	struct itimerval timer = { .it_value.tv_sec = seconds };

	setitimer(ITIMER_PROF, &timer, NULL);
	alarm(seconds ? SLOWEST_ALL : 0);
}

/* The front end: a person who answers at random. */

static bool
confirm(void *context, const char *question)
{
	struct soak *soak = context;

	(void)question;
	return once_in(soak, 2);
}

static char *
read_line(void *context, const char *prompt)
{
	struct soak *soak = context;
	FX_AUTO_BUF struct fx_buf line = { 0 };
	bool writes;

	(void)prompt;
	if (once_in(soak, 3))
		return fx_xstrdup("end");
	do {
		fx_buf_clear(&line);
		soak_line(&soak->random, NULL, &line, &writes);
	} while (writes);
	return fx_buf_take(&line);
}

static void
nothing(void *context)
{
	(void)context;
}

static bool
tick(void *context)
{
	struct soak *soak = context;

	return once_in(soak, 200);
}

static struct fx_error *
request(void *context, enum front_request what, const char *argument)
{
	(void)context;
	(void)argument;
	return what == FRONT_QUIT
		       ? NULL
		       : fx_error_new(FX_ERR_TERMINAL, "no terminal here");
}

static bool
is_interactive(void *context)
{
	struct soak *soak = context;

	return once_in(soak, 2);
}

/* Lines. */

static void
check_graphs(struct soak *soak)
{
	for (size_t i = 0; i < fx_session_model_count(soak->session); i++) {
		struct fx_model *model = fx_session_model_at(soak->session, i);
		struct fx_error *err = fx_verify_error(fx_model_graph(model));

		if (!err)
			continue;
		fprintf(stderr, "unsound after %s: %s\n", current,
			fx_error_message(err));
		abort();
	}
}

static void
run_line(struct soak *soak, const char *line, bool writes)
{
	struct out_stream stream = out_stream_buffer(&soak->said, true);
	struct out *out = once_in(soak, 4) ? out_new_json(&stream)
					   : out_new_plain(&stream);
	struct fx_error *err;

	snprintf(current, sizeof(current), "%s", line);
	if (soak->is_verbose)
		fprintf(stderr, "%lu: %s\n", soak->lines, line);
	watch(SLOWEST);
	soak->shell->restricted = !writes;
	err = cmd_run(soak->shell, line, out);
	if (err) {
		out_error(out, err);
		soak->errors++;
		if (soak->is_verbose)
			fprintf(stderr, "    %s\n", fx_error_message(err));
	}
	fx_error_free(err);
	out_free(out);
	fx_buf_clear(&soak->said);
	check_graphs(soak);
	watch(0);
	soak->lines++;
}

/* Rounds: a fresh session each. */

static void
set(struct soak *soak, const char *name, const char *value)
{
	struct fx_settings *settings = fx_session_settings(soak->session);
	const char *rest;
	struct fx_error *err = fx_settings_set(settings,
		fx_settings_match(name, &rest), value);

	fx_assert(!err);
}

static void
copy_file(const char *from, const char *to)
{
	FX_AUTO_FREE char *bytes = NULL;
	size_t size;
	struct fx_error *err = fx_file_read(from, 0, &bytes, &size);

	(void)unlink(to);
	if (!err)
		err = fx_file_write(to, bytes, size);
	if (err)
		fprintf(stderr, "%s\n", fx_error_message(err));
	fx_error_free(err);
}

/* Copy what begins like the model FILE of FOLDER into the current folder, as
 * what is saved goes back to where it came from.
 */
static void
copy_model(const char *folder, const char *file)
{
	size_t length = strcspn(file, ".");
	DIR *dir = opendir(folder);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)) != NULL) {
		FX_AUTO_FREE char *from = NULL;

		if (strncmp(entry->d_name, file, length) != 0)
			continue;
		from = fx_xasprintf("%s/%s", folder, entry->d_name);
		copy_file(from, entry->d_name);
	}
	if (dir)
		closedir(dir);
}

static void
load_one(struct soak *soak)
{
	const char *path = soak->models.items[fxt_random_below(&soak->random,
		soak->models.count)];
	FX_AUTO_FREE char *folder = fx_file_dirname(path);
	FX_AUTO_FREE char *file = fx_file_basename(path);
	FX_AUTO_FREE char *load = fx_xasprintf("load %s", file);

	copy_model(folder, file);
	run_line(soak, load, true);
}

static void
open_round(struct soak *soak)
{
	soak->session = fx_session_new();
	soak->shell = cmd_shell_new(soak->session);
	cmd_shell_set_front(soak->shell, &soak->front);
	set(soak, "backend", soak->backend);
	set(soak, "draw timeout", "1");
	load_one(soak);
}

static void
close_round(struct soak *soak)
{
	while (fx_session_model_count(soak->session) && once_in(soak, 2))
		run_line(soak, "close", false);
	cmd_shell_free(soak->shell);
	fx_session_free(soak->session);
	soak->rounds++;
}

/* Bytes in use, where the allocator counts them. */
static size_t
bytes_in_use(void)
{
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)
	struct mallinfo2 info = mallinfo2();

	return info.uordblks + info.hblkhd;
#else
	return 0;
#endif
}

/* The first rounds fill caches; after them nothing may stay. */
static bool
grows(struct soak *soak)
{
	size_t held = bytes_in_use();
	size_t allowed;

	if (soak->rounds <= 20)
		soak->held = held;
	allowed = soak->held + LEFT_LIMIT + soak->rounds * LEFT_OF_ROUND;
	if (soak->is_verbose)
		fprintf(stderr, "round %lu: %zu bytes held\n", soak->rounds,
			held);
	if (held <= allowed)
		return false;
	fprintf(stderr, "grows: %zu bytes held after round %lu, %zu before\n",
		held, soak->rounds, soak->held);
	return true;
}

static bool
has_time(const struct soak *soak, time_t began)
{
	if (soak->line_limit)
		return soak->lines < soak->line_limit;
	return time(NULL) - began < soak->seconds;
}

/* A line, or what keeps the session worth looking at: a model that is open,
 * has nodes, and runs.
 */
static void
run_some(struct soak *soak)
{
	FX_AUTO_BUF struct fx_buf line = { 0 };
	struct fx_model *model = fx_session_model(soak->session);
	struct fx_graph *graph = model ? fx_model_graph(model) : NULL;
	bool writes = false;

	if (!model && !once_in(soak, 4)) {
		load_one(soak);
		return;
	}
	if (soak->shell->in_transaction && once_in(soak, 10))
		fx_buf_add(&line, "commit");
	else if (graph && graph->node_count < 4 && !once_in(soak, 4))
		fx_buf_add(&line,
			soak->shell->in_transaction ? "abort" : "goto t0");
	else if (model && !fx_position_is_started(model) && once_in(soak, 4))
		fx_buf_add(&line, "start");
	else
		soak_line(&soak->random, graph, &line, &writes);
	run_line(soak, fx_buf_text(&line), writes);
}

/* libtorch, which some commands load whatever the backend, holds memory for
 * itself from then on: let that be from the first round on.
 */
static void
load_libtorch(struct soak *soak)
{
	const char *backend = soak->backend;

	soak->backend = "torch";
	open_round(soak);
	run_line(soak, "print torch.ones(1)", false);
	close_round(soak);
	soak->backend = backend;
}

static bool
run_all(struct soak *soak)
{
	time_t began = time(NULL);
	bool failed = false;

	load_libtorch(soak);
	while (!failed && has_time(soak, began)) {
		open_round(soak);
		for (int i = 0; i < ROUND && has_time(soak, began); i++)
			run_some(soak);
		close_round(soak);
		failed = grows(soak);
	}
	return !failed;
}

/* Starting. */

static bool
read_options(struct soak *soak, int argc, char **argv)
{
	int option;

	while ((option = getopt(argc, argv, "s:n:r:b:v")) != -1) {
		switch (option) {
		case 's':
			soak->seconds = strtol(optarg, NULL, 10);
			break;
		case 'n':
			soak->line_limit = strtoul(optarg, NULL, 10);
			break;
		case 'r':
			soak->random.state = strtoul(optarg, NULL, 10);
			break;
		case 'b':
			soak->backend = optarg;
			break;
		case 'v':
			soak->is_verbose = true;
			break;
		default:
			return false;
		}
	}
	for (; optind < argc; optind++) {
		char *path = realpath(argv[optind], NULL);

		if (!path)
			return false;
		fx_vec_push(&soak->models, path);
	}
	return true;
}

/* Without arguments: the examples. */
static void
add_examples(struct soak *soak)
{
	static const char *const names[] = { "doc/examples/mlp.fxg",
		"doc/examples/transformer.fxg", "doc/examples/resnet18.fxg" };
	if (soak->models.count)
		return;
	for (size_t i = 0; i < FX_ARRAY_LEN(names); i++)
		fx_vec_push(&soak->models, fxt_source(names[i]));
}

int
main(int argc, char **argv)
{
	struct soak soak = { .seconds = 5, .backend = "meta" };
	char *folder;
	bool is_good;

	soak.front = (struct front){ .context = &soak,
		.confirm = confirm,
		.read_line = read_line,
		.suspend = nothing,
		.resume = nothing,
		.tick = tick,
		.request = request,
		.columns = front_any_columns,
		.is_interactive = is_interactive };
	if (!read_options(&soak, argc, argv)) {
		fprintf(stderr, "usage: soak [-s SECONDS] [-n LINES] [-r SEED] "
				"[-b BACKEND] [-v] [MODEL.fxg]...\n");
		return 2;
	}
	add_examples(&soak);
	signal(SIGALRM, on_alarm);
	signal(SIGPROF, on_alarm);
	signal(SIGPIPE, SIG_IGN);
	folder = fxt_folder_new();
	if (chdir(folder) < 0)
		return 99;
	is_good = run_all(&soak);
	if (chdir("/") == 0)
		fxt_folder_free(folder);
	printf("%lu lines, %lu refused, %lu rounds\n", soak.lines, soak.errors,
		soak.rounds);
	fflush(stdout);
	for (size_t i = 0; i < soak.models.count; i++)
		free(soak.models.items[i]);
	fx_vec_deinit(&soak.models);
	fx_buf_deinit(&soak.said);
	fx_layertab_shutdown();
	fx_intern_shutdown();
	return is_good ? 0 : 1;
}
