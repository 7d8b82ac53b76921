/* eval_node.c - the words that a node itself answers to: %x.users. */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/str.h"
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

const char *
fx_eval_node_attribute_at(size_t index)
{
	return index < FX_ARRAY_LEN(words) ? words[index].word : NULL;
}

struct fx_datum *
fx_eval_node_word(const struct fx_node *node, const char *word)
{
	for (size_t i = 0; i < FX_ARRAY_LEN(words); i++)
		if (fx_str_equal(word, words[i].word))
			return words[i].get(node);
	return NULL;
}
