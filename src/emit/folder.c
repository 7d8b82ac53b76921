/* folder.c - a graph as the module.py of a to_folder folder.
 *
 * Modules are put in place by their paths, parents first; what is shared is
 * put in place a second time.  Values come last, from the weights file, by a
 * reader of a few lines that needs torch alone.
 */
#include <config.h>

#include "emit/folder.h"

#include <string.h>

#include "base/blob.h"
#include "base/buf.h"
#include "base/intern.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/str.h"
#include "emit/construct.h"
#include "emit/python.h"
#include "emit/weights.h"
#include "ir/graph.h"
#include "ir/module.h"
#include "ir/node.h"
#include "meta/shape.h"

static const char head[] = "import torch\n"
			   "from math import inf\n"
			   "from math import nan\n"
			   "NoneType = type(None)\n"
			   "from torch import device\n"
			   "import torch.fx._pytree as fx_pytree\n"
			   "import torch.utils._pytree as pytree\n"
			   "\n"
			   "from torch.nn import *\n";

struct writer {
	struct fx_buf *out;
	struct fx_buf late; /* lines that need every module in place */
	struct fx_graph *graph;
	struct fx_graph *scratch;
	const struct fx_weights *weights;
	struct fx_map modules; /* module -> the path it stands at */
	struct fx_map tensors; /* storage, or tensor without -> the same */
	struct fx_map placed;  /* such a path -> the tensor there */
	const struct fx_graph *called_by; /* calls modules below ... */
	const char *called_at;            /* ... this path */
	struct fx_buf inner;   /* classes within the class: inner graphs */
	struct fx_map classes; /* the names of those in containers */
	const char *dialect;
	struct fx_buf imports;
	bool has_weights;
};

static void
add_quoted(struct fx_buf *out, const char *text)
{
	fx_str_python_repr(out, text, strlen(text));
}

/* self, or the module at PATH. */
static void
add_place(struct fx_buf *out, const char *path)
{
	if (!*path) {
		fx_buf_add(out, "self");
		return;
	}
	fx_buf_add(out, "self.get_submodule(");
	add_quoted(out, path);
	fx_buf_add_char(out, ')');
}

/* `        setattr(PLACE, 'NAME', `: the value and `)` follow. */
static void
begin_set(struct fx_buf *out, const char *path, const char *name)
{
	fx_buf_add(out, "        setattr(");
	add_place(out, path);
	fx_buf_add(out, ", ");
	add_quoted(out, name);
	fx_buf_add(out, ", ");
}

/* Tensors. */

static void
add_sizes(struct fx_buf *out, const int64_t *sizes, size_t rank)
{
	fx_buf_add_char(out, '[');
	for (size_t i = 0; i < rank; i++)
		fx_buf_addf(out, "%s%lld", i ? ", " : "", (long long)sizes[i]);
	fx_buf_add_char(out, ']');
}

static void
add_empty(struct fx_buf *out, const struct fx_tensor *tensor)
{
	fx_buf_add(out, "torch.empty(");
	add_sizes(out, tensor->sizes, tensor->rank);
	fx_buf_addf(out, ", dtype=torch.%s)",
		fx_dtype_info(tensor->dtype)->name);
}

/* Append the strides of TENSOR; if it has none, those of a contiguous tensor.
 */
static void
add_strides(struct fx_buf *out, const struct fx_tensor *tensor)
{
	int64_t strides[FX_RANK_LIMIT];
	int64_t numel = fx_tensor_numel(tensor);
	int64_t step = 1;

	for (size_t i = tensor->rank; i-- > 0;) {
		strides[i] = step;
		/* What is empty has any, and sizes beside the 0 may be huge. */
		step *= numel ? tensor->sizes[i] : 1;
	}
	add_sizes(out, tensor->strides ? tensor->strides : strides,
		tensor->rank);
}

static bool
is_same_place(const struct fx_tensor *a, const struct fx_tensor *b)
{
	return a->dtype == b->dtype && a->rank == b->rank &&
	       a->offset == b->offset && a->is_buffer == b->is_buffer &&
	       !memcmp(a->sizes, b->sizes, a->rank * sizeof(*a->sizes)) &&
	       !a->strides == !b->strides &&
	       (!a->strides || !memcmp(a->strides, b->strides,
				       a->rank * sizeof(*a->strides)));
}

/* Where the values of the tensor at PATH come from. */
static void
add_values(struct writer *w, const struct fx_tensor *tensor, const char *path)
{
	const struct fx_weight *weight =
		tensor->storage ? fx_weights_find(w->weights, tensor->storage)
				: NULL;
	struct fx_buf *out = &w->late;

	if (!weight || !tensor->storage->blob || tensor->rank > FX_RANK_LIMIT)
		return;
	w->has_weights = true;
	fx_buf_add(out, "        self.");
	fx_buf_addf(out, "%s(",
		tensor->is_buffer ? "get_buffer" : "get_parameter");
	add_quoted(out, path);
	fx_buf_add(out, ").data.copy_(weights[");
	add_quoted(out, weight->key);
	fx_buf_add_char(out, ']');
	if (!weight->whole || !is_same_place(weight->whole, tensor)) {
		/* Of a copy: the offset counts from where storage begins. */
		fx_buf_addf(out,
			".flatten().view(torch.%s).clone().as_strided(",
			fx_dtype_info(tensor->dtype)->name);
		add_sizes(out, tensor->sizes, tensor->rank);
		fx_buf_add(out, ", ");
		add_strides(out, tensor);
		fx_buf_addf(out, ", %lld)", (long long)tensor->offset);
	}
	fx_buf_add(out, ")\n");
}

/* The path that TENSOR stands at already, or NULL: it stands at PATH then.
 * Tied parameters may be two tensors at the same place of one storage.
 */
static const char *
other_path(struct writer *w, const struct fx_tensor *tensor, const char *path)
{
	const void *key = tensor->storage ? (const void *)tensor->storage
					  : (const void *)tensor;
	const char *other = fx_map_get_pointer(&w->tensors, key);

	if (!other) {
		fx_map_set_pointer(&w->tensors, key, path);
		fx_map_set_pointer(&w->placed, path, tensor);
		return NULL;
	}
	return is_same_place(tensor, fx_map_get_pointer(&w->placed, other))
		       ? other
		       : NULL;
}

/* The tensor M of the module at AT; HAS_MADE says that a constructor made it.
 */
static void
add_tensor(struct writer *w, const struct fx_member *m, const char *at,
	bool has_made)
{
	const struct fx_tensor *tensor = m->tensor;
	const char *path = fx_module_path(at, m->name);
	const char *same = other_path(w, tensor, path);
	struct fx_buf *out = w->out;

	if (same) {
		begin_set(out, at, m->name);
		fx_buf_addf(out, "self.%s(",
			tensor->is_buffer ? "get_buffer" : "get_parameter");
		add_quoted(out, same);
		fx_buf_add(out, "))\n");
		return;
	}
	if (!has_made && tensor->is_buffer) {
		fx_buf_add(out, "        ");
		add_place(out, at);
		fx_buf_add(out, ".register_buffer(");
		add_quoted(out, m->name);
		fx_buf_add(out, ", ");
		add_empty(out, tensor);
		fx_buf_addf(out, "%s)\n",
			tensor->is_persistent ? "" : ", persistent=False");
	} else if (!has_made) {
		begin_set(out, at, m->name);
		fx_buf_add(out, "torch.nn.Parameter(");
		add_empty(out, tensor);
		fx_buf_addf(out, "%s))\n",
			tensor->requires_grad ? "" : ", requires_grad=False");
	} else if (!tensor->is_buffer && !tensor->requires_grad) {
		fx_buf_add(out, "        self.get_parameter(");
		add_quoted(out, path);
		fx_buf_add(out, ").requires_grad_(False)\n");
	}
	add_values(w, tensor, path);
}

static void
add_none(struct writer *w, const struct fx_member *m, const char *at)
{
	static const char *const verbs[] = { [FX_MEMBER_CHILD] = "add_module",
		[FX_MEMBER_PARAMETER] = "register_parameter",
		[FX_MEMBER_BUFFER] = "register_buffer" };

	fx_buf_add(w->out, "        ");
	add_place(w->out, at);
	fx_buf_addf(w->out, ".%s(", verbs[m->kind]);
	add_quoted(w->out, m->name);
	fx_buf_add(w->out, ", None)\n");
}

/* Modules. */

static FX_NODISCARD struct fx_error *add_members(struct writer *w,
	const struct fx_module *module, const char *path, bool has_made);
static FX_NODISCARD struct fx_error *add_inner(struct writer *w,
	const struct fx_module *owner, const char *name, struct fx_buf *out);
static FX_NODISCARD struct fx_error *add_graph_members(struct writer *w,
	const struct fx_module *owner, const char *path);

/* The name behind FX_FOLDER_GRAPH of the class of the graph at PATH; in a
 * container no attribute of the root has it.
 */
static const char *
class_name(struct writer *w, const char *path)
{
	FX_AUTO_FREE char *name = fx_xstrdup(path);
	const char *unique;

	if (fx_str_is_identifier(path))
		return path;
	for (char *at = name; *at; at++) {
		const char one[] = { '_', *at, '\0' };

		if (!fx_str_is_identifier(one))
			*at = '_';
	}
	unique = fx_intern(name);
	while (fx_module_member(w->graph->module, unique) ||
		fx_map_get_pointer(&w->classes, unique))
		unique = fx_intern_format("%s_", unique);
	fx_map_set_pointer(&w->classes, unique, w->graph);
	return unique;
}

/* The child M with a graph of its own, of the module at AT: a class within the
 * class, as print_readable has it, but by another name than the attribute.
 */
static struct fx_error *
add_graph(struct writer *w, const struct fx_member *m, const char *at)
{
	const char *path = fx_module_path(at, m->name);
	const char *name = class_name(w, path);
	struct fx_error *err;

	begin_set(w->out, at, m->name);
	fx_buf_addf(w->out, "type(self)." FX_FOLDER_GRAPH "%s())\n", name);
	err = add_inner(w, m->child, name, &w->inner);
	return err ? err : add_graph_members(w, m->child, path);
}

static bool
is_called(const struct writer *w, const char *path)
{
	size_t length = strlen(w->called_at);
	struct fx_node *node;

	path += length + (length > 0);
	fx_graph_for_each_node (node, w->called_by)
		if (node->opcode == FX_OPCODE_CALL_MODULE &&
			!strcmp(node->target, path))
			return true;
	return false;
}

static struct fx_error *
add_child(struct writer *w, const struct fx_member *m, const char *at,
	bool has_made)
{
	const char *path = fx_module_path(at, m->name);
	const char *same = fx_map_get_pointer(&w->modules, m->child);

	if (same) {
		begin_set(w->out, at, m->name);
		add_place(w->out, same);
		fx_buf_add(w->out, ")\n");
		return NULL;
	}
	fx_map_set_pointer(&w->modules, m->child, path);
	if (m->child->graph)
		return add_graph(w, m, at);
	if (m->child->own_code && (has_made || is_called(w, path)))
		return fx_error_new(FX_ERR_UNSUPPORTED,
			"%s is a %s with %s, which a folder cannot hold", path,
			fx_class_short_name(m->child->class_name),
			m->child->own_code);
	if (has_made)
		return add_members(w, m->child, path, true);
	begin_set(w->out, at, m->name);
	has_made = fx_emit_construct(w->out, w->scratch, m->child);
	if (!has_made && is_called(w, path))
		return fx_error_hint(fx_error_new(FX_ERR_UNSUPPORTED,
					     "%s is a %s, and no call is known "
					     "that makes it",
					     path, m->child->class_name),
			"save keeps everything");
	fx_buf_add(w->out, has_made ? ")\n" : "Module())\n");
	return add_members(w, m->child, path, has_made);
}

static struct fx_error *
add_members(struct writer *w, const struct fx_module *module, const char *path,
	bool has_made)
{
	struct fx_error *err = NULL;

	if (has_made && module->training != w->graph->module->training) {
		fx_buf_add(&w->late, "        ");
		add_place(&w->late, path);
		fx_buf_addf(&w->late, ".training = %s\n",
			module->training ? "True" : "False");
	}
	for (size_t i = 0; i < module->member_count; i++) {
		const struct fx_member *m = &module->members[i];

		if (m->tensor)
			add_tensor(w, m, path, has_made);
		else if (!m->child && !has_made)
			add_none(w, m, path);
	}
	for (size_t i = 0; i < module->member_count && !err; i++)
		if (module->members[i].child)
			err = add_child(w, &module->members[i], path, has_made);
	return err;
}

/* Whether the class of a graph makes its member M. */
static bool
is_made_inside(const struct fx_member *m)
{
	return m->child && m->child->graph && fx_str_is_identifier(m->name);
}

/* What the graph of OWNER, which stands at PATH, has: its class makes the
 * graphs in it alone.
 */
static struct fx_error *
add_graph_members(struct writer *w, const struct fx_module *owner,
	const char *path)
{
	const struct fx_module *module = owner->graph->module;
	const struct fx_graph *called_by = w->called_by;
	const char *called_at = w->called_at;
	struct fx_error *err = NULL;

	w->called_by = owner->graph;
	w->called_at = path;
	for (size_t i = 0; i < module->member_count && !err; i++) {
		const struct fx_member *m = &module->members[i];

		if (m->tensor)
			add_tensor(w, m, path, false);
		else if (!m->child)
			add_none(w, m, path);
		else if (is_made_inside(m))
			err = add_graph_members(w, m->child,
				fx_module_path(path, m->name));
		else
			err = add_child(w, m, path, false);
	}
	w->called_by = called_by;
	w->called_at = called_at;
	return err;
}

static bool
is_graph(const struct fx_graph *graph, const char *path)
{
	const struct fx_module *module = fx_module_find(graph->module, path);

	return module && module->graph;
}

/* What code names that is no member, or that nothing imports. */
static struct fx_error *
check_targets(const struct fx_graph *graph)
{
	struct fx_node *node;

	fx_graph_for_each_node (node, graph) {
		bool is_module = node->opcode == FX_OPCODE_CALL_MODULE;

		if (node->opcode == FX_OPCODE_CALL_FUNCTION &&
			fx_str_starts(node->target, FX_FOLDER_NOWHERE))
			return fx_error_hint(
				fx_error_new(FX_ERR_UNSUPPORTED,
					"%s is kept whole (info trace): only "
					"the process that recorded it can "
					"call it, and a folder cannot hold it",
					node->name),
				"a function of the model's file around it, "
				"marked with torch.fx.wrap, is imported; dump "
				"python has the code around the call");
		if ((is_module &&
			    fx_module_find(graph->module, node->target)) ||
			(node->opcode == FX_OPCODE_GET_ATTR &&
				(fx_module_find_tensor(graph->module,
					 node->target) ||
					is_graph(graph, node->target))) ||
			(!is_module && node->opcode != FX_OPCODE_GET_ATTR))
			continue;
		return fx_error_new(FX_ERR_UNSUPPORTED,
			"what stands at %s is not known: the graph came "
			"without its modules",
			node->target);
	}
	return NULL;
}

/* The text. */

/* Append the lines of TEXT, four columns further in. */
static void
add_indented(struct fx_buf *out, const char *text)
{
	while (*text) {
		size_t length = strcspn(text, "\n");

		if (strspn(text, " ") < length)
			fx_buf_addf(out, "    %.*s\n", (int)length, text);
		else
			fx_buf_add_char(out, '\n');
		text += length + (text[length] == '\n');
	}
}

/* forward of GRAPH in a class; wraps of functions belong to none. */
static void
add_code(struct writer *w, struct fx_graph *graph, struct fx_buf *out)
{
	static const char wrap[] = "torch.fx._symbolic_trace.wrap(";
	struct fx_emit_python options = {
		.dialect = w->dialect, .imports = &w->imports, .flat = true
	};
	FX_AUTO_BUF struct fx_buf code = { 0 };
	FX_AUTO_BUF struct fx_buf forward = { 0 };

	fx_emit_python(&code, graph, &options, NULL);
	for (const char *line = fx_buf_text(&code); *line;
		line = fx_str_next_line(line))
		fx_buf_add_n(fx_str_starts(line, wrap) ? &w->imports : &forward,
			line, (size_t)(fx_str_next_line(line) - line));
	add_indented(out, fx_buf_text(&forward));
}

/* The class NAME of the graph of OWNER, and of those within it, which it makes.
 */
static struct fx_error *
add_inner(struct writer *w, const struct fx_module *owner, const char *name,
	struct fx_buf *out)
{
	struct fx_graph *graph = owner->graph;
	const struct fx_module *module = graph->module;
	FX_AUTO_BUF struct fx_buf text = { 0 };
	FX_AUTO_BUF struct fx_buf below = { 0 };
	struct fx_error *err =
		graph->pytree
			? fx_error_new(FX_ERR_UNSUPPORTED,
				  "inputs of the graph within, %s, are "
				  "flattened, which needs an object that a "
				  "folder cannot hold",
				  name)
			: check_targets(graph);

	fx_buf_addf(&text,
		"\nclass " FX_FOLDER_GRAPH "%s(torch.nn.Module):\n"
		"    def __init__(self):\n"
		"        super().__init__()\n",
		name);
	for (size_t i = 0; !err && i < module->member_count; i++) {
		const struct fx_member *inner = &module->members[i];

		if (!is_made_inside(inner))
			continue;
		fx_buf_addf(&text,
			"        self.%s = type(self)." FX_FOLDER_GRAPH
			"%s()\n",
			inner->name, inner->name);
		err = add_inner(w, inner->child, inner->name, &below);
	}
	if (err)
		return err;
	add_code(w, graph, &text);
	fx_buf_add_n(&text, fx_buf_text(&below), below.length);
	add_indented(out, fx_buf_text(&text));
	return NULL;
}

static void
add_late(struct writer *w)
{
	if (!w->graph->module->training)
		fx_buf_add(w->out, "        self.eval()\n");
	if (w->has_weights)
		fx_buf_add(w->out, "        weights = read_weights()\n");
	fx_buf_add_n(w->out, fx_buf_text(&w->late), w->late.length);
}

static void
writer_deinit(struct writer *w)
{
	fx_buf_deinit(&w->late);
	fx_buf_deinit(&w->inner);
	fx_buf_deinit(&w->imports);
	fx_map_deinit(&w->modules);
	fx_map_deinit(&w->classes);
	fx_map_deinit(&w->tensors);
	fx_map_deinit(&w->placed);
	fx_graph_free(w->scratch);
}

struct fx_error *
fx_emit_folder(struct fx_buf *out, struct fx_graph *graph,
	const struct fx_weights *weights, const char *dialect)
{
	FX_AUTO_BUF struct fx_buf class_text = { 0 };
	struct writer w = { .out = &class_text,
		.graph = graph,
		.weights = weights,
		.dialect = dialect,
		.called_by = graph,
		.called_at = "" };
	struct fx_error *err = check_targets(graph);

	if (err)
		return err;
	w.scratch = fx_graph_new(0);
	fx_buf_add(&class_text,
		"\nclass " FX_FOLDER_CLASS "(torch.nn.Module):\n"
		"    def __init__(self):\n"
		"        super().__init__()\n");
	fx_map_set_pointer(&w.modules, graph->module, "");
	err = add_members(&w, graph->module, "", false);
	if (!err) {
		add_late(&w);
		add_code(&w, graph, &class_text);
		fx_buf_add_n(&class_text, fx_buf_text(&w.inner),
			w.inner.length);
		fx_buf_add(out, head);
		fx_buf_add_n(out, fx_buf_text(&w.imports), w.imports.length);
		if (w.has_weights)
			fx_buf_add(out, "from .weights import read_weights\n");
		fx_buf_add_n(out, class_text.data, class_text.length);
	}
	writer_deinit(&w);
	return err;
}
