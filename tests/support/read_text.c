/* read_text.c - graphs and values from Python text, for tests. */
#include <config.h>

#include "tests/support/read_text.h"

#include <string.h>

#include "ir/graph.h"
#include "ir/module.h"
#include "ir/value_text.h"
#include "lang/parse.h"
#include "load/open.h"
#include "tests/support/unit.h"

struct fx_graph *
fxt_read_graph(const char *text, uint32_t serial)
{
	FX_AUTO_LOADED struct fx_loaded loaded = { .graph = NULL };
	const struct fx_load_input input = {
		.text = text,
		.length = strlen(text),
		.serial = serial,
	};
	bool ok = fxt_ok(fx_open_text(&input, &loaded));

	CU_ASSERT_FATAL(ok);
	return FX_TAKE(loaded.graph);
}

struct fx_graph *
fxt_load(const char *text, fxt_load_fn *load, struct fx_buf *notices)
{
	struct fx_load_input input = { .text = text,
		.length = strlen(text),
		.serial = 1,
		.notices = notices };
	struct fx_graph *graph = NULL;

	FXT_OK(load(&input, &graph));
	CU_ASSERT_PTR_NOT_NULL_FATAL(graph);
	return graph;
}

void
fxt_check_member(struct fx_graph *graph, const char *path,
	const char *class_name)
{
	struct fx_module *module = fx_module_find(graph->module, path);

	CU_ASSERT_PTR_NOT_NULL(module);
	if (module)
		FXT_SAME(fx_class_short_name(module->class_name), class_name);
}

struct fx_value
fxt_read_value(struct fx_arena *arena, const char *text)
{
	struct fx_value value = fx_value_none();
	struct fx_ast *tree;
	bool ok = fxt_ok(fx_parse_expression(arena, text, strlen(text),
			  FX_PARSE_PYTHON, &tree)) &&
		  fxt_ok(fx_value_from_ast(arena, NULL, text, tree, &value));

	CU_ASSERT_FATAL(ok);
	return value;
}

void
fxt_read_nested(struct fx_graph *graph, const char *path, const char *text)
{
	struct fx_module *module = fx_module_new(graph, "Sub");

	module->graph = fxt_read_graph(text, 77);
	fx_module_add_child(graph->module, path, module);
}
