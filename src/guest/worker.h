/* worker.h - fxdb's end of the user's Python.
 *
 * A worker is a fork server (capture/fxdb/_worker.py): it imports torch once,
 * and every capture runs in a child of its own, so a model that hangs, exits
 * or crashes is an ordinary result.  A capture that succeeded stays alive
 * until it is closed, because weights are fetched from it when asked for.
 */
#ifndef FX_GUEST_WORKER_H
#define FX_GUEST_WORKER_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct fx_capture;
struct fx_graph;
struct fx_safetensors;
struct fx_worker;

/* Start a Python (WANTED as in guest/python.h, may be null).  Returns at once;
 * the first capture waits for torch, and tries the next candidate without one.
 */
FX_NODISCARD struct fx_error *fx_worker_start(const char *wanted,
	struct fx_worker **ret);
void fx_worker_free(struct fx_worker *worker);
void fx_worker_dismiss(struct fx_worker *worker); /* then free it, or leave */
void fx_worker_leave(struct fx_worker *worker);   /* not freed: fxdb ends now */

/* Whether its server still runs; false for NULL. */
bool fx_worker_is_alive(struct fx_worker *worker);

/* Whether it has answered already, for which the first trace waits. */
bool fx_worker_was_ready(const struct fx_worker *worker);

/* Go on to the next candidate, without waiting, when the one that was started
 * has turned out to have no torch.
 */
void fx_worker_poll(struct fx_worker *worker);

/* What the user asked for: SPEC and flags of the `trace` command. */
struct fx_trace_request {
	const char *spec;
	const char *tracer; /* SPEC of a fxdb.Tracer subclass, or NULL */
	const char *const *leaves;
	size_t leaf_count;
	const char *const *concrete; /* NAME=VALUE */
	size_t concrete_count;
	/* To record one real run instead of tracing: NAME=SPEC of its inputs,
	 * and whether the graph is then run beside the model on other values.
	 */
	bool is_example;
	bool is_checked;
	bool is_export;   /* by torch.export, with the same inputs */
	bool is_partial;  /* what cannot be traced becomes a leaf */
	bool is_suggest;  /* to say what gives a graph, and give none */
	const char *file; /* SPEC is one, read so (_values.py): its tensors,
			   * which fx_capture_weights gives; or NULL */
	bool is_host;     /* of no model: an empty graph */
	const char *const *inputs;
	size_t input_count;
	const char *const *vary; /* inputs of a second run, of other sizes */
	size_t vary_count;
	bool train;
	uint64_t seed; /* of torch's generator before the model is built */
	bool (*tick)(void *context); /* every 30 ms; true: stop the capture */
	/* What the model printed, as it comes. */
	void (*output)(void *context, const char *text, size_t length);
	void *context;
};

/* What happened at a line of a trace: which module was kept whole. */
struct fx_remark {
	char *file;
	int line;    /* from 1 */
	char *value; /* the module's path */
	char *text;  /* what happened there */
};
struct fx_remarks {
	struct fx_remark *items;
	size_t count;
};
void fx_remarks_deinit(struct fx_remarks *remarks);

/* How a run was recorded (capture/fxdb/_example.py); what it decided is the
 * graph's (ir/decided.h).
 */
struct fx_recording {
	double ms;
	bool is_checked;   /* beside the model, on other values */
	double difference; /* then: the largest of an element; NaN: the model
			    * refused them, or results of other forms */
	char *varied;  /* sizes that are open: "x[0] = N, x[1] = S", or "" */
	char *problem; /* why other sizes that were asked for are not; NULL */
	char *differs; /* what else it gives, "" unknown; NULL: it does not */
	char *sizes;   /* on which they differ; "": none found; NULL: untried */
};
void fx_recording_free(struct fx_recording *recording);

struct fx_trace_result {
	struct fx_graph *graph;     /* the caller's; also the part of a failed
				     * trace; may be NULL */
	struct fx_capture *capture; /* the caller's; NULL when it is gone */
	double build_ms;
	double trace_ms;
	char *python; /* "python3.11" */
	char *path;   /* of that Python */
	char *torch;
	char *mode;             /* "eval" */
	char *how;              /* "traced" */
	char *sizes;            /* of an export, which are open; or "" */
	char *remark;           /* what the graph does not keep; or "" */
	struct fx_remarks kept; /* modules that were not traced; the caller's */
	struct fx_remarks suggested;    /* flags, and what they gave; ditto */
	struct fx_recording *recording; /* the caller's; NULL: it was traced */
	char **inputs; /* "x=f32[2]", where not as typed; or NULL */
	size_t input_count;
	char *remedy; /* flags with which a trace that failed succeeds, tried:
		       * " --leaf Net"; "" or NULL: none was found */
	char *stops;  /* nodes before which fxdb.breakpoint was called: "a b" */
	bool can_record; /* a traced value was asked for what a run knows */
};
void fx_trace_result_deinit(struct fx_trace_result *result);

/* Capture a model.  On failure *RET may still hold the graph so far.  Errors:
 * TRACE, PYTHON (the model's own), CHILD (its process died), INTERRUPTED and
 * what the request gets wrong.
 */
FX_NODISCARD struct fx_error *fx_worker_trace(struct fx_worker *worker,
	const struct fx_trace_request *request, uint32_t serial,
	struct fx_trace_result *ret);

/* Take over the graph that a program of the user's hands over on the socket FD
 * (capture/fxdb/_debug.py), which is ours now; the program waits meanwhile, and
 * is asked as a capture is.  LISTENER has the tick and where output goes.
 * USAGE when FD is no socket; else as fx_worker_trace.
 */
FX_NODISCARD struct fx_error *fx_capture_attach(int fd,
	const struct fx_trace_request *listener, uint32_t serial,
	struct fx_trace_result *ret);

/* Of CAPTURE, which may be null: whether it is such a program; the device that
 * its model lies on, "cuda:0", interned, NULL for the processor.
 */
bool fx_capture_is_program(const struct fx_capture *capture);
const char *fx_capture_device(const struct fx_capture *capture);

/* Let such a program go on: with its own result, or when one of CODES, what
 * torch.fx would generate, by the path of its graph, is another than that of
 * the graph it handed over, with that of those, whose names IMPORTS binds.
 */
FX_NODISCARD struct fx_error *fx_capture_let_go(struct fx_capture *capture,
	const json_t *codes, const char *imports);

/* The weights of CAPTURE as a safetensors image in shared memory; *SKIPPED_RET
 * (the caller's; may be "") names tensors that have no such form.
 */
FX_NODISCARD struct fx_error *fx_capture_weights(struct fx_capture *capture,
	struct fx_safetensors **ret, char **skipped_ret);

/* A question to CAPTURE, in the form that capture/fxdb/_run.py describes. */
struct fx_question {
	json_t *message;  /* borrowed */
	int fd;           /* memory that goes with it, or -1 */
	bool is_harmless; /* Ctrl-C is repeated until it is heard */
	/* Called every 30 ms; true: interrupt; may be null. */
	bool (*tick)(void *context);
	/* Called with text that the operation printed, and with a SIZE of 0
	 * when there is no more; may be null.
	 */
	void (*output)(void *context, const char *text, size_t length);
	void *context;
};
/* Ask and wait.  The caller decrefs *ANSWER_RET and frees *BYTES_RET (which may
 * be null: not wanted).  CHILD when the process has died.  NO_VALUE, and
 * nothing is asked, while another question waits for its answer, as what is
 * painted meanwhile would ask: answers have no names.
 */
FX_NODISCARD struct fx_error *fx_capture_ask(struct fx_capture *capture,
	const struct fx_question *question, json_t **answer_ret,
	char **bytes_ret);

int fx_capture_process(struct fx_capture *capture); /* 0: it has ended */

/* Kill it, if it is no program of the user's. */
void fx_capture_kill(const struct fx_capture *capture);

/* CAPTURE is one graph's more, a copy's, which frees it as well; the number of
 * that copy (fx_python_run).
 */
unsigned fx_capture_share(struct fx_capture *capture);

/* End the child, if nobody else shares it; a program of the user's goes on. */
void fx_capture_free(struct fx_capture *capture);

#endif /* FX_GUEST_WORKER_H */
