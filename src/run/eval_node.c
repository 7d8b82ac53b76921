/* eval_node.c - the words that a node itself answers to: %x.users; and what a
 * step that nothing answers to nearly is.
 */
#include <config.h>

#include <string.h>

#include "base/buf.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/str.h"
#include "ir/module.h"
#include "ops/optab.h"
#include "run/eval_private.h"

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

static void
offer_words(struct fx_nearest *nearest)
{
	for (size_t i = 0; i < FX_ARRAY_LEN(words); i++)
		fx_nearest_offer(nearest, words[i].word);
	for (size_t i = 0; i < FX_ARRAY_LEN(value_words); i++)
		fx_nearest_offer(nearest, value_words[i]);
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
