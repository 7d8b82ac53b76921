/* eval_function.c - the functions that a bare name calls. */
#include <config.h>

#include <ctype.h>
#include <stdint.h>
#include <string.h>

#include "base/buf.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/str.h"
#include "ir/fold.h"
#include "ir/module.h"
#include "ir/tensor_meta.h"
#include "ops/optab.h"
#include "run/backend.h"
#include "run/eval_private.h"

typedef struct fx_error *function_fn(struct fx_evaluator *evaluator,
	const struct fx_ast *call, struct fx_datum **ret);

/* As many arguments as there are. */
#define ANY SIZE_MAX

struct function {
	struct fx_function_info info;
	size_t least; /* arguments */
	size_t most;
	function_fn *run;
};

static const struct fx_ast *
argument(const struct fx_ast *call, size_t index)
{
	return call->kids[index + 1];
}

/* len and count: of a set, a container, a tensor's first size. */
static struct fx_error *
run_length(struct fx_evaluator *evaluator, const struct fx_ast *call,
	struct fx_datum **ret)
{
	FX_AUTO_DATUM struct fx_datum *datum = NULL;
	struct fx_value value;
	struct fx_value length;
	size_t count;
	struct fx_error *err =
		fx_eval_datum(evaluator, argument(call, 0), &datum);

	if (err)
		return err;
	if (fx_eval_ids(datum, &count)) {
		*ret = fx_datum_int((int64_t)count);
		return NULL;
	}
	value = datum->kind == FX_DATUM_VALUE
			? datum->value
			: fx_datum_to_value(evaluator->arena, datum);
	err = fx_fold_length(evaluator->arena, &value, &length);
	if (!err)
		*ret = fx_datum_from_value(&length);
	return err;
}

static struct fx_error *
run_reach(struct fx_evaluator *evaluator, const struct fx_ast *call,
	struct fx_datum **ret)
{
	FX_AUTO_FREE size_t *positions = NULL;
	struct fx_trees arguments = { call->kids + 1, call->kid_count - 1 };
	size_t count;
	struct fx_error *err = fx_eval_reach(evaluator, call->kids[0]->text,
		&arguments, &positions, &count);

	if (!err)
		*ret = fx_eval_positions(evaluator, positions, count);
	return err;
}

/* shape, dtype, ndim, device: the attribute of that name. */
static struct fx_error *
run_attribute(struct fx_evaluator *evaluator, const struct fx_ast *call,
	struct fx_datum **ret)
{
	FX_AUTO_OPERAND struct fx_operand base = { 0 };
	FX_AUTO_OPERAND struct fx_operand result = { 0 };
	struct fx_error *err =
		fx_eval_operand(evaluator, argument(call, 0), &base);

	if (!err)
		err = fx_operand_step(evaluator, &base, call->kids[0]->text,
			&result);
	return err ? err : fx_operand_force(evaluator, &result, ret);
}

static struct fx_error *
run_numel(struct fx_evaluator *evaluator, const struct fx_ast *call,
	struct fx_datum **ret)
{
	FX_AUTO_DATUM struct fx_datum *datum = NULL;
	const struct fx_tensor_meta *meta;
	struct fx_value count;
	struct fx_error *err =
		fx_eval_datum(evaluator, argument(call, 0), &datum);

	if (err)
		return err;
	meta = fx_datum_meta(evaluator->arena, datum);
	if (!meta)
		return fx_error_new(FX_ERR_TYPE,
			"numel takes a tensor, not a %s",
			fx_datum_kind_name(datum));
	if (!meta->has_shape)
		return fx_error_new(FX_ERR_VALUE,
			"the shape of the tensor is not known");
	count = fx_tensor_meta_numel(evaluator->arena, meta);
	*ret = fx_datum_from_value(&count);
	return NULL;
}

static const struct function functions[] = {
#define FX_FUNCTION(name, signature, help, least, most, run) \
	{ { name, signature, help }, least, most, run },
#include "run/functions.def"
};

bool
fx_eval_function_at(size_t index, struct fx_function_info *ret)
{
	if (index >= FX_ARRAY_LEN(functions))
		return false;
	*ret = functions[index].info;
	return true;
}

/* Short names are like too many others to be guessed at. */
#define SHORTEST_GUESSED 6
#define LONGEST_GUESSED  40

bool
fx_eval_function_near(const char *name, struct fx_function_info *ret)
{
	FX_AUTO_BUF struct fx_buf bare = { 0 };
	const char *wanted;

	if (strlen(name) > LONGEST_GUESSED)
		return false;
	for (; *name; name++)
		if (*name != '_')
			fx_buf_add_char(&bare,
				(char)tolower((unsigned char)*name));
	wanted = fx_buf_text(&bare);
	for (int far = 0; far <= (bare.length >= SHORTEST_GUESSED); far++)
		for (size_t i = 0; fx_eval_function_at(i, ret); i++)
			if (fx_str_distance(wanted, ret->name) <= far)
				return true;
	return false;
}

/* Names that users of other libraries type out of habit, and the libraries that
 * they belong to.
 */
static const struct {
	const char *name;
	const char *library;
} strangers[] = {
	{ "np", "numpy" },
	{ "numpy", "numpy" },
	{ "jnp", "jax" },
	{ "jax", "jax" },
	{ "tf", "tensorflow" },
};

struct fx_error *
fx_eval_hint_function(struct fx_error *err, const char *name)
{
	struct fx_function_info info;

	for (size_t i = 0; i < FX_ARRAY_LEN(strangers); i++)
		if (fx_str_equal(name, strangers[i].name))
			return fx_error_hint(err,
				"torch's functions are known here, not %s's: "
				"randn(1, 3), torch.mean(x), mean(x) or "
				"x.mean()",
				strangers[i].library);
	if (!fx_eval_function_near(name, &info))
		return err;
	if (!fx_str_ends(info.signature, "(x)"))
		return fx_error_hint(err, "%s is a function: %s", info.name,
			info.signature);
	return fx_error_hint(err,
		"%s is a function: %s, of the value made last %s(.-1)",
		info.name, info.signature, info.name);
}

struct fx_error *
fx_eval_function(struct fx_evaluator *evaluator, const struct fx_ast *call,
	bool *found_ret, struct fx_datum **ret)
{
	const char *name = call->kids[0]->text;
	size_t count = call->kid_count - 1;
	struct fx_error *err;

	*found_ret = false;
	for (size_t i = 0; i < FX_ARRAY_LEN(functions); i++) {
		const struct function *function = &functions[i];

		if (!fx_str_equal(function->info.name, name))
			continue;
		*ret = NULL;
		*found_ret = true;
		if (count < function->least || count > function->most)
			return fx_error_new(FX_ERR_TYPE,
				"%s is called with %zu arguments; it is %s",
				name, count, function->info.signature);
		err = function->run(evaluator, call, ret);
		*found_ret = err || *ret;
		return err;
	}
	return NULL;
}

/* The words that a node itself answers to: %x.users; and what a
 * step that nothing answers to nearly is.
 */

static struct fx_datum *
text_datum(const char *text)
{
	return fx_datum_string(text, strlen(text));
}

static struct fx_datum *
op_of(const struct fx_node *node)
{
	return text_datum(fx_opcode_word((enum fx_opcode)node->opcode));
}

static struct fx_datum *
name_of(const struct fx_node *node)
{
	return text_datum(node->name);
}

static struct fx_datum *
target_of(const struct fx_node *node)
{
	return text_datum(node->target);
}

static struct fx_datum *
args_of(const struct fx_node *node)
{
	return fx_datum_from_value(&node->args);
}

static struct fx_datum *
kwargs_of(const struct fx_node *node)
{
	return fx_datum_from_value(&node->kwargs);
}

static struct fx_datum *
users_of(const struct fx_node *node)
{
	FX_AUTO_FREE uint64_t *ids = fx_xcalloc(node->user_count, sizeof(*ids));
	const struct fx_use *use;
	size_t count = 0;

	fx_node_for_each_user (use, node)
		ids[count++] = use->user->id;
	return fx_datum_nodes(ids, count);
}

static struct fx_datum *
inputs_of(const struct fx_node *node)
{
	size_t count = fx_node_input_count(node);
	FX_AUTO_FREE uint64_t *ids = fx_xcalloc(count, sizeof(*ids));

	for (size_t i = 0; i < count; i++)
		ids[i] = fx_node_input(node, i)->id;
	return fx_datum_nodes(ids, count);
}

static struct fx_datum *
scope_of(const struct fx_node *node)
{
	return text_datum(node->scope ? node->scope->path : "");
}

/* "file.py:12", or None. */
static struct fx_datum *
source_of(const struct fx_node *node)
{
	const struct fx_source *source = node->source;
	FX_AUTO_BUF struct fx_buf text = { 0 };

	if (!source || !source->count)
		return fx_datum_none();
	fx_buf_addf(&text, "%s:%d", source->frames[0].file,
		source->frames[0].line);
	return fx_datum_string(text.data, text.length);
}

static struct fx_datum *
meta_of(const struct fx_node *node)
{
	return node->meta ? fx_datum_from_value(node->meta) : fx_datum_none();
}

static const struct {
	const char *word;
	struct fx_datum *(*get)(const struct fx_node *node);
} words[] = {
	{ "op", op_of },
	{ "name", name_of },
	{ "target", target_of },
	{ "args", args_of },
	{ "kwargs", kwargs_of },
	{ "users", users_of },
	{ "inputs", inputs_of },
	{ "scope", scope_of },
	{ "source", source_of },
	{ "meta", meta_of },
};

struct fx_datum *
fx_eval_node_word(const struct fx_node *node, const char *word)
{
	for (size_t i = 0; i < FX_ARRAY_LEN(words); i++)
		if (fx_str_equal(word, words[i].word))
			return words[i].get(node);
	return NULL;
}

/* Of a tensor; its methods are many, and called. */
static const char *const value_words[] = { "shape", "dtype", "ndim", "device" };

bool
fx_eval_is_value_word(const char *word)
{
	for (size_t i = 0; i < FX_ARRAY_LEN(value_words); i++)
		if (fx_str_equal(word, value_words[i]))
			return true;
	return false;
}

const char *
fx_eval_node_word_at(size_t index)
{
	if (index < FX_ARRAY_LEN(words))
		return words[index].word;
	index -= FX_ARRAY_LEN(words);
	return index < FX_ARRAY_LEN(value_words) ? value_words[index] : NULL;
}

static void
offer_words(struct fx_nearest *nearest)
{
	const char *word;

	for (size_t i = 0; (word = fx_eval_node_word_at(i)); i++)
		fx_nearest_offer(nearest, word);
}

static void
offer_module(struct fx_nearest *nearest, const struct fx_module *module)
{
	const struct fx_value *config = &module->config;

	for (size_t i = 0; i < module->member_count; i++)
		fx_nearest_offer(nearest, module->members[i].name);
	for (uint32_t i = 0; config->kind == FX_VALUE_DICT && i < config->count;
		i++)
		if (config->items[2 * (size_t)i].kind == FX_VALUE_STRING)
			fx_nearest_offer(nearest,
				config->items[2 * (size_t)i].text);
}

struct fx_error *
fx_eval_note_nearest(struct fx_error *err_taken, struct fx_graph *graph,
	const char *path, const char *step, bool of_node)
{
	const struct fx_module *module =
		path ? fx_module_find(graph->module, path) : NULL;
	struct fx_nearest nearest;
	bool is_member;

	/* A method is no typing error. */
	if (of_node && fx_op_of_target(FX_OPCODE_CALL_METHOD, step))
		return err_taken;
	fx_nearest_init(&nearest, step);
	if (module)
		offer_module(&nearest, module);
	if (of_node)
		offer_words(&nearest);
	if (!nearest.count || fx_str_equal(nearest.names[0], step))
		return err_taken;
	is_member =
		module && fx_module_member(module, fx_intern(nearest.names[0]));
	return fx_error_note(err_taken, "nearest: %s",
		is_member ? fx_module_path(path, nearest.names[0])
			  : nearest.names[0]);
}
