/* capture.h - models from the user's Python.
 *
 * The worker (guest/worker.h) belongs to the session and is started by the
 * first trace or at the first idle prompt.  A traced model keeps its capture,
 * the process that has the weights, until it is dropped or killed.
 */
#ifndef FX_SESSION_CAPTURE_H
#define FX_SESSION_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "guest/worker.h"

struct fx_model;
struct fx_opening;
struct fx_session;

/* The Python to trace with; NULL finds one (guest/python.h).  Takes effect
 * when the worker starts.
 */
void fx_session_set_python(struct fx_session *session, const char *path);

/* Start the worker if there is none, without waiting for it. */
FX_NODISCARD struct fx_error *
fx_session_start_worker(struct fx_session *session);

/* Trace what REQUEST says (its tick may be null: the session's is used) and
 * make the graph a new, current model, opened AS said.  REPORT has times and
 * versions; its graph and capture are the model's.  When tracing fails the
 * error is returned and *RET, when there is anything, is a model with the graph
 * so far.
 */
FX_NODISCARD struct fx_error *fx_session_trace(struct fx_session *session,
	const struct fx_trace_request *request, const struct fx_opening *as,
	struct fx_trace_result *report, struct fx_model **ret);

/* The tensors in the file at PATH, by name, read by the user's Python: AS
 * "state", a state dict of torch.save; "values", all that torch.save wrote; or
 * "picture SIZE" (0: its own), one called "picture".  Nothing is unpickled but
 * tensors and plain containers.  FORMAT where there is more in it, or it is
 * none; else as fx_session_trace.
 */
FX_NODISCARD struct fx_error *fx_session_read_file(struct fx_session *session,
	const char *path, const char *as, struct fx_safetensors **ret);

/* A process of the user's Python that holds no model, for the caller to free.
 */
FX_NODISCARD struct fx_error *fx_session_host(struct fx_session *session,
	struct fx_capture **ret);

/* The graph that a program of the user's hands over on the socket FD, as a new
 * model, opened AS said; otherwise as fx_session_trace.
 */
FX_NODISCARD struct fx_error *fx_session_attach(struct fx_session *session,
	int fd, const struct fx_opening *as, struct fx_trace_result *report,
	struct fx_model **ret);

/* Whether a program of the user's waits for what becomes of MODEL. */
bool fx_model_is_of_program(const struct fx_model *model);

/* Let that program go on, with MODEL as it is now. */
FX_NODISCARD struct fx_error *fx_model_let_go(struct fx_model *model);

/* Fetch the weights of a traced model from its capture, once; nothing to do
 * for other models.  *SKIPPED_RET, the caller's, names tensors that cannot be
 * fetched; "" or NULL when all came.
 */
FX_NODISCARD struct fx_error *fx_model_fetch_weights(struct fx_model *model,
	char **skipped_ret);

/* The process that still holds the model's weights, or 0. */
int fx_model_process(const struct fx_model *model);

/* Tensors whose values could not be fetched, as complex ones and those on the
 * meta device; NULL for none.
 */
const char *fx_model_left_behind(const struct fx_model *model);

/* End that process; graphs that share it have none then either. */
void fx_model_end_capture(struct fx_model *model);
/* MODEL needs it no more: it ends with the last graph that has it. */
void fx_model_leave_capture(struct fx_model *model);
/* COPY, whose graph was just cloned from MODEL's and has the weights, is run in
 * MODEL's process too, if there is one.
 */
void fx_model_share_capture(struct fx_model *copy,
	const struct fx_model *model);

/* How a model was captured. */
struct fx_traced {
	char *spec;
	char *options; /* "--leaf A --concrete b=1", or "" */
	char *python;  /* "python3.11" */
	char *path;    /* of that Python */
	char *torch;
	char *mode; /* "eval" */
	double build_ms;
	double trace_ms;
	uint64_t seed;   /* that its weights follow from */
	bool is_partial; /* tracing failed; this is what there was */
	struct fx_recording *recording; /* NULL: it was traced */
	char **inputs; /* where they are not as typed: "x=example.x" */
	size_t input_count;
	struct fx_remarks kept; /* modules that could not be traced, whole */
};

/* NULL for a model that was not traced in this session. */
const struct fx_traced *fx_model_traced(const struct fx_model *model);
void fx_traced_free(struct fx_traced *traced);

/* The session's tick and output as they are when called, for what outlives a
 * command; CONTEXT is the session.
 */
bool fx_session_tick(void *context);
/* Whether Ctrl-C was pressed since the command began, also where a guest took
 * it and its node ended all the same.
 */
bool fx_session_is_pressed(void *context);
void fx_session_output(void *context, const char *text, size_t length);

#endif /* FX_SESSION_CAPTURE_H */
