/* worker.c - fxdb's end of the user's Python.
 *
 * Every wait polls, calls the request's tick at least every 30 ms, and drains
 * what the model prints, because a model that prints more than a pipe holds
 * would otherwise look like a hang.
 */
#include <config.h>

#include "guest/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "guest/channel.h"
#include "guest/process.h"
#include "guest/python.h"
#include "guest/reply.h"
#include "ir/graph.h"
#include "load/safetensors.h"

#define TICK_MS      30
#define READY_MS     120000 /* torch may come from a cold disk */
#define INTERRUPT_MS 1000   /* after each SIGINT, then SIGKILL */
#define INTERRUPTS   2
#define STATUS_MS    2000

struct fx_worker {
	pid_t pid;
	struct fx_channel control;
	int errors; /* read end of its standard error */
	bool is_ready;
	char *python;
	char *package;
	char *version;
};

struct fx_capture {
	struct fx_channel channel;
	int output; /* read end of what the model prints */
	pid_t pid;
};

static long
now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static struct fx_error *
start(struct fx_worker *worker)
{
	FX_AUTO_FREE char *code = NULL;
	int ends[2], errors[2];
	struct fx_error *err;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
		return fx_error_new(FX_ERR_IO, "cannot make a socket: %s",
			strerror(errno));
	if (pipe2(errors, O_CLOEXEC | O_NONBLOCK) < 0) {
		close(ends[0]);
		close(ends[1]);
		return fx_error_new(FX_ERR_IO, "cannot make a pipe: %s",
			strerror(errno));
	}
	code = fx_xasprintf("import sys; sys.path.insert(0, sys.argv[1]); "
			    "from fxdb import _worker; _worker.main(%d)",
		ends[1]);
	const char *argv[] = { worker->python, "-c", code, worker->package,
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

struct fx_error *
fx_worker_start(const char *wanted, struct fx_worker **ret)
{
	struct fx_worker *worker = FX_NEW(struct fx_worker);
	struct fx_error *err;

	worker->control.fd = -1;
	worker->control.received_fd = -1;
	worker->errors = -1;
	worker->package = fx_python_package();
	if (!worker->package)
		err = fx_error_new(FX_ERR_UNSUPPORTED,
			"this build has no capture extension; configure it "
			"with Python");
	else
		err = fx_python_choose(wanted, &worker->python);
	if (!err)
		err = start(worker);
	if (err) {
		fx_worker_free(worker);
		return err;
	}
	*ret = worker;
	return NULL;
}

void
fx_worker_free(struct fx_worker *worker)
{
	int status;

	if (!worker)
		return;
	fx_channel_deinit(&worker->control);
	if (worker->pid > 0) {
		kill(-worker->pid, SIGKILL);
		while (waitpid(worker->pid, &status, 0) < 0 && errno == EINTR)
			;
	}
	if (worker->errors >= 0)
		close(worker->errors);
	free(worker->python);
	free(worker->package);
	free(worker->version);
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

/* What the server wrote to its standard error, trimmed; the caller's. */
static char *
server_errors(struct fx_worker *worker)
{
	char text[4096];
	ssize_t size = read(worker->errors, text, sizeof(text) - 1);

	while (size > 0 && text[size - 1] == '\n')
		size--;
	text[size > 0 ? size : 0] = 0;
	return fx_xstrdup(strrchr(text, '\n') ? strrchr(text, '\n') + 1 : text);
}

/* Wait until FD can be read, DEADLINE passes, or the user interrupts. */
enum wait_result {
	WAIT_DATA,
	WAIT_TICK,
	WAIT_INTERRUPTED,
	WAIT_TIMEOUT
};

static enum wait_result
wait_for(struct pollfd *fds, nfds_t count,
	const struct fx_trace_request *request, long deadline)
{
	int ready = poll(fds, count, TICK_MS);

	if (request && request->tick && request->tick(request->context))
		return WAIT_INTERRUPTED;
	if (ready > 0)
		return WAIT_DATA;
	return now_ms() > deadline ? WAIT_TIMEOUT : WAIT_TICK;
}

/* One line from the server itself, within TIMEOUT_MS; NULL with an error. */
static struct fx_error *
control_line(struct fx_worker *worker, const struct fx_trace_request *request,
	int timeout_ms, json_t **ret)
{
	long deadline = now_ms() + timeout_ms;

	for (;;) {
		struct pollfd fd = { .fd = worker->control.fd,
			.events = POLLIN };

		*ret = fx_channel_line(&worker->control);
		if (*ret)
			return NULL;
		if (worker->control.closed) {
			FX_AUTO_FREE char *text = server_errors(worker);

			return fx_error_new(FX_ERR_PYTHON,
				"%s cannot host the tracer: %s", worker->python,
				*text ? text : "it ended");
		}
		switch (wait_for(&fd, 1, request, deadline)) {
		case WAIT_DATA:
			fx_channel_read(&worker->control);
			break;
		case WAIT_TICK:
			break;
		case WAIT_INTERRUPTED:
			return fx_error_new(FX_ERR_INTERRUPTED, "interrupted");
		case WAIT_TIMEOUT:
			return fx_error_new(FX_ERR_CHILD,
				"%s did not get ready within %d s",
				worker->python, timeout_ms / 1000);
		}
	}
}

static struct fx_error *
make_ready(struct fx_worker *worker, const struct fx_trace_request *request)
{
	struct fx_error *err;
	json_t *hello;

	if (worker->is_ready)
		return NULL;
	err = control_line(worker, request, READY_MS, &hello);
	if (err)
		return err;
	err = fx_reply_check_build(hello, worker->package);
	json_decref(hello);
	worker->is_ready = !err;
	return err;
}

static struct fx_error *
request_json(const struct fx_trace_request *request, json_t **ret)
{
	FX_AUTO_FREE char *cwd = getcwd(NULL, 0);
	json_t *message = json_pack("{s:s, s:s, s:b, s:s}", "op", "trace",
		"spec", request->spec, "train", request->train, "cwd",
		cwd ? cwd : "/");
	json_t *leaves, *concrete;

	if (!message)
		return fx_error_new(FX_ERR_USAGE,
			"the model's name is no UTF-8 text");
	leaves = json_array();
	concrete = json_array();
	for (size_t i = 0; i < request->leaf_count; i++)
		json_array_append_new(leaves, json_string(request->leaves[i]));
	for (size_t i = 0; i < request->concrete_count; i++)
		json_array_append_new(concrete,
			json_string(request->concrete[i]));
	json_object_set_new(message, "leaf", leaves);
	json_object_set_new(message, "concrete", concrete);
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
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0 ||
		pipe2(output, O_CLOEXEC) < 0) {
		json_decref(message);
		return fx_error_new(FX_ERR_IO, "cannot make a socket: %s",
			strerror(errno));
	}
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

static void
drain(struct fx_capture *capture, const struct fx_trace_request *request)
{
	char text[4096];
	ssize_t size;

	while ((size = read(capture->output, text, sizeof(text))) > 0)
		if (request && request->output)
			request->output(request->context, text, (size_t)size);
}

/* How the child ended, from the server; the caller's. */
static char *
ended_text(struct fx_worker *worker, pid_t pid)
{
	long deadline = now_ms() + STATUS_MS;

	while (now_ms() < deadline) {
		json_t *question = json_pack("{s:s}", "op", "status"), *answer;
		FX_AUTO_ERROR struct fx_error *err =
			fx_channel_send(&worker->control, question, NULL, 0);
		int status;
		bool found;

		json_decref(question);
		if (!err)
			err = control_line(worker, NULL, STATUS_MS, &answer);
		if (err)
			break;
		found = fx_reply_status(answer, pid, &status);
		json_decref(answer);
		if (found)
			return fx_process_status_text(status);
		poll(NULL, 0, 5);
	}
	return fx_xstrdup("no status");
}

/* SIGINT, again, then SIGKILL. */
static void
interrupt(struct fx_capture *capture, int *sent, long *deadline)
{
	if (capture->pid > 0)
		kill(-capture->pid, (*sent)++ < INTERRUPTS ? SIGINT : SIGKILL);
	*deadline = now_ms() + INTERRUPT_MS;
}

struct exchange {
	struct fx_worker *worker;
	struct fx_capture *capture;
	const struct fx_trace_request *request;
	int interrupts;
	long next_interrupt;
};

/* Wait for something from the child; an error when it died. */
static struct fx_error *
wait_child(struct exchange *e)
{
	struct pollfd fds[2] = {
		{ .fd = e->capture->channel.fd, .events = POLLIN },
		{ .fd = e->capture->output, .events = POLLIN },
	};
	enum wait_result result =
		wait_for(fds, 2, e->request, now_ms() + READY_MS);

	if (result == WAIT_INTERRUPTED && !e->interrupts)
		e->next_interrupt = 0;
	if ((result == WAIT_INTERRUPTED || e->interrupts) &&
		now_ms() > e->next_interrupt)
		interrupt(e->capture, &e->interrupts, &e->next_interrupt);
	drain(e->capture, e->request);
	fx_channel_read(&e->capture->channel);
	if (fds[1].revents & POLLHUP && !(fds[0].revents))
		poll(NULL, 0, 1);
	if (!e->capture->channel.closed || e->capture->channel.pending.length)
		return NULL;
	if (e->interrupts)
		return fx_error_new(FX_ERR_INTERRUPTED, "interrupted");
	FX_AUTO_FREE char *text =
		e->worker ? ended_text(e->worker, e->capture->pid)
			  : fx_xstrdup("it is gone");

	return fx_error_new(FX_ERR_CHILD,
		"the model's process ended while it was captured: %s", text);
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
	size_t size;

	if (err)
		return err;
	size = (size_t)json_integer_value(json_object_get(answer, "bytes"));
	err = child_bytes(e, size, &text);
	drain(e->capture, e->request);
	if (!err)
		err = fx_reply_read(answer, text, size, serial, ret);
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
	err = make_ready(worker, request);
	if (!err)
		err = fork_child(worker, request, &e.capture);
	if (!err)
		err = receive(&e, serial, ret);
	if (err)
		fx_capture_free(e.capture);
	else
		ret->capture = e.capture;
	return err;
}

struct fx_error *
fx_capture_weights(struct fx_capture *capture, struct fx_safetensors **ret,
	char **skipped_ret)
{
	struct exchange e = { .capture = capture };
	json_t *question = json_pack("{s:s}", "op", "weights"), *answer;
	FX_AUTO_FREE char *path = NULL;
	struct fx_error *err =
		fx_channel_send(&capture->channel, question, NULL, 0);

	json_decref(question);
	while (!err && !(answer = fx_channel_line(&capture->channel))) {
		if (capture->channel.closed)
			err = fx_error_new(FX_ERR_CHILD,
				"the process that holds the weights is gone");
		else
			err = wait_child(&e);
	}
	if (err)
		return err;
	*skipped_ret = fx_reply_skipped(answer);
	json_decref(answer);
	if (capture->channel.received_fd < 0) {
		free(*skipped_ret);
		return fx_error_new(FX_ERR_CHILD, "no weights came along");
	}
	path = fx_xasprintf("/proc/self/fd/%d", capture->channel.received_fd);
	err = fx_safetensors_open(path, ret);
	if (err)
		free(*skipped_ret);
	return err;
}

void
fx_capture_free(struct fx_capture *capture)
{
	if (!capture)
		return;
	fx_channel_deinit(&capture->channel);
	if (capture->output >= 0)
		close(capture->output);
	if (capture->pid > 0)
		kill(-capture->pid, SIGKILL);
	free(capture);
}

void
fx_trace_result_deinit(struct fx_trace_result *result)
{
	fx_graph_free(result->graph);
	fx_capture_free(result->capture);
	free(result->python);
	free(result->torch);
	free(result->mode);
	memset(result, 0, sizeof(*result));
}
