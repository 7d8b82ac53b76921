/* decompose.c - fragments: making them, and keeping them by what they depend
 * on.
 */
#include <config.h>

#include "ir/decompose.h"

#include <inttypes.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/hash.h"
#include "base/intern.h"
#include "base/mem.h"
#include "ir/decompose_private.h"
#include "ir/edit.h"
#include "ir/fold.h"
#include "ir/size.h"
#include "ir/tensor_meta.h"
#include "ir/value_text.h"
#include "ir/value_walk.h"
#include "ops/layertab.h"
#include "ops/optab.h"

/* Modules nested deeper than this are not walked. */
#define MODULE_DEPTH 50

/* A fragment and its key.  Entries whose keys have the same hash are chained.
 */
struct entry {
	struct entry *next;
	struct fx_buf key;
	struct fx_decomposition fragment;
	const char **members;
};

struct fx_expander {
	struct fx_map entries; /* hash -> struct entry * */
	fx_expander_learn_fn *learn;
	void *learn_context;
};

struct fx_expander *
fx_expander_new(void)
{
	return FX_NEW(struct fx_expander);
}

static void
entry_free(struct entry *entry)
{
	fx_buf_deinit(&entry->key);
	fx_graph_free(entry->fragment.graph);
	free(entry->members);
	free(entry);
}

void
fx_expander_free(struct fx_expander *expander)
{
	size_t at = 0;
	uintptr_t key;
	uintptr_t value;

	if (!expander)
		return;
	while (fx_map_next(&expander->entries, &at, &key, &value)) {
		struct entry *entry = (struct entry *)value;

		while (entry) {
			struct entry *next = entry->next;

			entry_free(entry);
			entry = next;
		}
	}
	fx_map_deinit(&expander->entries);
	free(expander);
}

void
fx_expander_set_learn(struct fx_expander *expander, fx_expander_learn_fn *learn,
	void *context)
{
	expander->learn = learn;
	expander->learn_context = context;
}

void
fx_expander_learn(const struct fx_expander *expander, struct fx_node *node)
{
	if (expander && expander->learn)
		expander->learn(expander->learn_context, node);
}

/* Whether VALUE is an input rather than a constant. */
static bool
is_input(const struct fx_value *value)
{
	return value->kind == FX_VALUE_TENSOR ||
	       value->kind == FX_VALUE_SYMBOL ||
	       value->kind == FX_VALUE_UNKNOWN;
}

void
fx_decompose_leaves(const struct fx_value *value,
	void (*visit)(void *context, const struct fx_value *leaf),
	void *context)
{
	size_t count = fx_value_item_count(value);

	if (is_input(value)) {
		visit(context, value);
		return;
	}
	for (size_t i = 0; i < count; i++)
		fx_decompose_leaves(&value->items[i], visit, context);
}

/* Keys: the text of all that a fragment depends on. */

/* A kind is the tag of an input (for tensors dtype and rank), all of a
 * constant.
 */
static void
add_kinds(struct fx_buf *key, const struct fx_value *value)
{
	size_t count = fx_value_item_count(value);

	fx_buf_add_char(key, (char)('A' + value->kind));
	if (value->kind == FX_VALUE_TENSOR) {
		fx_buf_addf(key, "%d,%d,%u;", value->tensor->dtype,
			value->tensor->has_shape, value->tensor->rank);
	} else if (value->kind == FX_VALUE_UNKNOWN) {
		fx_buf_add(key, fx_fold_is_number(value) ? value->text : "");
		fx_buf_add_char(key, ';');
	} else if (count || fx_value_is_sequence(value) ||
		   value->kind == FX_VALUE_DICT) {
		fx_buf_addf(key, "%zu;", count);
		for (size_t i = 0; i < count; i++)
			add_kinds(key, &value->items[i]);
	} else if (value->kind != FX_VALUE_SYMBOL) {
		fx_value_print_as(key, value, FX_STYLE_EXACT);
		fx_buf_add_char(key, ';');
	}
}

static void
add_tensor(struct fx_buf *key, const struct fx_tensor *tensor)
{
	fx_buf_addf(key, "%d", tensor->dtype);
	for (uint32_t i = 0; i < tensor->rank; i++)
		fx_buf_addf(key, ",%" PRId64, tensor->sizes[i]);
}

/* Append to KEY what MODULE and the modules below it are.  Each module is
 * written once, however many paths lead to it: SEEN maps the modules written so
 * far to their numbers.
 */
static void
add_module(struct fx_buf *key, const struct fx_module *module,
	struct fx_map *seen, int depth)
{
	uintptr_t number = fx_map_get(seen, (uintptr_t)module, 0);

	fx_buf_addf(key, "#%zu %s", number ? number : seen->count + 1,
		module->class_name);
	if (number || depth > MODULE_DEPTH)
		return;
	fx_map_set(seen, (uintptr_t)module, seen->count + 1);
	fx_buf_addf(key, "%c%s", module->training ? '!' : '.',
		module->own_code ? module->own_code : "");
	fx_value_print_as(key, &module->config, FX_STYLE_EXACT);
	for (size_t i = 0; i < module->member_count; i++) {
		const struct fx_member *member = &module->members[i];

		fx_buf_addf(key, ";%d %s:", member->kind, member->name);
		if (member->tensor)
			add_tensor(key, member->tensor);
		if (member->child)
			add_module(key, member->child, seen, depth + 1);
	}
	fx_buf_add_char(key, '$');
}

static struct entry *
find_entry(const struct fx_expander *expander, uint64_t hash,
	const struct fx_buf *key)
{
	struct entry *entry = (struct entry *)fx_map_get(&expander->entries,
		(uintptr_t)hash, 0);

	while (entry &&
		(entry->key.length != key->length ||
			memcmp(entry->key.data, key->data, key->length) != 0))
		entry = entry->next;
	return entry;
}

/* What a fragment is made of. */
struct request {
	struct fx_module *module; /* or NULL: FUNCTION */
	const struct fx_functional *function;
	const struct fx_value *args;
	const struct fx_value *kwargs;
};

/* A fresh symbol for each size: only the rank is part of the kind. */
static struct fx_value
kind_of(struct fx_partial *partial, const struct fx_value *leaf, size_t index)
{
	struct fx_value *sizes;
	const struct fx_tensor_meta *meta = leaf->tensor;

	if (leaf->kind == FX_VALUE_SYMBOL)
		return fx_size_symbol(partial->arena,
			fx_intern_format("n%zu", index));
	if (leaf->kind == FX_VALUE_UNKNOWN)
		return fx_fold_is_number(leaf) ? *leaf
					       : fx_fold_unknown("an input");
	if (!meta->has_shape)
		return fx_tensor_meta_shapeless(partial->arena, meta->dtype);
	sizes = FX_ARENA_ARRAY(partial->arena, struct fx_value, meta->rank);
	for (uint32_t i = 0; i < meta->rank; i++)
		sizes[i] = fx_size_symbol(partial->arena,
			fx_intern_format("d%zu_%u", index, i));
	return fx_tensor_meta_value(partial->arena, meta->dtype, sizes,
		meta->rank);
}

/* A copy of VALUE with each input replaced by a new placeholder. */
static struct fx_value
place_inputs(struct fx_partial *partial, const struct fx_value *value)
{
	size_t count = fx_value_item_count(value);
	struct fx_value copy = fx_value_plain(value);
	struct fx_value *items;

	if (is_input(value)) {
		size_t index = partial->members.count;
		struct fx_value meta = kind_of(partial, value, index);
		struct fx_node_spec spec = { .opcode = FX_OPCODE_PLACEHOLDER,
			.target = fx_intern_format("input_%zu", index),
			.meta = &meta };

		fx_vec_push(&partial->members, NULL);
		return fx_value_node(fx_graph_append(partial->graph, &spec));
	}
	if (!count)
		return fx_value_clone(partial->arena, &copy);
	items = FX_ARENA_ARRAY(partial->arena, struct fx_value, count);
	for (size_t i = 0; i < count; i++)
		items[i] = place_inputs(partial, &value->items[i]);
	copy.items = items;
	return copy;
}

static struct fx_error *
read_request(struct fx_partial *partial, const struct request *request,
	struct fx_partial_args *args)
{
	struct fx_value positional = place_inputs(partial, request->args);
	struct fx_value keywords =
		request->kwargs->kind == FX_VALUE_DICT
			? place_inputs(partial, request->kwargs)
			: fx_value_none();

	for (uint32_t i = 0; i < positional.count; i++)
		fx_vec_push(&args->items, fx_object_value(positional.items[i]));
	for (uint32_t i = 0;
		keywords.kind == FX_VALUE_DICT && i < keywords.count; i++) {
		struct fx_variable keyword = { keywords.items[2 * i].text,
			fx_object_value(keywords.items[2 * i + 1]) };

		if (keywords.items[2 * i].kind != FX_VALUE_STRING)
			return fx_error_new(FX_ERR_TYPE,
				"keywords must be strings");
		fx_vec_push(&args->keywords, keyword);
	}
	return NULL;
}

static struct fx_error *
run_request(struct fx_partial *partial, const struct request *request,
	struct fx_object *ret)
{
	FX_AUTO_PARTIAL_ARGS struct fx_partial_args args = { 0 };
	struct fx_object self = {
		.kind = FX_OBJECT_MODULE, .module = request->module, .name = ""
	};
	struct fx_partial_function function;
	struct fx_error *err = read_request(partial, request, &args);

	if (err)
		return err;
	if (request->module)
		return fx_partial_method(partial, &self, "forward", &args, ret);
	function = (struct fx_partial_function){
		fx_functional_tree(request->function), request->function->text,
		request->function->name
	};
	return fx_partial_apply(partial, &function, &args, ret);
}

/* Drop what was computed only to look at its rank. */
static void
prune(struct fx_graph *graph)
{
	struct fx_node *node = fx_graph_last(graph);

	while (node) {
		struct fx_node *previous = fx_graph_previous(node);
		unsigned traits = fx_op_info((enum fx_op)node->op)->traits;

		if (!node->user_count && traits & FX_OP_PURE &&
			(node->opcode == FX_OPCODE_CALL_FUNCTION ||
				node->opcode == FX_OPCODE_CALL_METHOD))
			fx_error_free(fx_edit_erase(node));
		node = previous;
	}
}

static struct fx_error *
finish(struct fx_partial *partial, const struct fx_object *result)
{
	struct fx_value value;
	struct fx_node_spec spec = { .opcode = FX_OPCODE_OUTPUT,
		.target = "output" };
	struct fx_error *err = fx_partial_value(result, &value);

	if (err)
		return err;
	spec.args =
		fx_value_sequence(partial->arena, FX_VALUE_TUPLE, &value, 1);
	fx_graph_append(partial->graph, &spec);
	prune(partial->graph);
	return NULL;
}

/* Members that are first used late have late placeholders; that is no harm, as
 * inputs are counted in graph order.
 */
static void
keep_members(struct fx_partial *partial, struct entry *entry)
{
	size_t count = partial->members.count;

	entry->members = fx_xcalloc(count + 1, sizeof(*entry->members));
	for (size_t i = 0; i < count; i++)
		entry->members[i] = partial->members.items[i];
	entry->fragment.members = entry->members;
	entry->fragment.input_count = count;
	entry->fragment.graph = partial->graph;
}

static struct fx_error *
make_fragment(struct fx_expander *expander, const struct request *request,
	struct entry *entry)
{
	FX_AUTO_GRAPH struct fx_graph *graph = fx_graph_new(0);
	struct fx_partial partial = {
		.expander = expander, .graph = graph, .arena = graph->values
	};
	struct fx_object result;
	struct fx_error *err = run_request(&partial, request, &result);

	if (!err)
		err = finish(&partial, &result);
	if (!err) {
		keep_members(&partial, entry);
		graph = NULL;
	}
	fx_vec_deinit(&partial.members);
	fx_map_deinit(&partial.member_nodes);
	return err;
}

static struct fx_error *
expand(struct fx_expander *expander, const struct request *request,
	const struct fx_decomposition **ret)
{
	FX_AUTO_BUF struct fx_buf key = { 0 };
	FX_AUTO_MAP struct fx_map seen = { 0 };
	struct entry *entry;
	uint64_t hash;
	struct fx_error *err;

	fx_buf_addf(&key, "%s ",
		request->function ? request->function->name : "");
	if (request->module)
		add_module(&key, request->module, &seen, 0);
	add_kinds(&key, request->args);
	add_kinds(&key, request->kwargs);
	hash = fx_hash_quick(key.data, key.length) | 1;
	entry = find_entry(expander, hash, &key);
	if (entry) {
		*ret = &entry->fragment;
		return NULL;
	}
	entry = FX_NEW(struct entry);
	err = make_fragment(expander, request, entry);
	if (err) {
		free(entry);
		return err;
	}
	entry->key = key;
	key = (struct fx_buf){ 0 };
	entry->next = (struct entry *)fx_map_get(&expander->entries,
		(uintptr_t)hash, 0);
	fx_map_set(&expander->entries, (uintptr_t)hash, (uintptr_t)entry);
	*ret = &entry->fragment;
	return NULL;
}

struct fx_error *
fx_decompose_module(struct fx_expander *expander,
	const struct fx_module *module, const struct fx_value *args,
	const struct fx_value *kwargs, const struct fx_decomposition **ret)
{
	struct request request = { .module = (struct fx_module *)module,
		.args = args,
		.kwargs = kwargs };

	if (!fx_layer_find(module->class_name))
		return fx_error_new(FX_ERR_UNSUPPORTED,
			"what a %s does is not known",
			fx_class_short_name(module->class_name));
	return expand(expander, &request, ret);
}

struct fx_error *
fx_decompose_function(struct fx_expander *expander, const char *name,
	const struct fx_value *args, const struct fx_value *kwargs,
	const struct fx_decomposition **ret)
{
	struct request request = { .function = fx_functional_find(name),
		.args = args,
		.kwargs = kwargs };

	if (!request.function)
		return fx_error_new(FX_ERR_UNSUPPORTED,
			"what %s does is not known", name);
	return expand(expander, &request, ret);
}
