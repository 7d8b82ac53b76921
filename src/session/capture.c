/* capture.c - models from the user's Python. */
#include <config.h>

#include "session/capture.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/blob.h"
#include "base/buf.h"
#include "base/intern.h"
#include "base/mem.h"
#include "emit/python.h"
#include "guest/child_tree.h"
#include "ir/module.h"
#include "load/safetensors.h"
#include "session/breakpoint.h"
#include "session/nested.h"
#include "session/session_private.h"

void
fx_session_set_python(struct fx_session *session, const char *path)
{
	free(session->python);
	session->python = path ? fx_xstrdup(path) : NULL;
}

struct fx_error *
fx_session_start_worker(struct fx_session *session)
{
	if (session->worker) {
		fx_worker_poll(session->worker);
		return NULL;
	}
	return fx_worker_start(session->python, &session->worker);
}

/* A worker that can be asked: one that was killed meanwhile is replaced. */
static struct fx_error *
need_worker(struct fx_session *session)
{
	if (session->worker && !fx_worker_is_alive(session->worker) &&
		fx_worker_was_ready(session->worker)) {
		fx_worker_free(session->worker);
		session->worker = NULL;
	}
	return session->worker ? NULL : fx_session_start_worker(session);
}

/* After a failure the server itself may be gone: the next trace starts one. */
static void
forget_dead_worker(struct fx_session *session, const struct fx_error *err)
{
	if (!err || fx_worker_is_alive(session->worker))
		return;
	fx_worker_free(session->worker);
	session->worker = NULL;
}

/* The flags of REQUEST as they were typed; the caller's. */
static char *
options_text(const struct fx_trace_request *request)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };

	for (size_t i = 0; i < request->leaf_count; i++)
		fx_buf_addf(&text, " --leaf %s", request->leaves[i]);
	for (size_t i = 0; i < request->concrete_count; i++)
		fx_buf_addf(&text, " --concrete %s", request->concrete[i]);
	if (request->is_example)
		fx_buf_add(&text, " --example");
	if (request->is_export)
		fx_buf_add(&text, " --export");
	if (request->is_partial)
		fx_buf_add(&text, " --partial");
	for (size_t i = 0; i < request->vary_count; i++)
		fx_buf_addf(&text, " --vary %s", request->vary[i]);
	if (request->tracer)
		fx_buf_addf(&text, " --tracer %s", request->tracer);
	return fx_xstrdup(text.length ? fx_buf_text(&text) + 1 : "");
}

static struct fx_traced *
traced_new(const struct fx_trace_request *request,
	struct fx_trace_result *report, bool is_partial)
{
	struct fx_traced *traced = FX_NEW(struct fx_traced);

	traced->spec = fx_xstrdup(request->spec);
	traced->options = options_text(request);
	traced->python = fx_xstrdup(report->python);
	traced->path = fx_xstrdup(report->path);
	traced->torch = fx_xstrdup(report->torch);
	traced->mode = fx_xstrdup(report->mode);
	traced->build_ms = report->build_ms;
	traced->trace_ms = report->trace_ms;
	traced->seed = request->seed;
	traced->is_partial = is_partial;
	traced->recording = FX_TAKE(report->recording);
	traced->inputs = FX_TAKE(report->inputs);
	traced->input_count = report->input_count;
	report->input_count = 0;
	traced->kept = report->kept;
	report->kept = (struct fx_remarks){ 0 };
	return traced;
}

void
fx_traced_free(struct fx_traced *traced)
{
	if (!traced)
		return;
	free(traced->spec);
	free(traced->options);
	free(traced->python);
	free(traced->path);
	free(traced->torch);
	free(traced->mode);
	fx_recording_free(traced->recording);
	for (size_t i = 0; i < traced->input_count; i++)
		free(traced->inputs[i]);
	free(traced->inputs);
	fx_remarks_deinit(&traced->kept);
	free(traced);
}

const struct fx_traced *
fx_model_traced(const struct fx_model *model)
{
	return model->traced;
}

static struct fx_model *
add_model(struct fx_session *session, const struct fx_opening *as,
	struct fx_trace_result *report)
{
	struct fx_graph *graph = FX_TAKE(report->graph);
	struct fx_model *model;

	model = fx_session_add_graph(session, graph,
		as->name ? as->name : graph->class_name, as->line);
	model->is_trusted = true;
	model->capture = FX_TAKE(report->capture);
	model->tree = fx_child_tree_new(graph);
	return model;
}

/* AT are the nodes where the model itself asked to stop: "a b". */
static void
break_at_stops(struct fx_session *session, struct fx_model *model,
	const char *at)
{
	size_t length;

	for (; (length = strcspn(at, " ")) > 0;
		at += length, at += *at == ' ') {
		FX_AUTO_FREE char *name = fx_xstrndup(at, length);
		const struct fx_breakpoint_spec spec = { .where = name };
		const struct fx_breakpoint *made;

		fx_error_free(fx_breakpoint_add(session, model, &spec, &made));
	}
}

/* What tracing as REQUEST says gave, as a new model; NULL: nothing. */
static struct fx_model *
add_traced(struct fx_session *session, const struct fx_trace_request *request,
	const struct fx_opening *as, struct fx_trace_result *report,
	bool is_partial)
{
	struct fx_opening opening = *as;
	struct fx_model *model;

	if (!report->graph)
		return NULL;
	if (report->inputs && as->line_with_inputs)
		opening.line = as->line_with_inputs;
	model = add_model(session, &opening, report);
	model->traced = traced_new(request, report, is_partial);
	if (model->traced->path)
		model->torch_python = fx_intern(model->traced->path);
	break_at_stops(session, model, report->stops);
	return model;
}

/* The session's own tick and output where REQUEST has none. */
static struct fx_trace_request
completed(struct fx_session *session, const struct fx_trace_request *request)
{
	struct fx_trace_request full = *request;

	full.seed = session->seed;
	if (!full.tick && !full.output) {
		full.tick = fx_session_tick;
		full.output = fx_session_output;
		full.context = session;
	}
	return full;
}

struct fx_error *
fx_session_attach(struct fx_session *session, int fd,
	const struct fx_opening *as, struct fx_trace_result *report,
	struct fx_model **ret)
{
	const struct fx_trace_request request =
		completed(session, &(struct fx_trace_request){
					   .spec = "fxdb.debug",
				   });
	struct fx_error *err = fx_session_need_room(session);

	*ret = NULL;
	memset(report, 0, sizeof(*report));
	if (!err)
		err = fx_capture_attach(fd, &request,
			fx_session_serial(session), report);
	*ret = add_traced(session, &request, as, report, err);
	return err;
}

bool
fx_model_is_of_program(const struct fx_model *model)
{
	return fx_capture_is_program(model->capture) && !model->capture_copy;
}

struct fx_error *
fx_model_let_go(struct fx_model *model)
{
	FX_AUTO_BUF struct fx_buf imports = { 0 };
	const struct fx_emit_python options = { .imports = &imports };
	struct fx_nested_graphs graphs;
	json_t *codes = json_object();
	struct fx_error *err;

	fx_model_nested(model, &graphs);
	fx_vec_push(&graphs, model->graph);
	for (size_t i = 0; i < graphs.count; i++) {
		FX_AUTO_BUF struct fx_buf code = { 0 };

		fx_emit_python(&code, graphs.items[i], &options, NULL);
		json_object_set_new(codes,
			fx_model_graph_path(model, graphs.items[i]),
			json_string(fx_buf_text(&code)));
	}
	err = fx_capture_let_go(model->capture, codes, fx_buf_text(&imports));
	json_decref(codes);
	fx_vec_deinit(&graphs);
	return err;
}

struct fx_error *
fx_session_trace(struct fx_session *session,
	const struct fx_trace_request *request, const struct fx_opening *as,
	struct fx_trace_result *report, struct fx_model **ret)
{
	const struct fx_trace_request full = completed(session, request);
	struct fx_error *err;

	*ret = NULL;
	memset(report, 0, sizeof(*report));
	err = fx_session_need_room(session);
	if (!err)
		err = need_worker(session);
	if (err)
		return err;
	fx_progress_set_doing(&session->progress, "tracing");
	err = fx_worker_trace(session->worker, &full,
		fx_session_serial(session), report);
	fx_session_output(session, "", 0);
	forget_dead_worker(session, err);
	*ret = add_traced(session, &full, as, report, err);
	return err;
}

struct fx_error *
fx_session_read_file(struct fx_session *session, const char *path,
	const char *as, struct fx_safetensors **ret)
{
	const struct fx_trace_request request = completed(session,
		&(struct fx_trace_request){ .spec = path, .file = as });
	struct fx_trace_result result = { .graph = NULL };
	FX_AUTO_FREE char *skipped = NULL;
	struct fx_error *err = need_worker(session);

	if (err)
		return err;
	err = fx_worker_trace(session->worker, &request,
		fx_session_serial(session), &result);
	fx_session_output(session, "", 0);
	forget_dead_worker(session, err);
	if (!err)
		err = fx_capture_weights(result.capture, ret, &skipped);
	fx_trace_result_deinit(&result);
	return err;
}

struct fx_error *
fx_session_host(struct fx_session *session, struct fx_capture **ret)
{
	const struct fx_trace_request request =
		completed(session, &(struct fx_trace_request){
					   .spec = "a pass", .is_host = true });
	struct fx_trace_result result = { .graph = NULL };
	struct fx_error *err = need_worker(session);

	if (err)
		return err;
	err = fx_worker_trace(session->worker, &request,
		fx_session_serial(session), &result);
	forget_dead_worker(session, err);
	*ret = FX_TAKE(result.capture);
	fx_trace_result_deinit(&result);
	return err;
}

/* By what was captured and not by what stands at a path now: edits put others
 * there, and undo brings back those that were.
 */
struct fx_error *
fx_model_fetch_weights(struct fx_model *model, char **skipped_ret)
{
	FX_AUTO_SAFETENSORS struct fx_safetensors *file = NULL;
	struct fx_error *err;

	*skipped_ret = NULL;
	if (!model->capture || !model->tree || model->has_weights)
		return NULL;
	err = fx_capture_weights(model->capture, &file, skipped_ret);
	if (err)
		return err;
	fx_child_tree_attach(model->tree, file);
	model->has_weights = true;
	model->left_behind = fx_intern(*skipped_ret);
	return NULL;
}

const char *
fx_model_left_behind(const struct fx_model *model)
{
	const char *names = model->left_behind;

	return names && *names ? names : NULL;
}

int
fx_model_process(const struct fx_model *model)
{
	return model->capture ? fx_capture_process(model->capture) : 0;
}

/* Another model than MODEL that has its process, or NULL. */
static struct fx_model *
sharer(const struct fx_model *model)
{
	struct fx_model **other;

	fx_vec_for_each (other, &model->session->models)
		if (*other != model && (*other)->capture == model->capture)
			return *other;
	return NULL;
}

void
fx_model_leave_capture(struct fx_model *model)
{
	if (model->capture && !sharer(model))
		fx_capture_kill(model->capture);
	if (fx_session_retire_capture(model->session, model))
		return;
	fx_capture_free(model->capture);
	fx_child_tree_free(model->tree);
	model->capture = NULL;
	model->tree = NULL;
}

void
fx_model_end_capture(struct fx_model *model)
{
	struct fx_model *other;

	while (model->capture && (other = sharer(model))) {
		fx_position_kill(other);
		fx_model_leave_capture(other);
	}
	fx_model_leave_capture(model);
}

void
fx_model_share_capture(struct fx_model *copy, const struct fx_model *model)
{
	if (!model->capture || !model->tree ||
		!fx_capture_process(model->capture))
		return;
	copy->capture = model->capture;
	copy->capture_copy = fx_capture_share(model->capture);
	copy->tree = fx_child_tree_copy(model->tree, model->graph, copy->graph);
	copy->has_weights = model->has_weights;
	copy->left_behind = model->left_behind;
}
