/* backend_python.c - nodes run in the process that traced the graph.
 *
 * capture/fxdb/_run.py is the other end.  What is released here is told there
 * with the next call, so that freeing costs no message of its own.
 */
#include <config.h>

#include "guest/backend_python_private.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/dtype.h"
#include "base/intern.h"
#include "base/mem.h"
#include "guest/channel.h"
#include "guest/child_tree.h"
#include "guest/python_wire.h"
#include "guest/torch_private.h"
#include "guest/worker.h"
#include "ir/graph.h"
#include "ir/module.h"
#include "ir/value_text.h"
#include "ir/value_walk.h"
#include "ops/world.h"

struct plan {
	json_int_t number;
	uint64_t writes;
	struct fx_datum *also;  /* writes a list of these, or NULL */
	struct fx_datum *names; /* of these, or NULL */
};

static void
state_unref(struct fx_python_state *state)
{
	if (--state->references)
		return;
	json_decref(state->objects);
	json_decref(state->plans);
	free(state->ahead.bytes);
	free(state);
}

/* --- asking ------------------------------------------------------------- */

struct fx_error *
fx_python_ask(struct fx_python_state *state, const char *operation,
	struct fx_asking *a)
{
	struct fx_question question = {
		.message = a->message,
		.fd = a->fd,
		.tick = state->run.tick,
		.output = state->run.output,
		.context = state->run.context,
	};
	struct fx_error *err;

	if (state->is_over)
		err = fx_error_new(FX_ERR_CHILD,
			"the process that holds the value is gone");
	else {
		json_object_set_new(a->message, "op", json_string(operation));
		if (state->run.copy)
			json_object_set_new(a->message, "copy",
				json_integer(state->run.copy));
		err = fx_capture_ask(state->run.capture, &question, &a->answer,
			&a->bytes);
	}
	json_decref(a->message);
	a->message = NULL;
	return err;
}

void
fx_asking_deinit(struct fx_asking *a)
{
	json_decref(a->answer);
	free(a->bytes);
}

/* Tell what is no longer needed, when it is worth a message. */
static struct fx_error *
forget(struct fx_python_state *state)
{
	struct fx_asking a = { .fd = -1 };
	struct fx_error *err;

	if (json_array_size(state->objects) + json_array_size(state->plans) <
		16)
		return NULL;
	a.message = json_pack("{s:o, s:o}", "objects", state->objects, "plans",
		state->plans);
	/* What is released while it is asked is told the next time. */
	state->objects = json_array();
	state->plans = json_array();
	err = fx_python_ask(state, "run_forget", &a);
	fx_asking_deinit(&a);
	return err;
}

/* --- payloads ----------------------------------------------------------- */

static void
python_payload_free(void *pointer)
{
	struct fx_python_host_tensor *payload = pointer;

	json_array_append_new(payload->state->objects,
		json_integer(payload->number));
	state_unref(payload->state);
	free(payload->sizes);
	free(payload->text);
	free(payload);
}

static const char *
text_of(json_t *object, const char *key)
{
	const char *text = fx_message_text(object, key);

	return text ? text : "";
}

/* What the process told of a tensor. */
static void
python_host_tensor_fill(struct fx_python_host_tensor *payload, json_t *object)
{
	json_t *shape = json_object_get(object, "shape");
	json_t *strides = json_object_get(object, "strides");
	size_t rank = json_array_size(shape);

	free(payload->sizes);
	payload->sizes = fx_xcalloc(2 * rank, sizeof(*payload->sizes));
	payload->is_tensor = true;
	payload->reshaped = payload->state->reshaped;
	payload->meta = (struct fx_tensor_meta){
		.dtype = fx_dtype_find(text_of(object, "dtype")),
		.has_shape = true,
		.rank = (uint32_t)rank,
		.sizes = payload->sizes,
		.strides = payload->sizes + rank,
		.device = fx_intern(text_of(object, "device")),
	};
	for (size_t i = 0; i < rank; i++) {
		payload->sizes[i] =
			fx_value_int(json_integer_value(json_array_get(shape,
				i)));
		payload->sizes[rank + i] =
			fx_value_int(json_integer_value(json_array_get(strides,
				i)));
	}
	payload->offset =
		(int64_t)json_integer_value(json_object_get(object, "offset"));
	payload->storage = (uintptr_t)json_integer_value(json_object_get(object,
		"storage"));
	payload->storage_size =
		(size_t)json_integer_value(json_object_get(object, "size"));
}

/* For fx_wire_get. */
static struct fx_datum *
hold(void *context, json_t *object)
{
	struct fx_python_state *state = context;
	struct fx_python_host_tensor *payload =
		FX_NEW(struct fx_python_host_tensor);

	payload->state = state;
	state->references++;
	payload->number = json_integer_value(json_object_get(object, "h"));
	if (json_object_get(object, "dtype"))
		python_host_tensor_fill(payload, object);
	else
		payload->text = fx_xstrdup(text_of(object, "text"));
	return fx_datum_payload_take(payload->is_tensor ? FX_DATUM_TENSOR
							: FX_DATUM_HANDLE,
		&state->backend, payload);
}

/* Ask what gives a value. */
struct fx_error *
fx_python_ask_datum(struct fx_python_state *state, const char *operation,
	struct fx_asking *a, struct fx_datum **ret)
{
	struct fx_error *err = fx_python_ask(state, operation, a);

	state->reshaped += json_is_true(json_object_get(a->answer, "reshaped"));
	if (!err)
		err = fx_wire_get(json_object_get(a->answer, "result"), hold,
			state, ret);
	fx_asking_deinit(a);
	return err;
}

const struct fx_python_host_tensor *
fx_python_host_tensor_now(const void *pointer)
{
	struct fx_python_host_tensor *payload =
		(struct fx_python_host_tensor *)(uintptr_t)pointer;
	struct fx_asking a;
	struct fx_error *err;

	if (!payload->is_tensor || payload->state->is_over ||
		payload->reshaped == payload->state->reshaped)
		return payload;
	a = fx_python_about(payload);
	err = fx_python_ask(payload->state, "run_shape", &a);
	if (!err)
		python_host_tensor_fill(payload, a.answer);
	/* Who needs more of a process that is gone is told then. */
	fx_error_free(err);
	fx_asking_deinit(&a);
	return payload;
}

static struct fx_kind
python_kind(const void *pointer)
{
	const struct fx_python_host_tensor *payload =
		fx_python_host_tensor_now(pointer);

	if (!payload->is_tensor)
		return (struct fx_kind){ .kind = FX_VALUE_HELD, .rank = -1 };
	return (struct fx_kind){
		.kind = FX_VALUE_TENSOR,
		.dtype = (uint8_t)payload->meta.dtype,
		.rank = (int16_t)payload->meta.rank,
	};
}

static const struct fx_tensor_meta *
python_meta(const void *pointer, struct fx_arena *arena)
{
	const struct fx_value now = { .kind = FX_VALUE_TENSOR,
		.tensor = &fx_python_host_tensor_now(pointer)->meta };

	return fx_value_clone(arena, &now).tensor;
}

struct fx_asking
fx_python_about(const struct fx_python_host_tensor *payload)
{
	return (struct fx_asking){
		.message = json_pack("{s:I}", "h", payload->number),
		.fd = -1,
	};
}

static void
python_print(const void *pointer, bool in_full, struct fx_buf *out)
{
	const struct fx_python_host_tensor *payload =
		fx_python_host_tensor_now(pointer);
	struct fx_value value = { .kind = FX_VALUE_TENSOR,
		.tensor = &payload->meta };
	struct fx_asking a;
	struct fx_error *err;

	if (!payload->is_tensor) {
		fx_buf_add(out, payload->text);
		return;
	}
	if (!in_full) {
		fx_value_print_shape(out, &value, false);
		return;
	}
	a = fx_python_about(payload);
	err = fx_python_ask(payload->state, "run_text", &a);
	fx_buf_add(out,
		err ? fx_error_message(err) : text_of(a.answer, "result"));
	fx_error_free(err);
	fx_asking_deinit(&a);
}

static struct fx_error *
python_truth(const void *pointer, bool *ret)
{
	const struct fx_python_host_tensor *payload = pointer;
	struct fx_asking a = fx_python_about(payload);
	struct fx_error *err = fx_python_ask(payload->state, "run_truth", &a);

	if (!err)
		*ret = json_is_true(json_object_get(a.answer, "result"));
	fx_asking_deinit(&a);
	return err;
}

/* --- calls -------------------------------------------------------------- */

struct fx_python_state *
fx_python_state_of(const struct fx_backend *backend)
{
	return backend->state;
}

static void
python_free(struct fx_backend *backend)
{
	struct fx_python_state *state = fx_python_state_of(backend);

	fx_parameters_clear(&state->parameters);
	state->is_over = true;
	state_unref(state);
}

static json_int_t
number_of(const struct fx_datum *datum)
{
	const struct fx_python_host_tensor *payload = datum->payload;

	if (datum->backend->ops->free != python_free)
		return 0;
	return payload->number;
}

/* The path of the module that SITE calls in the process.  Refuse one that was
 * edited after it was captured, since the module in the process is the old one.
 * The caller then expands the call.
 */
static struct fx_error *
find_module(struct fx_python_state *state, const struct fx_call_site *site,
	const char **path_ret)
{
	struct fx_module *module =
		fx_module_find(site->graph->module, site->target);

	if (module && fx_child_tree_has(state->run.tree, module)) {
		*path_ret = fx_child_tree_module_path(state->run.tree, module);
		return NULL;
	}
	/* A trial runs a copy. */
	if (module &&
		fx_child_tree_has_like(state->run.tree, module, site->target)) {
		*path_ret = site->target;
		return NULL;
	}
	return fx_error_new(FX_ERR_UNSUPPORTED,
		"%s is not what was traced any more", site->target);
}

static void
python_plan_free(struct fx_backend *backend, void *pointer)
{
	struct plan *plan = pointer;

	json_array_append_new(fx_python_state_of(backend)->plans,
		json_integer(plan->number));
	fx_datum_unref(plan->also);
	fx_datum_unref(plan->names);
	free(plan);
}

/* Whether NAMES is a sequence of strings, one for each item of ALSO. */
static bool
are_names(const struct fx_value *names, const struct fx_value *also)
{
	if (!fx_value_is_sequence(names) || !fx_value_is_sequence(also) ||
		names->count != also->count)
		return false;
	for (size_t i = 0; i < names->count; i++)
		if (names->items[i].kind != FX_VALUE_STRING)
			return false;
	return true;
}

/* The plan that the process answered to a question for one. */
static struct fx_error *
read_plan(struct fx_backend *backend, json_t *answer, struct plan **ret)
{
	struct fx_python_state *state = fx_python_state_of(backend);
	json_t *also = json_object_get(answer, "also");
	struct plan *plan = FX_NEW(struct plan);
	struct fx_error *err = NULL;

	plan->number = json_integer_value(json_object_get(answer, "plan"));
	plan->writes =
		(uint64_t)json_integer_value(json_object_get(answer, "writes"));
	if (also)
		err = fx_wire_get(also, hold, state, &plan->also);
	if (also && !err)
		err = fx_wire_get(json_object_get(answer, "names"), hold, state,
			&plan->names);
	if (also && !err && !are_names(&plan->names->value, &plan->also->value))
		err = fx_error_new(FX_ERR_CHILD,
			"the process that runs Python named the buffers of a "
			"module in a way that cannot be understood");
	if (err)
		python_plan_free(backend, plan);
	else
		*ret = plan;
	return err;
}

/* What SITE calls may do more than compute, unless it is the graph's own:
 * tracing ran that already.
 */
static struct fx_error *
check_world(const struct fx_backend *backend, const struct fx_call_site *site)
{
	const char *does = fx_world_of_target(site->opcode, site->target);
	const struct fx_node *node;

	if (!does || !backend->confinement)
		return NULL;
	if (backend->confinement != FX_CONFINED_FILE && site->graph)
		fx_graph_for_each_node (node, site->graph)
			if (node->opcode == site->opcode &&
				node->target == site->target &&
				node->op == FX_OP_NONE)
				return NULL;
	return fx_world_check(backend->confinement, site->target, does);
}

/* The bits of arguments that SITE is known to write, whatever Python says. */
static uint64_t
writes_known(const struct fx_call_site *site)
{
	enum fx_op op = fx_op_of_target(site->opcode, site->target);
	struct fx_torch_target target;
	uint64_t bits;

	fx_torch_target_init(&target, site);
	bits = target.writes;
	fx_torch_target_deinit(&target);
	if (op != FX_OP_NONE && fx_op_info(op)->traits & FX_OP_MUTATES)
		bits |= 1;
	return bits;
}

static struct fx_error *
python_resolve(struct fx_backend *backend, const struct fx_call_site *site,
	void **plan_ret)
{
	struct fx_python_state *state = fx_python_state_of(backend);
	const char *target = site->target;
	struct fx_asking a = { .fd = -1 };
	struct fx_error *err;
	struct plan *plan;
	json_t *keywords;

	if (site->opcode == FX_OPCODE_CALL_MODULE)
		err = find_module(state, site, &target);
	else
		err = check_world(backend, site);
	if (err)
		return err;
	keywords = json_array();
	for (size_t i = 0; i < site->keyword_count; i++)
		json_array_append_new(keywords, json_string(site->keywords[i]));
	a.message = json_pack("{s:s, s:s, s:o, s:I}", "opcode",
		fx_opcode_word(site->opcode), "target", target, "keywords",
		keywords, "writes", (json_int_t)writes_known(site));
	err = fx_python_ask(state, "run_resolve", &a);
	if (!err)
		err = read_plan(backend, a.answer, &plan);
	if (!err)
		*plan_ret = plan;
	fx_asking_deinit(&a);
	return err;
}

static struct fx_error *
python_call(struct fx_backend *backend, void *pointer,
	struct fx_datum *const *data, size_t count, struct fx_datum **ret)
{
	struct fx_python_state *state = fx_python_state_of(backend);
	const struct plan *plan = pointer;
	struct fx_asking a = { .fd = -1 };
	json_t *list = json_array();
	struct fx_error *err = forget(state);

	state->has_called = true;
	for (size_t i = 0; i < count && !err; i++) {
		json_t *item = NULL;

		err = fx_wire_put(data[i], number_of, &item);
		if (!err)
			json_array_append_new(list, item);
	}
	if (err) {
		json_decref(list);
		return err;
	}
	a.message = json_pack("{s:I, s:o}", "plan", plan->number, "data", list);
	return fx_python_ask_datum(state, "run_call", &a, ret);
}

static uint64_t
python_writes(const void *plan)
{
	return ((const struct plan *)plan)->writes;
}

static struct fx_datum *
python_also_writes(const void *plan)
{
	return ((const struct plan *)plan)->also;
}

static struct fx_datum *
python_also_names(const void *plan)
{
	return ((const struct plan *)plan)->names;
}

static const struct fx_backend_ops python_ops = {
	.name = "python",
	.has_values = true,
	.free = python_free,
	.resolve = python_resolve,
	.call = python_call,
	.plan_free = python_plan_free,
	.from_tensor = fx_python_from_tensor,
	.new_run = fx_python_new_run,
	.generate = fx_python_generate,
	.payload_free = python_payload_free,
	.kind = python_kind,
	.meta = python_meta,
	.print = python_print,
	.truth = python_truth,
	.read = fx_python_read,
	.write = fx_python_write,
	.storage = fx_python_storage,
	.storage_save = fx_python_storage_save,
	.storage_restore = fx_python_storage_restore,
	.shape_save = fx_python_shape_save,
	.shape_restore = fx_python_shape_restore,
	.writes = python_writes,
	.also_writes = python_also_writes,
	.also_names = python_also_names,
	.random_save = fx_python_random_save,
	.random_restore = fx_python_random_restore,
	.seed = fx_python_seed,
	.set_threads = fx_python_set_threads,
};

struct fx_backend *
fx_backend_python_new(const struct fx_python_run *run)
{
	struct fx_python_state *state = FX_NEW(struct fx_python_state);

	state->references = 1;
	state->backend.ops = &python_ops;
	state->backend.state = state;
	state->run = *run;
	state->objects = json_array();
	state->plans = json_array();
	return &state->backend;
}

void
fx_backend_python_retire(struct fx_backend *backend)
{
	struct fx_python_state *state = fx_python_state_of(backend);
	struct fx_asking a = { .fd = -1 };

	if (!state->run.copy)
		return;
	a.message = json_object();
	fx_error_free(fx_python_ask(state, "run_end_copy", &a));
	fx_asking_deinit(&a);
}
