/* worker.c - the server in the user's Python: found, started, awaited, ended.
 *
 * Starting costs a fork and returns at once.  Whether a Python will do is
 * known when it answers: one without torch says so and ends, and the next
 * candidate is started.  Every wait polls, and calls the request's tick at
 * least every 30 ms.
 */
#include <config.h>

#include "guest/worker_private.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "guest/process.h"
#include "guest/trace_reply.h"
#include "run/ticker.h"

#define TICK_MS    30
#define READY_MS   120000 /* torch may come from a cold disk */
#define SAID_LIMIT 65536

/* Exit status of a Python that says why it will not do. */
#define UNSUITABLE 86

/* The folder of the script, which python -c puts first, is dropped: a torch.py
 * or json.py in the current folder is not meant.  Ours is found by its place,
 * so that what else lies beside it is not.
 */
static const char bootstrap[] =
	"import sys\n"
	"del sys.path[:1]\n"
	"def no(why):\n"
	"    sys.stderr.write(why)\n"
	"    sys.exit(%d)\n"
	"v = 'is Python %%d.%%d' %% sys.version_info[:2]\n"
	"if sys.version_info < (3, 9):\n"
	"    no(v + ', and 3.9 or later is needed')\n"
	"import importlib.util, sysconfig\n"
	"if importlib.util.find_spec('torch') is None:\n"
	"    no(v + ' without torch')\n"
	"if sysconfig.get_config_var('Py_GIL_DISABLED'):\n"
	"    no(v + ' without a global lock, which is not supported')\n"
	"spec = importlib.util.spec_from_file_location(\n"
	"    'fxdb', sys.argv[1] + '/fxdb/__init__.py')\n"
	"fxdb = importlib.util.module_from_spec(spec)\n"
	"sys.modules['fxdb'] = fxdb\n"
	"spec.loader.exec_module(fxdb)\n"
	"from fxdb import _worker\n"
	"_worker.main(%d)\n";

enum fx_worker_wait
fx_worker_wait(struct pollfd *fds, nfds_t count,
	const struct fx_trace_request *request)
{
	int ready = poll(fds, count, TICK_MS);

	if (request && request->tick && request->tick(request->context))
		return FX_WORKER_INTERRUPTED;
	return ready > 0 ? FX_WORKER_DATA : FX_WORKER_NOTHING;
}

static struct fx_error *
start(struct fx_worker *worker)
{
	FX_AUTO_FREE char *code = NULL;
	const struct fx_python *python = &worker->pythons[worker->python_at];
	int ends[2], errors[2];
	struct fx_error *err;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
		return fx_process_no_file("socket", errno);
	if (pipe2(errors, O_CLOEXEC) < 0) {
		err = fx_process_no_file("pipe", errno);
		close(ends[0]);
		close(ends[1]);
		return err;
	}
	fcntl(errors[0], F_SETFL, O_NONBLOCK);
	code = fx_xasprintf(bootstrap, UNSUITABLE, ends[1]);
	const char *argv[] = { python->path, "-c", code, worker->package,
		NULL };

	err = fx_process_spawn(&(struct fx_spawn){ argv, -1, errors[1],
				       ends[1] },
		&worker->pid);
	close(ends[1]);
	close(errors[1]);
	fx_channel_init(&worker->control, ends[0]);
	worker->errors = errors[0];
	return err;
}

/* Read the standard error of the worker, and keep the text for the message in
 * case the worker ends.
 */
static void
hear(struct fx_worker *worker)
{
	char text[4096];
	ssize_t size;

	while ((size = read(worker->errors, text, sizeof(text))) > 0)
		if (worker->said.length < SAID_LIMIT)
			fx_buf_add_n(&worker->said, text, (size_t)size);
	if (size == 0) {
		close(worker->errors);
		worker->errors = -1;
	}
}

/* The last line that it said; the caller frees. */
static char *
last_words(struct fx_worker *worker)
{
	const char *text, *end, *begin;

	hear(worker);
	text = fx_buf_text(&worker->said);
	end = text + worker->said.length;
	while (end > text && (end[-1] == '\n' || end[-1] == ' '))
		end--;
	begin = end;
	while (begin > text && begin[-1] != '\n')
		begin--;
	return fx_xstrndup(begin, (size_t)(end - begin));
}

/* Have the server end.  When it has ended what it started it closes its end of
 * the socket, which takes a millisecond; then it is dead, or as good as that,
 * and a stuck one is made so.  Its memory may take the system much longer.
 */
static void
see_off(struct fx_worker *worker)
{
	long long deadline = fx_clock_ms() + 500;

	fx_worker_dismiss(worker);
	while (worker->is_ready && !worker->control.closed &&
		fx_clock_ms() < deadline) {
		struct pollfd wait = { worker->control.fd, POLLIN, 0 };

		poll(&wait, 1, 10);
		fx_channel_read(&worker->control);
	}
	if (worker->pid > 0)
		kill(-worker->pid, SIGKILL);
}

/* End the server; its wait status. */
static int
stop(struct fx_worker *worker)
{
	int status = 0;

	see_off(worker);
	fx_channel_deinit(&worker->control);
	while (worker->pid > 0 && waitpid(worker->pid, &status, 0) < 0 &&
		errno == EINTR)
		;
	worker->pid = 0;
	if (worker->errors >= 0)
		close(worker->errors);
	worker->errors = -1;
	worker->is_ready = false;
	return status;
}

/* Note why this candidate will not do. */
static void
reject(struct fx_worker *worker, const char *why)
{
	const struct fx_python *python = &worker->pythons[worker->python_at];

	fx_buf_addf(&worker->tried, "%s%s (%s) %s",
		worker->tried.length ? "; " : "", python->path, python->from,
		why);
	worker->python_at++;
	fx_buf_clear(&worker->said);
}

static struct fx_error *
none_left(struct fx_worker *worker)
{
	struct fx_error *err = fx_error_new(FX_ERR_PYTHON,
		"no Python with torch: %s", fx_buf_text(&worker->tried));

	return fx_error_hint(err, "install python3-torch, or name a Python "
				  "that has torch: --python PATH");
}

/* Start the first candidate from here on that can be started at all. */
static struct fx_error *
start_next(struct fx_worker *worker)
{
	for (; worker->python_at < worker->python_count;) {
		FX_AUTO_ERROR struct fx_error *err = start(worker);

		if (!err)
			return NULL;
		stop(worker);
		reject(worker, "cannot be started");
	}
	return none_left(worker);
}

struct fx_error *
fx_worker_start(const char *wanted, struct fx_worker **ret)
{
	struct fx_worker *worker = FX_NEW(struct fx_worker);
	struct fx_error *err;

	fx_channel_init(&worker->control, -1);
	worker->errors = -1;
	worker->package = fx_python_package();
	if (!worker->package) {
		err = fx_error_new(FX_ERR_UNSUPPORTED,
			"this build has no capture extension");
		err = fx_error_hint(err,
			"install python3-dev and configure again");
	} else {
		fx_pythons_find(wanted, &worker->pythons,
			&worker->python_count);
		err = start_next(worker);
	}
	if (err) {
		fx_worker_free(worker);
		return err;
	}
	*ret = worker;
	return NULL;
}

void
fx_worker_dismiss(struct fx_worker *worker)
{
	if (worker && worker->control.fd >= 0)
		shutdown(worker->control.fd, SHUT_WR);
}

void
fx_worker_leave(struct fx_worker *worker)
{
	if (worker)
		see_off(worker);
}

void
fx_worker_free(struct fx_worker *worker)
{
	if (!worker)
		return;
	stop(worker);
	fx_pythons_free(worker->pythons, worker->python_count);
	fx_buf_deinit(&worker->tried);
	fx_buf_deinit(&worker->said);
	free(worker->package);
	free(worker);
}

bool
fx_worker_is_alive(struct fx_worker *worker)
{
	if (!worker)
		return false;
	if (!worker->control.closed)
		fx_channel_read(&worker->control);
	return !worker->control.closed;
}

bool
fx_worker_was_ready(const struct fx_worker *worker)
{
	return worker->is_ready;
}

struct fx_error *
fx_worker_line(struct fx_worker *worker, const struct fx_trace_request *request,
	int timeout_ms, json_t **ret)
{
	long long deadline = fx_clock_ms() + timeout_ms;

	while (!(*ret = fx_channel_line(&worker->control))) {
		struct pollfd fds[2] = {
			{ .fd = worker->control.fd, .events = POLLIN },
			{ .fd = worker->errors, .events = POLLIN },
		};

		if (worker->control.closed)
			return fx_error_new(FX_ERR_CHILD,
				"the Python process is gone");
		if (fx_worker_wait(fds, 2, request) == FX_WORKER_INTERRUPTED)
			return fx_error_new(FX_ERR_INTERRUPTED, "interrupted");
		hear(worker);
		fx_channel_read(&worker->control);
		if (fx_clock_ms() > deadline)
			return fx_error_new(FX_ERR_CHILD,
				"the Python process did not answer within "
				"%d s",
				timeout_ms / 1000);
	}
	return NULL;
}

/* It ended before it was ready: will another Python do?  Null when one was
 * started.
 */
static struct fx_error *
replace(struct fx_worker *worker)
{
	const struct fx_python *python = &worker->pythons[worker->python_at];
	FX_AUTO_FREE char *words = NULL;
	FX_AUTO_FREE char *ended = NULL;
	int status;

	if (worker->python_at >= worker->python_count)
		return none_left(worker);
	words = last_words(worker);
	status = stop(worker);
	if (WIFEXITED(status) && WEXITSTATUS(status) == UNSUITABLE) {
		reject(worker, words);
		return start_next(worker);
	}
	ended = fx_process_status_text(status);
	if (strstr(words, "Error: ") || WIFSIGNALED(status))
		return fx_error_hint(fx_error_new(FX_ERR_PYTHON,
					     "%s cannot load the tracer: %s",
					     python->path,
					     *words ? words : ended),
			"does `%s -c \"import torch\"` work? another Python "
			"is chosen with --python PATH",
			python->path);
	reject(worker, "is no Python");
	return start_next(worker);
}

static struct fx_error *
await(struct fx_worker *worker, const struct fx_trace_request *request)
{
	json_t *hello;
	struct fx_error *err;

	for (;;) {
		err = fx_worker_line(worker, request, READY_MS, &hello);
		if (!err)
			break;
		if (!worker->control.closed)
			return err;
		fx_error_free(err);
		err = replace(worker);
		if (err)
			return err;
	}
	err = fx_trace_reply_check_build(hello, worker->package);
	json_decref(hello);
	worker->is_ready = !err;
	return err;
}

struct fx_error *
fx_worker_make_ready(struct fx_worker *worker,
	const struct fx_trace_request *request)
{
	struct fx_error *err;

	if (worker->is_ready)
		return NULL;
	err = await(worker, request);
	if (err && fx_error_code(err) != FX_ERR_INTERRUPTED) {
		stop(worker);
		worker->control.closed = true;
	}
	return err;
}

void
fx_worker_poll(struct fx_worker *worker)
{
	if (worker->is_ready || worker->python_at >= worker->python_count ||
		fx_worker_is_alive(worker))
		return;
	/* Nothing is lost: what is wrong comes again with the first trace. */
	fx_error_free(replace(worker));
}

unsigned
fx_capture_share(struct fx_capture *capture)
{
	capture->sharers++;
	return ++capture->copies;
}
