/* pass_request.c - a graph for the user's Python, and what comes back.
 *
 * Modules and tensors that the process still has are named by their paths
 * there; others are described: modules by the call that constructs them,
 * tensors by their bytes, which lie in one memory before the text of the
 * request itself.
 */
#include <config.h>

#include "guest/pass_request.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/blob.h"
#include "base/buf.h"
#include "base/dtype.h"
#include "base/mem.h"
#include "emit/construct.h"
#include "guest/child_tree.h"
#include "guest/python_wire.h"
#include "guest/worker_private.h"
#include "ir/edit.h"
#include "ir/graph.h"
#include "ir/module.h"
#include "load/open.h"
#include "load/safetensors.h"

#define ALIGNMENT 64

struct writer {
	const struct fx_python_pass *pass;
	json_t *modules, *tensors, *graphs;
	struct fx_map places;   /* module or tensor -> the path it stands at */
	struct fx_map storages; /* storage -> where its bytes begin, + 1 */
	struct fx_map called;   /* modules that nodes call */
	struct fx_graph *scratch;
	int memory;
	uint64_t size; /* of the bytes in it */
};

static struct fx_error *
no_memory(void)
{
	return fx_error_new(FX_ERR_NO_SPACE,
		"no memory to hand the graph over in");
}

/* Bytes. */

FX_NODISCARD static struct fx_error *
write_all(const struct writer *w, const char *bytes, size_t size)
{
	while (size > 0) {
		ssize_t wrote = write(w->memory, bytes, size);

		if (wrote <= 0)
			return no_memory();
		bytes += wrote;
		size -= (size_t)wrote;
	}
	return NULL;
}

FX_NODISCARD static struct fx_error *
write_blob(struct writer *w, const struct fx_blob *blob)
{
	static const char zeros[ALIGNMENT];
	FX_AUTO_FREE char *chunk = fx_xmalloc(1 << 20);
	size_t size = fx_blob_size(blob);
	size_t rest = (size_t)(-w->size & (ALIGNMENT - 1));
	struct fx_error *err = write_all(w, zeros, rest);

	w->size += rest;
	for (size_t at = 0; at < size && !err;) {
		size_t count = size - at < 1 << 20 ? size - at : 1 << 20;

		err = fx_blob_read(blob, at, count, chunk);
		if (!err)
			err = write_all(w, chunk, count);
		at += count;
	}
	return err;
}

/* Where the bytes of STORAGE begin, which are written at the first time. */
FX_NODISCARD static struct fx_error *
place_storage(struct writer *w, const struct fx_storage *storage,
	uint64_t *begin_ret)
{
	uintptr_t known = fx_map_get(&w->storages, (uintptr_t)storage, 0);
	struct fx_error *err = NULL;

	if (!known) {
		err = write_blob(w, storage->blob);
		known = (uintptr_t)w->size + 1;
		w->size += fx_blob_size(storage->blob);
		fx_map_set(&w->storages, (uintptr_t)storage, known);
	}
	*begin_ret = known - 1;
	return err;
}

/* Tensors. */

static json_t *
sizes_json(const int64_t *sizes, uint32_t rank)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < rank; i++)
		json_array_append_new(list, json_integer(sizes[i]));
	return list;
}

static json_t *
strides_json(const struct fx_tensor *tensor)
{
	json_t *list = json_array();
	int64_t step = 1;

	if (tensor->strides)
		return sizes_json(tensor->strides, tensor->rank);
	for (uint32_t i = tensor->rank; i-- > 0;) {
		json_array_insert_new(list, 0, json_integer(step));
		step *= tensor->sizes[i];
	}
	return list;
}

FX_NODISCARD static struct fx_error *
describe_tensor(struct writer *w, const struct fx_tensor *tensor,
	json_t *record)
{
	json_t *bytes = json_null();
	uint64_t begin;

	if (tensor->storage && tensor->storage->blob) {
		struct fx_error *err =
			place_storage(w, tensor->storage, &begin);

		if (err)
			return err;
		bytes = json_pack("[I, I]", (json_int_t)begin,
			(json_int_t)fx_blob_size(tensor->storage->blob));
	}
	json_object_set_new(record, "bytes", bytes);
	json_object_set_new(record, "dtype",
		json_string(fx_dtype_info(tensor->dtype)->name));
	json_object_set_new(record, "shape",
		sizes_json(tensor->sizes, tensor->rank));
	json_object_set_new(record, "strides", strides_json(tensor));
	json_object_set_new(record, "offset", json_integer(tensor->offset));
	return NULL;
}

/* TENSOR at PATH, unless the process has it at IMPLIED, which may be null. */
FX_NODISCARD static struct fx_error *
put_tensor(struct writer *w, const struct fx_tensor *tensor, const char *path,
	const char *implied)
{
	const char *theirs = w->pass->tree
				     ? fx_child_tree_path(w->pass->tree, tensor)
				     : NULL;
	const char *same = fx_map_get_pointer(&w->places, tensor);
	json_t *record;

	fx_map_set_pointer(&w->places, tensor, path);
	if (theirs && theirs == implied)
		return NULL;
	record = json_pack("{s:s, s:s, s:b, s:b}", "path", path, "kind",
		tensor->is_buffer ? "buffer" : "parameter", "persistent",
		tensor->is_persistent, "grad", tensor->requires_grad);
	json_array_append_new(w->tensors, record);
	if (theirs)
		json_object_set_new(record, "theirs", json_string(theirs));
	else if (same)
		json_object_set_new(record, "same", json_string(same));
	else
		return describe_tensor(w, tensor, record);
	return NULL;
}

/* Nodes. */

static json_t *
frames_json(const struct fx_source *source)
{
	json_t *list = json_array();

	for (size_t i = 0; source && i < source->count; i++)
		json_array_append_new(list,
			json_pack("[s, i, s]", source->frames[i].file,
				source->frames[i].line,
				source->frames[i].function
					? source->frames[i].function
					: ""));
	return list;
}

FX_NODISCARD static struct fx_error *
put_nodes(const struct fx_graph *graph, json_t *list)
{
	const struct fx_node *node;

	fx_graph_for_each_node (node, graph) {
		json_t *args = NULL;
		json_t *kwargs = NULL;
		struct fx_error *err = fx_wire_put_value(&node->args, &args);

		if (!err)
			err = fx_wire_put_value(&node->kwargs, &kwargs);
		if (err) {
			json_decref(args);
			return fx_error_note(err, "in the arguments of %%%s",
				node->name);
		}
		json_array_append_new(list,
			json_pack("[s, s, s, o, o, s?, o]",
				fx_opcode_word((enum fx_opcode)node->opcode),
				node->target, node->name, args, kwargs,
				node->type, frames_json(node->source)));
	}
	return NULL;
}

/* Modules. */

/* The modules that GRAPH and graphs within it call, which may stand at other
 * paths too.
 */
static void
note_called(struct writer *w, const struct fx_graph *graph)
{
	const struct fx_node *node;

	fx_graph_for_each_node (node, graph) {
		const struct fx_module *module = NULL;

		if (node->opcode == FX_OPCODE_CALL_MODULE ||
			node->opcode == FX_OPCODE_GET_ATTR)
			module = fx_module_find(graph->module, node->target);
		if (!module || fx_map_has(&w->called, (uintptr_t)module))
			continue;
		fx_map_set_pointer(&w->called, module, (void *)module);
		if (module->graph)
			note_called(w, module->graph);
	}
}

/* The call that constructs MODULE; none of what only holds others. */
FX_NODISCARD static struct fx_error *
put_maker(struct writer *w, const struct fx_module *module, const char *path,
	json_t *record)
{
	FX_AUTO_BUF struct fx_buf call = { 0 };

	json_object_set_new(record, "training", json_boolean(module->training));
	if (module->graph || !fx_map_has(&w->called, (uintptr_t)module)) {
		json_object_set_new(record, "make", json_null());
		return NULL;
	}
	if (module->own_code || !fx_emit_construct(&call, w->scratch, module))
		return fx_error_hint(
			fx_error_new(FX_ERR_UNSUPPORTED,
				"%s, a %s, cannot be made in Python: the "
				"process that has it is not there",
				path, fx_class_short_name(module->class_name)),
			"trace opens the model from its source");
	json_object_set_new(record, "make", json_string(fx_buf_text(&call)));
	return NULL;
}

FX_NODISCARD static struct fx_error *put_inside(struct writer *w,
	const struct fx_module *module, const char *path, const char *theirs,
	bool is_made);

/* MODULE at PATH; IS_MADE: by the call that made what is above, else the
 * process may have it at IMPLIED.
 */
FX_NODISCARD static struct fx_error *
put_module(struct writer *w, struct fx_module *module, const char *path,
	const char *implied, bool is_made)
{
	const char *same = fx_map_get_pointer(&w->places, module);
	const char *theirs =
		w->pass->tree && !is_made
			? fx_child_tree_current_path(w->pass->tree, module)
			: NULL;
	json_t *record;
	struct fx_error *err = NULL;

	if (is_made || (theirs && theirs == implied))
		return put_inside(w, module, path, theirs, is_made);
	record = json_pack("{s:s}", "path", path);
	json_array_append_new(w->modules, record);
	if (same) {
		json_object_set_new(record, "same", json_string(same));
		return NULL;
	}
	if (theirs)
		json_object_set_new(record, "theirs", json_string(theirs));
	else
		err = put_maker(w, module, path, record);
	if (err)
		return err;
	return put_inside(w, module, path, theirs,
		json_is_string(json_object_get(record, "make")));
}

/* The graph that MODULE at PATH has, with modules of its own: as put_inside. */
FX_NODISCARD static struct fx_error *
put_graph(struct writer *w, const struct fx_module *module, const char *path,
	const char *theirs, bool is_made)
{
	json_t *nodes = json_array();
	struct fx_error *err;

	json_array_append_new(w->graphs,
		json_pack("{s:s, s:s, s:b, s:o}", "path", path, "class",
			fx_class_short_name(module->class_name), "training",
			module->training, "nodes", nodes));
	err = put_nodes(module->graph, nodes);
	if (err)
		return err;
	return put_inside(w, module->graph->module, path, theirs, is_made);
}

/* What belongs to MODULE, which the process has as THEIRS, or which was made
 * by a call; else THEIRS is null.
 */
static struct fx_error *
put_inside(struct writer *w, const struct fx_module *module, const char *path,
	const char *theirs, bool is_made)
{
	struct fx_error *err = NULL;

	fx_map_set_pointer(&w->places, module, path);
	if (module->graph) /* which has the modules that it calls */
		return put_graph(w, module, path, theirs, is_made);
	for (size_t i = 0; i < module->member_count && !err; i++) {
		const struct fx_member *member = &module->members[i];
		const char *at = fx_module_path(path, member->name);
		const char *implied =
			theirs ? fx_module_path(theirs, member->name) : NULL;

		if (member->child)
			err = put_module(w, member->child, at, implied,
				is_made);
		else if (member->tensor)
			err = put_tensor(w, member->tensor, at, implied);
	}
	return err;
}

FX_NODISCARD static struct fx_error *
put_all(struct writer *w, json_t *request)
{
	struct fx_graph *graph = w->pass->graph;
	json_t *nodes = json_array();
	struct fx_error *err;

	w->modules = json_array();
	w->tensors = json_array();
	w->graphs = json_array();
	json_object_set_new(request, "modules", w->modules);
	json_object_set_new(request, "tensors", w->tensors);
	json_object_set_new(request, "graphs", w->graphs);
	json_object_set_new(request, "nodes", nodes);
	json_object_set_new(request, "class",
		json_string(graph->class_name ? graph->class_name
					      : "GraphModule"));
	json_object_set_new(request, "training",
		json_boolean(graph->module->training));
	note_called(w, graph);
	err = put_module(w, graph->module, "", NULL, false);
	return err ? err : put_nodes(graph, nodes);
}

/* The bytes of tensors, then REQUEST as text; *FD_RET is the caller's. */
FX_NODISCARD static struct fx_error *
write_request(const struct fx_python_pass *pass, json_t *message, int *fd_ret)
{
	struct writer w = { .pass = pass, .scratch = fx_graph_new(0) };
	json_t *request = json_object();
	FX_AUTO_FREE char *text = NULL;
	struct fx_error *err;

	w.memory = memfd_create("fxdb-pass", MFD_CLOEXEC);
	err = w.memory >= 0 ? put_all(&w, request) : no_memory();
	if (!err)
		text = json_dumps(request, JSON_COMPACT);
	if (text)
		err = write_all(&w, text, strlen(text));
	if (text)
		json_object_set_new(message, "request",
			json_pack("[I, I]", (json_int_t)w.size,
				(json_int_t)strlen(text)));
	json_decref(request);
	fx_map_deinit(&w.places);
	fx_map_deinit(&w.storages);
	fx_map_deinit(&w.called);
	fx_graph_free(w.scratch);
	if (err && w.memory >= 0)
		close(w.memory);
	else
		*fd_ret = w.memory;
	return err;
}

/* Back. */

void
fx_python_passed_deinit(struct fx_python_passed *passed)
{
	fx_graph_free(passed->graph);
	json_decref(passed->renamed);
	*passed = (struct fx_python_passed){ .graph = NULL };
}

/* Give the tensors of GRAPH the bytes that came along. */
FX_NODISCARD static struct fx_error *
attach_all(struct fx_capture *capture, struct fx_graph *graph)
{
	FX_AUTO_SAFETENSORS struct fx_safetensors *file = NULL;
	FX_AUTO_FREE char *path = NULL;
	struct fx_child_tree *tree;
	struct fx_error *err;

	if (capture->channel.received_fd < 0)
		return fx_error_new(FX_ERR_CHILD, "no weights came along");
	path = fx_xasprintf("/proc/self/fd/%d", capture->channel.received_fd);
	err = fx_safetensors_open(path, &file);
	if (err)
		return err;
	tree = fx_child_tree_new(graph);
	fx_child_tree_attach(tree, file);
	fx_child_tree_free(tree);
	return NULL;
}

/* Functions that are what they were are written as they were. */
FX_NODISCARD static struct fx_error *
spell(struct fx_graph *graph, const json_t *spelled)
{
	struct fx_error *err = NULL;
	json_t *pair;
	size_t i;

	json_array_foreach(spelled, i, pair)
	{
		const char *name = json_string_value(json_array_get(pair, 0));
		const char *target = json_string_value(json_array_get(pair, 1));
		struct fx_node *node = name ? fx_graph_find(graph, name) : NULL;

		if (node && target && node->opcode == FX_OPCODE_CALL_FUNCTION)
			err = fx_edit_set_target(node, target);
		if (err)
			return err;
	}
	return NULL;
}

FX_NODISCARD static struct fx_error *
read_answer(const struct fx_python_pass *pass, json_t *answer, const char *text,
	struct fx_python_passed *ret)
{
	const struct fx_load_input input = {
		.text = text ? text : "",
		.length = (size_t)json_integer_value(json_object_get(answer,
			"bytes")),
		.serial = pass->serial,
	};
	FX_AUTO_LOADED struct fx_loaded loaded = { 0 };
	struct fx_error *err = fx_open_text(&input, &loaded);

	if (err)
		return fx_error_note(err, "in what %s made", pass->spec);
	ret->graph = FX_TAKE(loaded.graph);
	ret->renamed = json_incref(json_object_get(answer, "renamed"));
	err = spell(ret->graph, json_object_get(answer, "spelled"));
	return err ? err : attach_all(pass->capture, ret->graph);
}

struct fx_error *
fx_python_pass_run(const struct fx_python_pass *pass,
	struct fx_python_passed *ret)
{
	json_t *message = json_pack("{s:s, s:s, s:I}", "op", "pass", "spec",
		pass->spec, "seed", (json_int_t)pass->seed);
	struct fx_question question = {
		.message = message,
		.fd = -1,
		.is_harmless = true, /* it works in a copy of the process */
		.tick = pass->tick,
		.output = pass->output,
		.context = pass->context,
	};
	FX_AUTO_FREE char *text = NULL;
	json_t *answer = NULL;
	struct fx_error *err;

	*ret = (struct fx_python_passed){ .graph = NULL };
	if (!message)
		return fx_error_new(FX_ERR_USAGE,
			"the pass's name is no UTF-8 text");
	err = write_request(pass, message, &question.fd);
	/* The child does not know of what was typed meanwhile. */
	if (!err && pass->tick && pass->tick(pass->context))
		err = fx_error_new(FX_ERR_INTERRUPTED, "%s was interrupted",
			pass->spec);
	if (!err)
		err = fx_capture_ask(pass->capture, &question, &answer, &text);
	if (!err)
		err = read_answer(pass, answer, text, ret);
	json_decref(answer);
	json_decref(message);
	if (question.fd >= 0)
		close(question.fd);
	if (err)
		fx_python_passed_deinit(ret);
	return err;
}
