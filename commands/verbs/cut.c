/* cut.c - edits that make nested graphs, verified; split. */
#include <config.h>

#include "commands/verbs/cut.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/str.h"
#include "commands/shell/shell.h"
#include "commands/verbs/edit.h"
#include "commands/verbs/pass_run.h"
#include "ir/module.h"
#include "ir/outline.h"
#include "ir/part.h"
#include "session/model.h"
#include "session/position.h"
#include "session/resolve.h"

static struct fx_error *
run_cut(struct cmd_ctx *ctx, void *data, struct fx_buf *script)
{
	struct cmd_cut *cut = data;
	struct fx_error *err = cut->edit(ctx);

	(void)script;
	if (err && fx_error_code(err) == FX_ERR_NAME_TAKEN)
		return fx_error_hint(err, "scope -t");
	if (err || !cut->verify)
		return err;
	return cmd_verify_pass(ctx, ctx->entry->name, cut->verify,
		&cut->verified);
}

struct fx_error *
cmd_cut_edit(struct cmd_ctx *ctx, struct cmd_cut *cut)
{
	const struct fx_verify_options options = { .claim = FX_CLAIM_EXACT,
		.graph = fx_position_graph(ctx->model) };
	struct fx_error *err;

	if (fx_verify_mode(ctx->session) != FX_VERIFY_MODE_OFF &&
		!cmd_flag(ctx, "dry-run"))
		cut->verify = fx_verify_new(ctx->session, ctx->model, &options);
	err = cmd_edit(ctx, ctx->entry->name, run_cut, cut);
	if (!err)
		cmd_say_verified(ctx, cut->verify ? &cut->verified : NULL);
	fx_verify_free(cut->verify);
	fx_verify_result_deinit(&cut->verified);
	return err;
}

/* --- which part ---------------------------------------------------------- */

/* The number after the last = of WORD, and how long what stands before it is;
 * false when there is none.
 */
static bool
read_stage(const char *word, size_t *length_ret, int64_t *stage_ret)
{
	const char *equals = strrchr(word, '=');

	if (!equals || equals == word ||
		!fx_number_parse_int(equals + 1, strlen(equals + 1),
			stage_ret) ||
		*stage_ret < 0)
		return false;
	*length_ret = (size_t)(equals - word);
	return true;
}

/* Give the nodes of the set TEXT the NUMBER in MAP. */
static FX_NODISCARD struct fx_error *
mark_set(struct cmd_ctx *ctx, const char *text, uintptr_t number,
	struct fx_map *map)
{
	struct fx_graph *graph = fx_position_graph(ctx->model);
	FX_AUTO_FREE size_t *positions = NULL;
	size_t count;
	struct fx_error *err = fx_resolve_set(ctx->session, ctx->model, text,
		&positions, &count);

	if (!err && !count)
		err = fx_error_new(FX_ERR_NO_NODE,
			"split: no node matches \"%s\"", text);
	for (size_t i = 0; i < count && !err; i++) {
		struct fx_node *node = fx_graph_at(graph, positions[i]);
		uintptr_t before = fx_map_get(map, (uintptr_t)node, number);

		if (before != number)
			err = fx_error_new(FX_ERR_VALUE,
				"%%%s is in the parts %zu and %zu", node->name,
				(size_t)before - 1, (size_t)number - 1);
		fx_map_set(map, (uintptr_t)node, number);
	}
	return err;
}

static FX_NODISCARD struct fx_error *
mark_stages(struct cmd_ctx *ctx, struct fx_map *map)
{
	struct fx_error *err = NULL;

	for (size_t i = 0; i < cmd_arg_count(ctx, "parts") && !err; i++) {
		const char *word = cmd_arg_text_at(ctx, "parts", i);
		FX_AUTO_FREE char *set = NULL;
		size_t length;
		int64_t stage;

		if (!read_stage(word, &length, &stage))
			return fx_error_hint(fx_error_new(FX_ERR_USAGE,
						     "split: expected SET=N, "
						     "got \"%s\"",
						     word),
				"split layer1=0 layer2=1");
		set = fx_xstrndup(word, length);
		err = mark_set(ctx, set, (uintptr_t)stage + 1, map);
	}
	return err;
}

/* All words as one query, as where the braces are left out. */
static char *
whole_set(struct cmd_ctx *ctx)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };

	for (size_t i = 0; i < cmd_arg_count(ctx, "parts"); i++)
		fx_buf_addf(&text, "%s%s", i ? " " : "",
			cmd_arg_text_at(ctx, "parts", i));
	return fx_buf_take(&text);
}

/* Whether NODE calls something that is called WORD: torch.relu, relu, Conv2d.
 */
static bool
calls(const struct fx_node *node, const char *word)
{
	const char *dot = strrchr(node->target, '.');
	const struct fx_module *module;

	if (node->opcode == FX_OPCODE_CALL_MODULE) {
		module = fx_module_find(node->graph->module, node->target);
		return module &&
		       (fx_str_equal(module->class_name, word) ||
			       fx_str_equal(
				       fx_class_short_name(module->class_name),
				       word));
	}
	return fx_str_equal(node->target, word) ||
	       (dot && fx_str_equal(dot + 1, word));
}

/* The nodes that call something of WORDS. */
static FX_NODISCARD struct fx_error *
mark_supported(struct cmd_ctx *ctx, const char *words, struct fx_map *map)
{
	while (*words) {
		size_t length = strcspn(words, ",");
		FX_AUTO_FREE char *word = fx_xstrndup(words, length);
		size_t before = map->count;
		bool is_there = false;
		struct fx_node *node;

		fx_graph_for_each_node (node, fx_position_graph(ctx->model))
			if (node->opcode != FX_OPCODE_PLACEHOLDER &&
				node->opcode != FX_OPCODE_OUTPUT &&
				calls(node, word)) {
				fx_map_set(map, (uintptr_t)node, 1);
				is_there = true;
			}
		if (length && !is_there && map->count == before)
			return fx_error_hint(
				fx_error_new(FX_ERR_NO_NODE,
					"split: no node calls \"%s\"", word),
				"nodes");
		words += length + (words[length] == ',');
	}
	return NULL;
}

/* --- split --------------------------------------------------------------- */

/* A script has sets that give the same wherever it runs. */
static FX_NODISCARD struct fx_error *
check_steady(struct cmd_ctx *ctx, const char *text)
{
	FX_AUTO_FREE char *braced = fx_xasprintf("{%s}", text);

	if (fx_resolve_is_steady(ctx->model, text) ||
		fx_resolve_is_steady(ctx->model, braced))
		return NULL;
	return fx_error_hint(fx_error_new(FX_ERR_VALUE,
				     "split: what is in \"%s\" depends on more "
				     "than the graph",
				     text),
		"nodes %s lists them", text);
}

static FX_NODISCARD struct fx_error *
find_parts(struct cmd_ctx *ctx, const char *prefix,
	struct fx_partition *partition)
{
	const char *ops = cmd_flag(ctx, "ops");
	const char *first = cmd_arg_text(ctx, "parts");
	FX_AUTO_MAP struct fx_map map = { 0 };
	FX_AUTO_FREE char *set = NULL;
	struct fx_error *err = NULL;
	int64_t stage;
	size_t length;

	if (!first == !ops)
		return fx_error_hint(fx_error_new(FX_ERR_USAGE,
					     "split: expected a set, SET=N, or "
					     "--ops"),
			"split {in layer1}");
	if (first && read_stage(first, &length, &stage)) {
		err = mark_stages(ctx, &map);
		return err ? err
			   : fx_partition_by_stage(partition, &map, prefix);
	}
	if (ops) {
		err = mark_supported(ctx, ops, &map);
	} else {
		set = whole_set(ctx);
		err = mark_set(ctx, set, 1, &map);
		if (!err)
			err = check_steady(ctx, set);
	}
	return err ? err : fx_partition_by_set(partition, &map, prefix);
}

static struct fx_error *
split_edit(struct cmd_ctx *ctx)
{
	const char *prefix = cmd_arg_text(ctx, "as");
	FX_AUTO_PARTITION struct fx_partition partition = {
		.graph = fx_position_graph(ctx->model)
	};
	struct fx_error *err =
		find_parts(ctx, prefix ? prefix : "submod", &partition);

	if (!err && !partition.parts.count)
		err = fx_error_new(FX_ERR_NO_NODE,
			"split: %s has no operations",
			fx_model_name(ctx->model));
	return err ? err
		   : fx_split(&partition, cmd_flag(ctx, "keep-order") != NULL);
}

struct fx_error *
cmd_split_exec(struct cmd_ctx *ctx)
{
	struct cmd_cut cut = { .edit = split_edit };

	return cmd_cut_edit(ctx, &cut);
}
