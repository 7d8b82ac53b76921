/* reduce_apart.c - a trial in a process of its own, for operators that end it.
 *
 * The process is a copy of this one and computes with one thread, since those
 * of libtorch are not copied along.  It writes into memory that both have which
 * node is about to run, so that what it died of is known.
 */
#include <config.h>

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "guest/process.h"
#include "ir/graph.h"
#include "run/backend.h"
#include "run/trial.h"
#include "session/reduce_private.h"
#include "session/session.h"

/* How often the person is asked for, in nanoseconds. */
#define PAUSE 5000000

struct report {
	struct fx_graph *graph;
	volatile size_t at; /* the node that runs, by its position */
	bool has_failed;    /* it raised: */
	enum fx_error_code code;
	char message[1000];
};

static enum fx_answer
note_node(void *context, struct fx_interp *interp, struct fx_node *node)
{
	struct report *report = context;

	(void)interp;
	if (node->graph == report->graph)
		report->at = fx_graph_position(report->graph, node);
	return FX_ANSWER_GO;
}

static void
note_error(void *context, struct fx_interp *interp, struct fx_node *node,
	const struct fx_error *err)
{
	struct report *report = context;

	(void)interp;
	if (node->graph != report->graph || report->has_failed)
		return;
	report->has_failed = true;
	report->code = fx_error_code(err);
	strncpy(report->message, fx_error_message(err),
		sizeof(report->message) - 1);
}

static _Noreturn void
run_and_end(const struct fx_reducing *r, struct report *report,
	struct fx_datum *const *inputs, size_t count)
{
	static const int signals[] = { SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL,
		SIGTERM };
	struct fx_observer observer = {
		.context = report, .before = note_node, .error = note_error
	};
	struct fx_trial trial = { .graph = report->graph,
		.backend = r->backend,
		.inputs = inputs,
		.input_count = count,
		.seed = fx_session_seed(r->session),
		.observers = &observer,
		.observer_count = 1 };

	for (size_t i = 0; i < FX_ARRAY_LEN(signals); i++)
		signal(signals[i], SIG_DFL);
	signal(SIGINT, SIG_IGN);
	r->backend->fallback = NULL; /* a process that both would talk to */
	if (r->backend->ops->set_threads)
		r->backend->ops->set_threads(r->backend, 1);
	fx_error_free(fx_trial_run(&trial, NULL, NULL));
	_exit(0);
}

/* Wait for PID, and end it when R's time or patience does; its status. */
static int
wait_for(struct fx_reducing *r, pid_t pid)
{
	const struct timespec pause = { .tv_nsec = PAUSE };
	int status = 0;

	for (;;) {
		pid_t ended = waitpid(pid, &status, WNOHANG);

		if (ended == pid || (ended < 0 && errno != EINTR))
			return status;
		if (!r->stopped && fx_ticker_poll(r->ticker))
			r->stopped = "Ctrl-C";
		if (!r->stopped && fx_clock_ms() >= r->end)
			r->stopped = "--seconds";
		if (r->stopped)
			kill(pid, SIGKILL);
		nanosleep(&pause, NULL);
	}
}

struct fx_error *
fx_reduce_run_apart(struct fx_reducing *r, struct fx_graph *graph,
	struct fx_datum *const *inputs, size_t count, struct fx_failing *ret)
{
	struct report *report = mmap(NULL, sizeof(*report),
		PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t pid = -1;
	int status;

	*ret = (struct fx_failing){ .kind = FX_FAILING_NOT };
	if (report != MAP_FAILED) {
		report->graph = graph;
		pid = fork();
	}
	if (pid == 0)
		run_and_end(r, report, inputs, count);
	if (pid < 0) {
		if (report != MAP_FAILED)
			munmap(report, sizeof(*report));
		return fx_process_no_file("a process for a try", errno);
	}
	status = wait_for(r, pid);
	if (!r->stopped && (report->has_failed || WIFSIGNALED(status))) {
		ret->kind = FX_FAILING_ERROR;
		ret->node = fx_graph_at(graph, report->at);
		ret->code = report->has_failed ? report->code : FX_ERR_CHILD;
		ret->message = report->has_failed
				       ? fx_xstrdup(report->message)
				       : fx_process_status_text(status);
	}
	munmap(report, sizeof(*report));
	return NULL;
}
