/* decompose_module.c - modules as layers.py sees them: their attributes, and
 * making new ones by running __init__.
 */
#include <config.h>

#include <string.h>

#include "base/arena.h"
#include "base/intern.h"
#include "ir/decompose_private.h"
#include "ir/tensor_meta.h"
#include "ir/value_walk.h"
#include "ops/layertab.h"

/* The metadata of a parameter inside a fragment: dtype and rank are its kind,
 * its sizes too, as they belong to the module.
 */
static struct fx_value
tensor_value(struct fx_partial *partial, const struct fx_tensor *tensor)
{
	return fx_tensor_meta_ints(partial->arena, tensor->dtype, tensor->sizes,
		tensor->rank);
}

/* Return the placeholder that stands for the member at PATH.  The first use of
 * the member makes the placeholder.
 */
static struct fx_value
member_node(struct fx_partial *partial, const char *path,
	const struct fx_tensor *tensor)
{
	struct fx_node *node = fx_map_get_pointer(&partial->member_nodes, path);
	struct fx_value meta;
	struct fx_node_spec spec = {
		.opcode = FX_OPCODE_PLACEHOLDER, .target = path, .meta = &meta
	};

	if (!node) {
		meta = tensor_value(partial, tensor);
		node = fx_graph_append(partial->graph, &spec);
		fx_map_set_pointer(&partial->member_nodes, path, node);
		fx_vec_push(&partial->members, path);
	}
	return fx_value_node(node);
}

static struct fx_error *
member_object(struct fx_partial *partial, const struct fx_object *module,
	const struct fx_member *member, struct fx_object *ret)
{
	const char *path = fx_module_path(module->name, member->name);

	*ret = fx_object_value(fx_value_none());
	if (member->kind == FX_MEMBER_CHILD && member->child)
		*ret = (struct fx_object){ .kind = FX_OBJECT_MODULE,
			.module = member->child,
			.name = path };
	else if (member->kind != FX_MEMBER_CHILD && member->tensor &&
		 partial->expander)
		ret->value = member_node(partial, path, member->tensor);
	return NULL;
}

struct fx_error *
fx_partial_attribute(struct fx_partial *partial, const struct fx_object *module,
	const char *name, struct fx_object *ret)
{
	const struct fx_member *member = fx_module_member(module->module, name);
	const struct fx_value *value;

	if (member)
		return member_object(partial, module, member, ret);
	if (strcmp(name, "training") == 0) {
		*ret = fx_object_value(fx_value_bool(module->module->training));
		return NULL;
	}
	value = module->module->config.kind == FX_VALUE_DICT
			? fx_value_dict_get(&module->module->config, name)
			: NULL;
	if (!value)
		return fx_error_new(FX_ERR_UNSUPPORTED,
			"the attribute \"%s\" of a %s was not recorded", name,
			fx_class_short_name(module->module->class_name));
	/* The expansion outlives the module. */
	*ret = fx_object_value(fx_value_clone(partial->arena, value));
	return NULL;
}

/* Add or replace one entry of the configuration. */
static void
set_config(struct fx_partial *partial, struct fx_module *module,
	const char *name, const struct fx_value *value)
{
	struct fx_arena *arena = partial->graph->permanent;
	size_t count =
		module->config.kind == FX_VALUE_DICT ? module->config.count : 0;
	struct fx_value *items =
		FX_ARENA_ARRAY(arena, struct fx_value, 2 * count + 2);
	size_t at = count;

	for (size_t i = 0; i < count; i++) {
		items[2 * i] = module->config.items[2 * i];
		items[2 * i + 1] = module->config.items[2 * i + 1];
		if (items[2 * i].text == name)
			at = i;
	}
	items[2 * at] = fx_value_string(name);
	items[2 * at + 1] = fx_value_clone(arena, value);
	module->config =
		fx_value_dict(arena, items, at == count ? count + 1 : count);
}

struct fx_error *
fx_partial_assign(struct fx_partial *partial, const struct fx_object *module,
	const char *name, const struct fx_object *object)
{
	struct fx_value value;
	struct fx_error *err;

	if (partial->expander)
		return fx_error_new(FX_ERR_UNSUPPORTED,
			"a layer changes its attribute \"%s\"", name);
	name = fx_intern(name);
	if (object->kind == FX_OBJECT_TENSOR) {
		fx_module_add_tensor(module->module, name, object->tensor);
		/* None may be registered as a buffer too. */
		fx_module_member(module->module, name)->kind =
			object->value.truth ? FX_MEMBER_BUFFER
					    : FX_MEMBER_PARAMETER;
		return NULL;
	}
	if (object->kind == FX_OBJECT_MODULE) {
		fx_module_add_child(module->module, name, object->module);
		return NULL;
	}
	err = fx_partial_value(object, &value);
	if (!err)
		set_config(partial, module->module, name, &value);
	return err;
}

/* More elements than this no parameter has. */
#define NUMEL_LIMIT ((int64_t)1 << 50)

static struct fx_error *
read_sizes(const struct fx_partial_args *args, int64_t *sizes)
{
	int64_t numel = 1;

	for (size_t i = 0; i < args->items.count; i++) {
		const struct fx_value *size = &args->items.items[i].value;

		if (size->kind != FX_VALUE_INT)
			return fx_error_new(FX_ERR_TYPE,
				"a size must be an int, not \"%s\"",
				fx_value_kind_name(size->kind));
		if (size->integer < 0)
			return fx_error_new(FX_ERR_VALUE,
				"size %lld is negative",
				(long long)size->integer);
		if (__builtin_mul_overflow(numel, size->integer, &numel) ||
			numel > NUMEL_LIMIT)
			return fx_error_new(FX_ERR_LIMIT,
				"a parameter would have too many elements");
		sizes[i] = size->integer;
	}
	return NULL;
}

struct fx_error *
fx_partial_tensor(struct fx_partial *partial, bool is_buffer,
	const struct fx_partial_args *args, struct fx_object *ret)
{
	enum fx_dtype dtype = FX_DTYPE_F32;
	struct fx_tensor *tensor;
	int64_t sizes[8];
	struct fx_error *err;

	*ret = (struct fx_object){ .kind = FX_OBJECT_TENSOR,
		.value = fx_value_bool(is_buffer) };
	if (partial->expander || args->items.count > FX_ARRAY_LEN(sizes))
		return fx_error_new(FX_ERR_UNSUPPORTED,
			"a parameter is made outside a constructor");
	for (size_t i = 0; i < args->keywords.count; i++)
		if (args->keywords.items[i].object.value.kind == FX_VALUE_DTYPE)
			dtype = (enum fx_dtype)args->keywords.items[i]
					.object.value.integer;
	if (args->items.count == 1 &&
		args->items.items[0].value.kind == FX_VALUE_NONE)
		return NULL;
	err = read_sizes(args, sizes);
	if (err)
		return err;
	tensor = fx_tensor_new(partial->graph, dtype, sizes, args->items.count,
		NULL);
	tensor->is_buffer = is_buffer;
	tensor->is_persistent = true;
	tensor->requires_grad = !is_buffer;
	ret->tensor = tensor;
	return NULL;
}

struct fx_error *
fx_partial_construct(struct fx_partial *partial, const char *class_name,
	struct fx_partial_args *args, struct fx_module **ret)
{
	const struct fx_layer *layer = fx_layer_find(class_name);
	struct fx_partial_function function = { .name = class_name };
	struct fx_object self = { .kind = FX_OBJECT_MODULE, .name = "" };
	struct fx_object ignored;
	struct fx_module *root = partial->graph->module;

	if (!layer)
		return fx_error_new(FX_ERR_NO_NAME,
			"no layer class \"%s\" is known", class_name);
	function.tree = fx_layer_method(layer, "__init__", &function.text);
	self.module =
		fx_module_new(partial->graph, fx_intern(layer->qualified));
	self.module->config = fx_value_dict(partial->graph->permanent, NULL, 0);
	self.module->training = root ? root->training : true;
	self.module->is_leaf = true;
	*ret = self.module;
	if (!function.tree)
		return NULL;
	fx_vec_insert(&args->items, 0, self);
	return fx_partial_apply(partial, &function, args, &ignored);
}

struct fx_error *
fx_layer_construct(struct fx_graph *graph, const char *class_name,
	const struct fx_value *args, const struct fx_value *kwargs,
	struct fx_module **ret)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	FX_AUTO_PARTIAL_ARGS struct fx_partial_args objects = { 0 };
	struct fx_partial partial = { .graph = graph, .arena = arena };
	struct fx_error *err;

	for (uint32_t i = 0; i < args->count; i++)
		fx_vec_push(&objects.items, fx_object_value(args->items[i]));
	for (uint32_t i = 0; kwargs->kind == FX_VALUE_DICT && i < kwargs->count;
		i++) {
		struct fx_variable keyword = { kwargs->items[2 * i].text,
			fx_object_value(kwargs->items[2 * i + 1]) };

		fx_vec_push(&objects.keywords, keyword);
	}
	err = fx_partial_construct(&partial, class_name, &objects, ret);
	/* What only a run could decide was asked of a constant. */
	if (err && fx_error_code(err) == FX_ERR_UNSUPPORTED)
		err = fx_error_note(err, "while making %s", class_name);
	return err;
}
