/* capture_client.c - one capture: a child of the server, asked and listened to.
 *
 * What the model prints is drained all the time, because a model that prints
 * more than a pipe holds would otherwise look like a hang.
 */
#include <config.h>

#include "guest/worker_private.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/intern.h"
#include "base/mem.h"
#include "guest/failure.h"
#include "guest/process.h"
#include "guest/trace_reply.h"
#include "load/safetensors.h"
#include "run/ticker.h"

#define INTERRUPT_MS 1000 /* after each SIGINT, then SIGKILL */
#define INTERRUPTS   2
#define AGAIN_MS     700 /* until another Ctrl-C is another one */
#define STATUS_MS    10000

struct exchange {
	struct fx_worker *worker; /* NULL when only the child is asked */
	struct fx_capture *capture;
	const struct fx_trace_request *request; /* or NULL */
	bool is_interrupted;
	bool is_asked; /* it has the question, and died of it */
	bool is_harmless;
	int signals; /* sent so far */
	long long next_signal;
	long long next_repeat;
	long long interrupted_ms; /* by the first Ctrl-C */
};

static json_t *
texts_json(const char *const *texts, size_t count)
{
	json_t *list = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append_new(list, json_string(texts[i]));
	return list;
}

static struct fx_error *
request_json(const struct fx_trace_request *request, json_t **ret)
{
	FX_AUTO_FREE char *cwd = getcwd(NULL, 0);
	json_t *message = json_pack("{s:s, s:s, s:b, s:I, s:s}", "op", "trace",
		"spec", request->spec, "train", request->train, "seed",
		(json_int_t)request->seed, "cwd", cwd ? cwd : "/");

	if (!message)
		return fx_error_new(FX_ERR_USAGE,
			"the model's name is no UTF-8 text");
	json_object_set_new(message, "leaf",
		texts_json(request->leaves, request->leaf_count));
	json_object_set_new(message, "concrete",
		texts_json(request->concrete, request->concrete_count));
	json_object_set_new(message,
		request->is_example  ? "example"
		: request->is_export ? "export"
				     : "inputs",
		texts_json(request->inputs, request->input_count));
	if (request->file)
		json_object_set_new(message, "file",
			json_string(request->file));
	if (request->is_host)
		json_object_set_new(message, "host", json_true());
	if (request->is_partial)
		json_object_set_new(message, "partial", json_true());
	if (request->is_suggest)
		json_object_set_new(message, "suggest", json_true());
	if (request->vary_count)
		json_object_set_new(message, "vary",
			texts_json(request->vary, request->vary_count));
	json_object_set_new(message, "check",
		json_boolean(request->is_checked));
	if (request->tracer)
		json_object_set_new(message, "tracer",
			json_string(request->tracer));
	*ret = message;
	return NULL;
}

/* Ask the server for a child; its socket and output are in *RET. */
static struct fx_error *
fork_child(struct fx_worker *worker, const struct fx_trace_request *request,
	struct fx_capture **ret)
{
	struct fx_capture *capture;
	json_t *message;
	int ends[2], output[2], fds[2];
	struct fx_error *err = request_json(request, &message);

	if (err)
		return err;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0) {
		err = fx_process_no_file("socket", errno);
		json_decref(message);
		return err;
	}
	if (pipe2(output, O_CLOEXEC) < 0) {
		err = fx_process_no_file("pipe", errno);
		json_decref(message);
		close(ends[0]);
		close(ends[1]);
		return err;
	}
	fx_process_make_room(worker->pid, output[1]);
	fcntl(output[0], F_SETFL, O_NONBLOCK);
	fds[0] = ends[1];
	fds[1] = output[1];
	err = fx_channel_send(&worker->control, message, fds, 2);
	json_decref(message);
	close(ends[1]);
	close(output[1]);
	capture = FX_NEW(struct fx_capture);
	fx_channel_init(&capture->channel, ends[0]);
	capture->output = output[0];
	if (err) {
		fx_capture_free(capture);
		return err;
	}
	*ret = capture;
	return NULL;
}

/* Pass on up to CHUNKS chunks of what the model printed.  The limit keeps a
 * model that never stops printing from keeping us here.
 */
static void
drain(struct exchange *e, int chunks)
{
	struct fx_capture *capture = e->capture;
	char text[65536];
	ssize_t size = 1;

	while (chunks-- && capture->output >= 0 &&
		(size = read(capture->output, text, sizeof(text))) > 0)
		if (e->request && e->request->output && !e->is_interrupted)
			e->request->output(e->request->context, text,
				(size_t)size);
	if (size == 0) {
		close(capture->output);
		capture->output = -1;
	}
}

/* Return an error that says how the child ended, which the server is asked for.
 */
static struct fx_error *
how_it_ended(struct exchange *e)
{
	long long deadline = fx_clock_ms() + STATUS_MS;
	struct fx_error *ended = NULL;

	while (e->worker && !ended && fx_clock_ms() < deadline) {
		json_t *question = json_pack("{s:s}", "op", "status"), *answer;
		FX_AUTO_ERROR struct fx_error *err =
			fx_channel_send(&e->worker->control, question, NULL, 0);

		json_decref(question);
		if (!err)
			err = fx_worker_line(e->worker, NULL, STATUS_MS,
				&answer);
		if (err)
			break;
		ended = fx_trace_reply_ended(answer, e->capture->pid);
		json_decref(answer);
		if (!ended)
			poll(NULL, 0, 5);
	}
	if (ended)
		return ended;
	if (e->worker)
		return fx_error_hint(fx_error_new(FX_ERR_CHILD,
					     "the model's process is gone"),
			"the next trace starts a new Python");
	if (e->capture->is_program)
		return fx_error_new(FX_ERR_CHILD,
			"the program that was debugged is gone");
	return fx_error_new(FX_ERR_CHILD, "%s; trace the model again",
		!e->is_asked ? "the process that traced the model is gone"
		: e->is_interrupted
			? "Ctrl-C ended the process that traced the model, "
			  "with what it held"
			: "the process that traced the model died of this, "
			  "with what it held");
}

/* SIGNAL to the child and what it started; a program of the user's is never
 * killed, and alone hears of a Ctrl-C.
 */
static void
signal_child(const struct fx_capture *capture, int signal)
{
	if (capture->pid > 0 && capture->is_program && signal == SIGINT)
		kill(capture->pid, signal);
	else if (capture->pid > 0 && !capture->is_program)
		kill(-capture->pid, signal);
}

/* SIGINT, again, then SIGKILL; as soon as the child can be named. */
static void
press(struct exchange *e)
{
	if (e->capture->pid <= 0 || fx_clock_ms() < e->next_signal)
		return;
	signal_child(e->capture, e->signals < INTERRUPTS ? SIGINT : SIGKILL);
	/* One that was stopped would not hear it. */
	signal_child(e->capture, SIGCONT);
	e->signals++;
	e->next_signal = fx_clock_ms() + INTERRUPT_MS;
}

/* Ctrl-C while a node runs: as the process holds values, only the person ends
 * it, at the third; the second says so.  One at once after another is the same.
 */
static void
press_running(struct exchange *e)
{
	static const char text[] =
		"this operation does not heed Ctrl-C; Ctrl-C again ends the "
		"process that runs it, and what that holds is gone\n";

	if (e->signals && fx_clock_ms() < e->next_signal)
		return;
	if (e->signals == 1 && e->request->output)
		e->request->output(e->request->context, text, sizeof(text) - 1);
	signal_child(e->capture, e->signals < 2 ? SIGINT : SIGKILL);
	e->signals++;
	e->next_signal = fx_clock_ms() + AGAIN_MS;
}

/* A child that has the question but does not work on it yet ignores SIGINT. */
static void
repeat(struct exchange *e)
{
	if (fx_clock_ms() < e->next_repeat)
		return;
	signal_child(e->capture, SIGINT);
	e->next_repeat = fx_clock_ms() + INTERRUPT_MS;
}

static void
hear(struct exchange *e, bool is_pressed)
{
	if (is_pressed && !e->is_interrupted)
		e->interrupted_ms = fx_clock_ms();
	if (is_pressed)
		e->next_repeat = fx_clock_ms() + INTERRUPT_MS;
	e->is_interrupted |= is_pressed;
	if (is_pressed && e->is_asked)
		press_running(e);
	else if (e->is_interrupted && e->is_asked && e->is_harmless &&
		 !e->capture->is_program)
		repeat(e);
	else if (e->is_interrupted && !e->is_asked)
		press(e);
}

/* Whether the server itself hangs: asked to stop a moment ago, and it has named
 * no child yet.  It is given up, and the next trace starts another.
 */
static bool
is_server_stuck(struct exchange *e)
{
	if (!e->is_interrupted || e->is_asked || e->capture->pid > 0 ||
		fx_clock_ms() < e->interrupted_ms + INTERRUPT_MS)
		return false;
	e->worker->control.closed = true;
	return true;
}

/* Wait for something from the child; an error when it is gone. */
static struct fx_error *
wait_child(struct exchange *e)
{
	struct fx_capture *capture = e->capture;
	struct pollfd fds[2] = {
		{ .fd = capture->channel.fd, .events = POLLIN },
		{ .fd = capture->output, .events = POLLIN },
	};

	size_t before = capture->channel.pending.length;

	bool is_pressed =
		fx_worker_wait(fds, 2, e->request) == FX_WORKER_INTERRUPTED;

	drain(e, 1);
	if (!capture->channel.closed)
		fx_channel_read(&capture->channel);
	hear(e, is_pressed);
	if (is_server_stuck(e))
		return fx_error_new(FX_ERR_INTERRUPTED, "interrupted");
	if (!capture->channel.closed ||
		capture->channel.pending.length > before)
		return NULL;
	drain(e, 64);
	if (e->is_interrupted && !e->is_asked)
		return fx_error_new(FX_ERR_INTERRUPTED, "interrupted");
	return how_it_ended(e);
}

/* The next line of the child that is not its pid. */
static struct fx_error *
child_line(struct exchange *e, json_t **ret)
{
	struct fx_error *err;

	for (;;) {
		json_t *message = fx_channel_line(&e->capture->channel), *pid;

		if (!message) {
			err = wait_child(e);
			if (err)
				return err;
			continue;
		}
		pid = json_object_get(message, "pid");
		if (!pid) {
			*ret = message;
			return NULL;
		}
		e->capture->pid = (pid_t)json_integer_value(pid);
		json_decref(message);
	}
}

static struct fx_error *
child_bytes(struct exchange *e, size_t size, char **ret)
{
	struct fx_error *err;

	while (!(*ret = fx_channel_bytes(&e->capture->channel, size))) {
		err = wait_child(e);
		if (err)
			return err;
	}
	return NULL;
}

static struct fx_error *
receive(struct exchange *e, uint32_t serial, struct fx_trace_result *ret)
{
	FX_AUTO_FREE char *text = NULL;
	json_t *answer;
	struct fx_error *err = child_line(e, &answer);
	json_int_t size;

	if (err)
		return err;
	size = json_integer_value(json_object_get(answer, "bytes"));
	err = child_bytes(e, size > 0 ? (size_t)size : 0, &text);
	drain(e, 64);
	if (!err && e->is_interrupted &&
		!json_is_true(json_object_get(answer, "ok")))
		err = fx_error_new(FX_ERR_INTERRUPTED, "interrupted");
	if (!err)
		err = fx_trace_reply_read(answer, text, (size_t)size, serial,
			ret);
	if (fx_message_text(answer, "device"))
		e->capture->device =
			fx_intern(fx_message_text(answer, "device"));
	json_decref(answer);
	return err;
}

struct fx_error *
fx_worker_trace(struct fx_worker *worker,
	const struct fx_trace_request *request, uint32_t serial,
	struct fx_trace_result *ret)
{
	struct exchange e = { .worker = worker, .request = request };
	struct fx_error *err;

	memset(ret, 0, sizeof(*ret));
	err = fx_worker_make_ready(worker, request);
	if (!err)
		err = fork_child(worker, request, &e.capture);
	if (!err)
		err = receive(&e, serial, ret);
	/* A failed trace keeps its child only with a graph to look at. */
	if (err && !ret->graph)
		fx_capture_free(e.capture);
	else
		ret->capture = e.capture;
	return err;
}

static bool
is_socket(int fd)
{
	struct stat status;

	return fd >= 0 && fstat(fd, &status) == 0 && S_ISSOCK(status.st_mode);
}

struct fx_error *
fx_capture_attach(int fd, const struct fx_trace_request *listener,
	uint32_t serial, struct fx_trace_result *ret)
{
	struct exchange e = { .request = listener };
	struct fx_error *err;

	memset(ret, 0, sizeof(*ret));
	if (!is_socket(fd))
		return fx_error_hint(fx_error_new(FX_ERR_USAGE,
					     "no program waits at descriptor "
					     "%d",
					     fd),
			"in Python, fxdb.debug(module, *inputs) opens fxdb on "
			"a call");
	fcntl(fd, F_SETFD, FD_CLOEXEC);
	/* The terminal is another's when the program, which lent it, dies. */
	prctl(PR_SET_PDEATHSIG, SIGHUP);
	e.capture = FX_NEW(struct fx_capture);
	fx_channel_init(&e.capture->channel, fd);
	e.capture->output = -1;
	e.capture->is_program = true;
	err = receive(&e, serial, ret);
	if (err && !ret->graph)
		fx_capture_free(e.capture);
	else
		ret->capture = e.capture;
	return err;
}

bool
fx_capture_is_program(const struct fx_capture *capture)
{
	return capture && capture->is_program;
}

const char *
fx_capture_device(const struct fx_capture *capture)
{
	return capture ? capture->device : NULL;
}

struct fx_error *
fx_capture_let_go(struct fx_capture *capture, const json_t *codes,
	const char *imports)
{
	json_t *message = json_pack("{s:s, s:O, s:s}", "op", "end", "codes",
		codes, "imports", imports);
	struct fx_error *err =
		fx_channel_send(&capture->channel, message, NULL, 0);

	json_decref(message);
	return err;
}

static struct fx_error *
exchange_question(struct fx_capture *capture,
	const struct fx_question *question, json_t **answer_ret,
	char **bytes_ret)
{
	struct fx_trace_request listener = {
		.tick = question->tick,
		.output = question->output,
		.context = question->context,
	};
	struct exchange e = { .capture = capture,
		.request = &listener,
		.is_harmless = question->is_harmless };
	FX_AUTO_FREE char *bytes = NULL;
	json_t *answer;
	json_int_t size;
	struct fx_error *err = fx_channel_send(&capture->channel,
		question->message, &question->fd, question->fd >= 0);

	capture->asked++;
	if (err) {
		fx_error_free(err);
		return how_it_ended(&e);
	}
	e.is_asked = true;
	err = child_line(&e, &answer);
	if (err)
		return err;
	size = json_integer_value(json_object_get(answer, "bytes"));
	err = child_bytes(&e, size > 0 ? (size_t)size : 0, &bytes);
	drain(&e, 64);
	if (question->output)
		question->output(question->context, "", 0);
	if (!err && !json_is_true(json_object_get(answer, "ok")))
		err = fx_failure_error(json_object_get(answer, "error"), NULL);
	if (err) {
		json_decref(answer);
		return err;
	}
	*answer_ret = answer;
	if (bytes_ret)
		*bytes_ret = FX_TAKE(bytes);
	return NULL;
}

struct fx_error *
fx_capture_ask(struct fx_capture *capture, const struct fx_question *question,
	json_t **answer_ret, char **bytes_ret)
{
	struct fx_error *err;

	if (capture->is_asked)
		return fx_error_new(FX_ERR_NO_VALUE,
			"the Python process is at work: what it holds can be "
			"seen when it has answered");
	capture->is_asked = true;
	err = exchange_question(capture, question, answer_ret, bytes_ret);
	capture->is_asked = false;
	return err;
}

struct fx_error *
fx_capture_weights(struct fx_capture *capture, struct fx_safetensors **ret,
	char **skipped_ret)
{
	json_t *message = json_pack("{s:s}", "op", "weights"), *answer;
	const struct fx_question question = { .message = message, .fd = -1 };
	FX_AUTO_FREE char *path = NULL;
	struct fx_error *err =
		fx_capture_ask(capture, &question, &answer, NULL);

	json_decref(message);
	if (err)
		return err;
	if (capture->channel.received_fd < 0)
		err = fx_error_new(FX_ERR_CHILD, "no weights came along");
	if (!err) {
		path = fx_xasprintf("/proc/self/fd/%d",
			capture->channel.received_fd);
		err = fx_safetensors_open(path, ret);
	}
	if (!err)
		*skipped_ret = fx_trace_reply_skipped(answer);
	json_decref(answer);
	return err;
}

int
fx_capture_process(struct fx_capture *capture)
{
	if (!capture->channel.closed)
		fx_channel_read(&capture->channel);
	return capture->channel.closed ? 0 : (int)capture->pid;
}

void
fx_capture_kill(const struct fx_capture *capture)
{
	signal_child(capture, SIGKILL);
}

void
fx_capture_free(struct fx_capture *capture)
{
	if (!capture || capture->sharers-- > 0)
		return;
	fx_channel_deinit(&capture->channel);
	if (capture->output >= 0)
		close(capture->output);
	fx_capture_kill(capture);
	free(capture);
}
