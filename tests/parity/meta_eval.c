/* meta_eval.c - answer questions about shapes and effects, for shapes.py and
 * writes.py.
 *
 * One JSON object a line in, one line out:
 *
 *	{"op": "call_function", "target": "torch.relu",
 *	 "args": "(tensor('f32[2, 3]'),)", "kwargs": "{}"}
 *	{"op": "layer", "target": "Conv2d", "args": "(3, 8, 3)", "kwargs": "{}",
 *	 "call": "(tensor('f32[1, 3, 8, 8]'),)", "training": false}
 *	{"op": "fxg", "target": "a.fxg", "inputs": ["f32[1, 3, 8, 8]"]}
 *	{"op": "call_method", "target": "add_", "inputs": 1, "args": "(t0, 1)",
 *	 "kwargs": "{}", "ask": "effects"}
 *	{"op": "rows"}
 *
 * Out comes what fx_value_print_shape says, "? why" for what is not known, or
 * "error: ...".  A layer prints its configuration and tensors first, a file
 * one line "name shape" a node and then an empty line.  Of effects the words
 * "writes", "draws", "alias" come that hold before the call is made, and of
 * rows each spelling of ops.def with that of its row and traits.
 */
#include <config.h>

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/file.h"
#include "base/intern.h"
#include "ir/decompose.h"
#include "ir/edit.h"
#include "ir/fold.h"
#include "ir/graph.h"
#include "ir/module.h"
#include "ir/side_effects.h"
#include "ir/tensor_meta.h"
#include "ir/value_text.h"
#include "lang/ast.h"
#include "lang/parse.h"
#include "load/jsonl.h"
#include "load/open.h"
#include "meta/propagate.h"
#include "ops/layertab.h"

FX_NODISCARD static struct fx_error *
read_value(struct fx_arena *arena, struct fx_graph *graph, const char *text,
	struct fx_value *ret)
{
	struct fx_ast *tree;
	struct fx_error *err;

	if (!text) {
		*ret = fx_value_none();
		return NULL;
	}
	err = fx_parse_expression(arena, text, strlen(text), FX_PARSE_PYTHON,
		&tree);
	return err ? err : fx_value_from_ast(arena, graph, text, tree, ret);
}

static void
add_result(struct fx_buf *out, const struct fx_value *value)
{
	fx_value_print_shape(out, value, true);
	if (value->kind == FX_VALUE_UNKNOWN)
		fx_buf_addf(out, " %s", value->text ? value->text : "");
}

FX_NODISCARD static struct fx_error *
answer_call(struct fx_meta *meta, struct fx_arena *arena, json_t *question,
	struct fx_buf *out)
{
	const char *op = json_string_value(json_object_get(question, "op"));
	struct fx_meta_call call = {
		.opcode = fx_opcode_find(op),
		.target = fx_intern(json_string_value(json_object_get(question,
			"target"))),
	};
	struct fx_value result;
	struct fx_error *err = read_value(arena, NULL,
		json_string_value(json_object_get(question, "args")),
		&call.args);

	if (!err)
		err = read_value(arena, NULL,
			json_string_value(json_object_get(question, "kwargs")),
			&call.kwargs);
	if (!err)
		err = fx_meta_eval(meta, arena, &call, &result);
	if (!err)
		add_result(out, &result);
	return err;
}

/* What the call may do whose tensors are inputs t0, t1... of a graph. */
FX_NODISCARD static struct fx_error *
answer_effects(json_t *question, struct fx_buf *out)
{
	const char *op = json_string_value(json_object_get(question, "op"));
	FX_AUTO_GRAPH struct fx_graph *graph = fx_graph_new(1);
	struct fx_node_spec spec = { .opcode = FX_OPCODE_PLACEHOLDER };
	json_int_t inputs =
		json_integer_value(json_object_get(question, "inputs"));
	const struct fx_node *node;
	struct fx_error *err;
	unsigned kinds;

	for (json_int_t i = 0; i < inputs; i++) {
		spec.target = fx_intern_format("t%d", (int)i);
		fx_graph_append(graph, &spec);
	}
	spec.opcode = fx_opcode_find(op);
	spec.target = json_string_value(json_object_get(question, "target"));
	err = read_value(graph->values, graph,
		json_string_value(json_object_get(question, "args")),
		&spec.args);
	if (!err)
		err = read_value(graph->values, graph,
			json_string_value(json_object_get(question, "kwargs")),
			&spec.kwargs);
	if (err)
		return err;
	node = fx_graph_append(graph, &spec);
	kinds = fx_side_effects(node);
	fx_buf_add(out, kinds & FX_SIDE_EFFECT_WRITES ? " writes" : "");
	fx_buf_add(out, kinds & FX_SIDE_EFFECT_DRAWS ? " draws" : "");
	fx_buf_add(out, fx_may_alias(node) ? " alias" : "");
	return NULL;
}

static void
add_row(struct fx_buf *out, const struct fx_op_info *info, const char *name,
	size_t length)
{
	fx_buf_add_n(out, name, length);
	fx_buf_addf(out, " %s", info->spelling);
	fx_buf_add(out, info->traits & FX_OP_MUTATES ? " MUTATES" : "");
	fx_buf_add(out, info->traits & FX_OP_RANDOM ? " RANDOM" : "");
	fx_buf_add_char(out, '\n');
}

static void
answer_rows(struct fx_buf *out)
{
	for (int op = FX_OP_NONE + 1; op < FX_OP_COUNT; op++) {
		const struct fx_op_info *info = fx_op_info((enum fx_op)op);
		const char *alias = info->aliases + strspn(info->aliases, " ");

		add_row(out, info, info->spelling, strlen(info->spelling));
		while (*alias) {
			size_t length = strcspn(alias, " ");

			add_row(out, info, alias, length);
			alias += length;
			alias += strspn(alias, " ");
		}
	}
}

static void
add_tensors(struct fx_buf *out, struct fx_arena *arena,
	const struct fx_module *module, const char *prefix)
{
	for (size_t i = 0; i < module->member_count; i++) {
		const struct fx_member *member = &module->members[i];
		struct fx_value value = fx_value_none();

		if (member->kind == FX_MEMBER_CHILD) {
			add_tensors(out, arena, member->child, member->name);
			continue;
		}
		if (member->tensor)
			value = fx_meta_of_tensor(arena, member->tensor);
		fx_buf_addf(out, "|%s%s%s=%c ", prefix, *prefix ? "." : "",
			member->name,
			member->kind == FX_MEMBER_BUFFER ? 'b' : 'p');
		fx_value_print_shape(out, &value, true);
	}
}

FX_NODISCARD static struct fx_error *
answer_layer(struct fx_meta *meta, struct fx_arena *arena, json_t *question,
	struct fx_buf *out)
{
	FX_AUTO_GRAPH struct fx_graph *graph = fx_graph_new(1);
	struct fx_meta_call call = { .opcode = FX_OPCODE_CALL_MODULE,
		.target = fx_intern("m"),
		.graph = graph };
	struct fx_module *module;
	struct fx_value args;
	struct fx_value kwargs;
	struct fx_value result;
	struct fx_error *err = read_value(arena, NULL,
		json_string_value(json_object_get(question, "args")), &args);

	if (!err)
		err = read_value(arena, NULL,
			json_string_value(json_object_get(question, "kwargs")),
			&kwargs);
	if (!err)
		err = fx_layer_construct(graph,
			json_string_value(json_object_get(question, "target")),
			&args, &kwargs, &module);
	if (err)
		return err;
	module->training = json_is_true(json_object_get(question, "training"));
	fx_buf_add(out, module->class_name);
	fx_buf_add_char(out, ' ');
	fx_value_print_as(out, &module->config, FX_STYLE_CODE);
	add_tensors(out, arena, module, "");
	fx_buf_add(out, "|-> ");
	fx_module_add_child(graph->module, "m", module);
	err = read_value(arena, NULL,
		json_string_value(json_object_get(question, "call")),
		&call.args);
	if (!err)
		err = fx_meta_eval(meta, arena, &call, &result);
	if (!err)
		add_result(out, &result);
	return err;
}

static void
set_inputs(struct fx_arena *arena, struct fx_graph *graph, json_t *inputs)
{
	struct fx_node *node;
	size_t i = 0;

	fx_graph_for_each_node (node, graph) {
		const char *text;
		struct fx_value value;

		if (node->opcode != FX_OPCODE_PLACEHOLDER ||
			i >= json_array_size(inputs))
			continue;
		text = json_string_value(json_array_get(inputs, i++));
		fx_error_free(fx_tensor_meta_parse(arena, text, strlen(text),
			&value));
		fx_graph_set_meta(node, &value);
	}
}

FX_NODISCARD static struct fx_error *
answer_file(struct fx_arena *arena, json_t *question, struct fx_buf *out)
{
	FX_AUTO_FREE char *text = NULL;
	FX_AUTO_GRAPH struct fx_graph *graph = NULL;
	FX_AUTO_META_REPORT struct fx_meta_report report = { 0 };
	/* The program ends after the graph: its fragments may go first. */
	FX_AUTO_META struct fx_meta *meta = fx_meta_new();
	struct fx_load_input input = { .serial = 1 };
	struct fx_node *node;
	struct fx_error *err;

	input.path = json_string_value(json_object_get(question, "target"));
	err = fx_file_read(input.path, 0, &text, &input.length);
	input.text = text;
	if (!err)
		err = fx_load_jsonl(&input, &graph);
	if (err)
		return err;
	set_inputs(arena, graph, json_object_get(question, "inputs"));
	fx_meta_propagate(meta, graph, false, &report);
	fx_graph_for_each_node (node, graph) {
		fx_buf_addf(out, "%s ", node->name);
		add_result(out, node->meta);
		fx_buf_add_char(out, '\n');
	}
	for (size_t i = 0; i < report.failure_count; i++)
		fx_buf_addf(out, "failure %s\n",
			fx_error_message(report.failures[i].error));
	return NULL;
}

static void
answer(struct fx_meta *meta, const char *line)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	FX_AUTO_BUF struct fx_buf out = { 0 };
	json_t *question = json_loads(line, 0, NULL);
	const char *op = json_string_value(json_object_get(question, "op"));
	struct fx_error *err = NULL;

	if (!op) {
		printf("error: no question\n");
		json_decref(question);
		return;
	}
	if (strcmp(op, "layer") == 0)
		err = answer_layer(meta, arena, question, &out);
	else if (strcmp(op, "fxg") == 0)
		err = answer_file(arena, question, &out);
	else if (strcmp(op, "rows") == 0)
		answer_rows(&out);
	else if (json_object_get(question, "ask"))
		err = answer_effects(question, &out);
	else
		err = answer_call(meta, arena, question, &out);
	fputs(fx_buf_text(&out), stdout);
	if (err)
		printf("error: %s", fx_error_message(err));
	fputc('\n', stdout);
	fx_error_free(err);
	json_decref(question);
}

int
main(void)
{
	char *line = NULL;
	size_t capacity = 0;

	while (getline(&line, &capacity, stdin) > 0) {
		/* A layer's fragments die before its graph. */
		struct fx_meta *meta = fx_meta_new();

		answer(meta, line);
		fx_meta_free(meta);
	}
	free(line);
	fx_layertab_shutdown();
	fx_intern_shutdown();
	return EXIT_SUCCESS;
}
