/* fuzz_parse.c - any bytes as an expression, a query, a dump.
 *
 * The first byte says as what the rest is read.  Nothing may crash or leak;
 * and an expression that is understood prints as text that reads as the same.
 */
#include <config.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/mem.h"
#include "ir/graph.h"
#include "lang/ast.h"
#include "lang/parse.h"
#include "lang/query.h"
#include "load/fx.h"
#include "load/open.h"
#include "load/python.h"
#include "tests/support/ast_print.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Flags of an expression, by the first byte. */
static const unsigned flags[] = {
	FX_PARSE_PYTHON,
	FX_PARSE_DESIGNATORS,
	FX_PARSE_DESIGNATORS | FX_PARSE_EQUAL_COMPARES,
	FX_PARSE_DESIGNATORS | FX_PARSE_QUERY,
};

static void
check_printing(const struct fx_ast *tree, unsigned flag)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	FX_AUTO_BUF struct fx_buf first = { 0 };
	FX_AUTO_BUF struct fx_buf second = { 0 };
	struct fx_ast *again;
	struct fx_error *err;

	fxt_ast_print(&first, tree);
	err = fx_parse_expression(arena, fx_buf_text(&first), first.length,
		flag & ~(unsigned)FX_PARSE_EQUAL_COMPARES, &again);
	if (err) {
		/* Brackets that printing adds may be one level too many. */
		fx_assert(tree->height > 60);
		fx_error_free(err);
		return;
	}
	fxt_ast_print(&second, again);
	fx_assert(!strcmp(fx_buf_text(&first), fx_buf_text(&second)));
}

static void
parse_expression(const char *text, size_t length, unsigned flag)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	struct fx_parse_range range = { text, length, 0, length };
	struct fx_ast *tree;
	struct fx_error *err;
	size_t end;

	err = fx_parse_expression(arena, text, length, flag, &tree);
	if (!err && !(flag & FX_PARSE_QUERY))
		check_printing(tree, flag);
	fx_error_free(err);
	err = fx_parse_expression_in(arena, &range, flag, &tree, &end);
	fx_assert(err || end <= length);
	fx_error_free(err);
}

static void
parse_query(const char *text, size_t length)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	struct fx_query *query;
	struct fx_ast *tree;
	struct fx_error *err;

	err = fx_parse_expression(arena, text, length,
		FX_PARSE_DESIGNATORS | FX_PARSE_QUERY, &tree);
	if (!err)
		err = fx_query_read(arena, text, tree, &query);
	fx_error_free(err);
}

/* LOAD with the text in memory; fx_open_text when null. */
static void
load(const char *text, size_t length,
	struct fx_error *(*loader)(const struct fx_load_input *,
		struct fx_graph **))
{
	FX_AUTO_BUF struct fx_buf notices = { 0 };
	FX_AUTO_GRAPH struct fx_graph *graph = NULL;
	FX_AUTO_LOADED struct fx_loaded loaded = { 0 };
	struct fx_load_input input = { .text = text,
		.length = length,
		.serial = 1,
		.notices = &notices,
		.graph = length % 3 };

	if (loader)
		fx_error_free(loader(&input, &graph));
	else
		fx_error_free(fx_open_text(&input, &loaded));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	FX_AUTO_FREE char *text = NULL;
	size_t length = size > 0 ? size - 1 : 0;

	if (size == 0)
		return 0;
	text = fx_xmalloc(length + 1);
	memcpy(text, data + 1, length);
	text[length] = '\0';
	switch (data[0]) {
	case 'p':
		load(text, length, fx_load_python);
		break;
	case 'l':
		load(text, length, fx_load_fx);
		break;
	case 'o':
		load(text, length, NULL);
		break;
	case 'q':
		parse_query(text, length);
		break;
	default:
		parse_expression(text, length, flags[data[0] % 4]);
		break;
	}
	return 0;
}
