/* expressions.c - reads lines of Python expressions and prints each as our
 * parser and printer give it again, or "error: ...", for expressions.py.
 */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/intern.h"
#include "lang/ast.h"
#include "lang/parse.h"
#include "tests/support/ast_print.h"

static void
print_line(const char *line, size_t length)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	FX_AUTO_BUF struct fx_buf out = { 0 };
	FX_AUTO_ERROR struct fx_error *err = NULL;
	struct fx_ast *tree;

	err = fx_parse_expression(arena, line, length, FX_PARSE_PYTHON, &tree);
	if (err)
		fx_buf_addf(&out, "error: %s", fx_error_message(err));
	else
		fxt_ast_print(&out, tree);
	puts(fx_buf_text(&out));
}

int
main(void)
{
	char *line = NULL;
	size_t capacity = 0;
	ssize_t length;

	while ((length = getline(&line, &capacity, stdin)) > 0)
		print_line(line, strcspn(line, "\n"));
	free(line);
	fx_intern_shutdown();
	return 0;
}
