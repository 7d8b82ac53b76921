/* query.h - the special reading of a tree as a query: a set of nodes.
 *
 * The parser (FX_PARSE_QUERY) yields an ordinary tree; this file resolves what
 * is special: bare words of fields, `in PATH`, ranges, text on the right of =
 * and ~, numbers compared with sets.  Evaluation against a graph is
 * run/eval's.
 */
#ifndef FX_LANG_QUERY_H
#define FX_LANG_QUERY_H

#include <stdbool.h>

#include "base/error.h"

struct fx_arena;
struct fx_ast;

enum fx_query_field {
	FX_QUERY_OP,
	FX_QUERY_TARGET,
	FX_QUERY_NAME,
	FX_QUERY_DTYPE,
	FX_QUERY_SHAPE,
	FX_QUERY_USERS,
	FX_QUERY_INPUTS,
	FX_QUERY_NDIM,
	FX_QUERY_MODULE,
	FX_QUERY_SCOPE,
	FX_QUERY_SOURCE,
	FX_QUERY_STATE,
	FX_QUERY_PASS,
	FX_QUERY_TAGGED,    /* alone: a truth */
	FX_QUERY_NONFINITE, /* alone: a truth */
	FX_QUERY_DIRTY,     /* alone: a truth */
	FX_QUERY_FIELD_COUNT
};

enum fx_query_kind {
	FX_QUERY_AND,     /* kids */
	FX_QUERY_OR,      /* kids */
	FX_QUERY_NOT,     /* kid 0 */
	FX_QUERY_COMPARE, /* field op operand */
	FX_QUERY_INSIDE,  /* text: a module path or glob */
	FX_QUERY_TRUTH,   /* field alone */
	FX_QUERY_RANGE,   /* first, last: designators, inclusive */
	FX_QUERY_ITEM,    /* operand: a designator or node name by itself */
	FX_QUERY_CALL,    /* text: up down path dom ...; kids/arguments */
	FX_QUERY_ALL,     /* empty query */
};

struct fx_query {
	enum fx_query_kind kind;
	enum fx_query_field field;
	int op; /* enum fx_ast_op: EQ NE LT LE GT GE MATCHES */
	struct fx_span span;
	const char *text;       /* word, glob or regular expression, interned */
	bool is_regex;          /* text came from r"..." */
	struct fx_ast *operand; /* number, designator, shape list */
	struct fx_ast *first;   /* RANGE */
	struct fx_ast *last;
	struct fx_query **kids;
	int kid_count;
	struct fx_ast **arguments; /* CALL */
	int argument_count;
};

/* "op", "target"...: how FIELD is written. */
const char *fx_query_field_word(enum fx_query_field field);

/* Whether WORD is a field that is compared with text. */
bool fx_query_is_text_field(const char *word);

/* Read TREE, an expression or a whole {QUERY}, as a query; TEXT is what the
 * tree was parsed from with FX_PARSE_QUERY, for carets.  The query lives in
 * ARENA and refers to TREE.
 */
FX_NODISCARD struct fx_error *fx_query_read(struct fx_arena *arena,
	const char *text, const struct fx_ast *tree, struct fx_query **ret);

#endif /* FX_LANG_QUERY_H */
