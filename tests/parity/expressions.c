/* expressions.c - reads lines of Python expressions and prints each as our
 * parser and printer give it again, or its value with "-e" as an argument, or
 * "error: ...", for expressions.py.
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
#include "run/backend.h"
#include "run/datum.h"
#include "run/eval.h"
#include "tests/support/ast_print.h"

static void
print_value(struct fx_backend *backend, char *line)
{
	const struct fx_resolver resolver = { .backend = backend };
	const struct fx_datum_printer printer = { .format = "r" };
	FX_AUTO_DATUM struct fx_datum *datum = NULL;
	FX_AUTO_BUF struct fx_buf out = { 0 };
	FX_AUTO_ERROR struct fx_error *err =
		fx_eval_text(&resolver, line, false, &datum);

	if (!err)
		err = fx_datum_print(&out, datum, &printer);
	if (err)
		printf("error: %s\n", fx_error_message(err));
	else
		puts(fx_buf_text(&out));
}

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
main(int argc, char **argv)
{
	struct fx_backend *backend = fx_backend_meta_new();
	bool is_evaluated = argc > 1 && strcmp(argv[1], "-e") == 0;
	char *line = NULL;
	size_t capacity = 0;
	ssize_t length;

	while ((length = getline(&line, &capacity, stdin)) > 0) {
		line[strcspn(line, "\n")] = '\0';
		if (is_evaluated)
			print_value(backend, line);
		else
			print_line(line, strlen(line));
	}
	free(line);
	fx_backend_free(backend);
	fx_intern_shutdown();
	return 0;
}
