/* complete.c - candidates for what the user has begun to type. */
#include <config.h>

#include <string.h>

#include "base/buf.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/str.h"
#include "ir/module.h"
#include "lang/query.h"
#include "ops/layertab.h"
#include "ops/optab.h"
#include "run/eval.h"
#include "session/resolve.h"
#include "session/session_private.h"

/* More would be of no use to anybody. */
#define MOST 2000

struct offers {
	const struct fx_completion *to;
	size_t count;
};

static void
offer(struct offers *offers, const char *text)
{
	const char *prefix = offers->to->prefix;
	const char *dot;

	if (offers->count >= MOST || !fx_str_starts(text, prefix))
		return;
	/* What stands below is offered when one is there. */
	dot = strchr(text + strlen(prefix), '.');
	offers->to->offer(offers->to->context,
		dot && dot[1] ? fx_intern_n(text, (size_t)(dot + 1 - text))
			      : text);
	offers->count++;
}

/* Names as the user began them: with or without the sign. */
static void
offer_nodes(struct offers *offers, struct fx_graph *graph)
{
	bool with_sign = *offers->to->prefix == '%';
	FX_AUTO_BUF struct fx_buf name = { 0 };
	struct fx_node *node;

	fx_graph_for_each_node (node, graph) {
		fx_buf_clear(&name);
		fx_buf_addf(&name, "%s%s", with_sign ? "%" : "", node->name);
		offer(offers, fx_buf_text(&name));
	}
}

/* Behind `%node.`: what the node answers to; without the sign its module's
 * members come first, which are paths.
 */
static void
offer_node_words(struct offers *offers, struct fx_graph *graph)
{
	const char *prefix = offers->to->prefix;
	const char *dot = strchr(prefix, '.');
	FX_AUTO_FREE char *name = NULL;
	const char *word;

	if (*prefix != '%' || !dot)
		return;
	name = fx_xstrndup(prefix + 1, (size_t)(dot - prefix - 1));
	if (!fx_graph_find(graph, name))
		return;
	for (size_t i = 0; (word = fx_eval_node_word_at(i)); i++)
		offer(offers, fx_intern_format("%%%s.%s", name, word));
}

static void
offer_tensors(struct offers *offers, const struct fx_module *module,
	const char *path)
{
	FX_AUTO_BUF struct fx_buf name = { 0 };

	for (size_t i = 0; i < module->member_count; i++) {
		const struct fx_member *member = &module->members[i];

		if (member->kind == FX_MEMBER_CHILD)
			continue;
		fx_buf_clear(&name);
		fx_buf_addf(&name, "%s%s%s", path, *path ? "." : "",
			member->name);
		offer(offers, fx_buf_text(&name));
	}
}

static void
offer_paths(struct offers *offers, struct fx_graph *graph)
{
	struct fx_module_walk *walk = fx_module_walk_new(graph->module, false);
	struct fx_module *module;
	const char *path;

	while (offers->count < MOST &&
		fx_module_walk_next(walk, &module, &path)) {
		if (*path)
			offer(offers, path);
		if (offers->to->kinds & FX_COMPLETE_PATHS)
			offer_tensors(offers, module, path);
	}
	fx_module_walk_free(walk);
}

/* Scopes that the module tree does not have, as in dumps. */
static void
offer_scopes(struct offers *offers, struct fx_graph *graph)
{
	struct fx_scope_paths paths;

	fx_resolve_scope_paths(graph, &paths);
	for (size_t i = 0; i < paths.count; i++)
		if (!fx_module_find(graph->module, paths.items[i]))
			offer(offers, paths.items[i]);
	fx_vec_deinit(&paths);
}

/* NAME, and how it is called where its home has a short name. */
static void
offer_in(struct offers *offers, const char *name)
{
	static const char *const shorter[][2] = {
		{ "torch.nn.functional.", "F." },
		{ "torch.nn.", "nn." },
	};
	FX_AUTO_BUF struct fx_buf text = { 0 };

	offer(offers, name);
	for (size_t i = 0; i < FX_ARRAY_LEN(shorter); i++) {
		if (!fx_str_starts(name, shorter[i][0]))
			continue;
		fx_buf_clear(&text);
		fx_buf_addf(&text, "%s%s", shorter[i][1],
			name + strlen(shorter[i][0]));
		offer(offers, fx_buf_text(&text));
	}
}

/* All spellings of an operation, which are separated by blanks. */
static void
offer_spellings(struct offers *offers, const struct fx_op_info *info)
{
	const char *at = info->aliases;

	offer_in(offers, info->spelling);
	while (*at) {
		size_t length = strcspn(at, " ");
		FX_AUTO_FREE char *name = fx_xstrndup(at, length);

		offer_in(offers, name);
		at += length + (at[length] == ' ');
	}
}

/* Layers and functions of torch: too many unless a module is named. */
static void
offer_torch(struct offers *offers)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };
	const struct fx_functional *functional;
	const struct fx_layer *layer;

	if (!strchr(offers->to->prefix, '.'))
		return;
	for (int i = FX_OP_NONE + 1; i < FX_OP_COUNT; i++)
		offer_spellings(offers, fx_op_info((enum fx_op)i));
	for (size_t i = 0; (functional = fx_functional_at(i)); i++)
		offer_in(offers, functional->name);
	for (size_t i = 0; (layer = fx_layer_at(i)); i++) {
		fx_buf_clear(&text);
		fx_buf_addf(&text, "torch.nn.%s", layer->name);
		offer_in(offers, fx_buf_text(&text));
	}
}

static void
offer_functions(struct offers *offers)
{
	struct fx_function_info info;

	for (size_t i = 0; fx_eval_function_at(i, &info); i++)
		offer(offers, info.name);
	offer_torch(offers);
}

static void
offer_variables(struct offers *offers, struct fx_session *session)
{
	const char *name;

	for (size_t i = 0; (name = fx_session_variable_at(session, i)); i++)
		offer(offers, fx_intern_format("$%s", name));
}

static void
offer_words(struct offers *offers)
{
	static const char *const words[] = { "in", "and", "or", "not" };

	for (int i = 0; i < FX_QUERY_FIELD_COUNT; i++)
		offer(offers, fx_query_field_word((enum fx_query_field)i));
	for (int i = 0; i < FX_OPCODE_COUNT; i++)
		offer(offers, fx_opcode_word((enum fx_opcode)i));
	for (size_t i = 0; i < FX_ARRAY_LEN(words); i++)
		offer(offers, words[i]);
}

void
fx_resolve_complete(struct fx_session *session, struct fx_model *model,
	const struct fx_completion *completion)
{
	struct offers offers = { .to = completion };
	struct fx_graph *graph = model ? fx_position_graph(model) : NULL;
	unsigned kinds = completion->kinds;

	if (graph && (kinds & FX_COMPLETE_NODES))
		offer_nodes(&offers, graph);
	if (graph && (kinds & FX_COMPLETE_NODES))
		offer_node_words(&offers, graph);
	if (graph && (kinds & (FX_COMPLETE_PATHS | FX_COMPLETE_MODULES))) {
		offer_paths(&offers, graph);
		offer_scopes(&offers, graph);
	}
	if (kinds & FX_COMPLETE_FUNCTIONS)
		offer_functions(&offers);
	if (kinds & FX_COMPLETE_VARIABLES)
		offer_variables(&offers, session);
	if (kinds & FX_COMPLETE_QUERY_WORDS)
		offer_words(&offers);
}
