/* ast.h - the tree that the one parser makes.
 *
 * A subset of Python plus the designators of the debugger's language
 * (COMMANDS 1 and 2).  Trees live in an arena; texts are interned; every node
 * has its span in the parsed text.  The children of each kind are listed here
 * and nowhere else.
 */
#ifndef FX_LANG_AST_H
#define FX_LANG_AST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/span.h"

/* "kids" are the children in order; "text" is an interned string. */
enum fx_ast_kind {
	/* Operands. */
	FX_AST_NAME,     /* text: identifier, dotted steps are ATTR */
	FX_AST_NODE,     /* %name: text without the % */
	FX_AST_POSITION, /* @N: integer */
	FX_AST_HERE,     /* . or .-1 or .+3: integer is the offset */
	FX_AST_HISTORY,  /* $ (0), $$ (-1) or $N: integer; text NULL */
	FX_AST_VARIABLE, /* $name and $_: text without the $ */
	FX_AST_NONE,
	FX_AST_BOOL,      /* integer 0 or 1 */
	FX_AST_INT,       /* integer; when too big for 64 bits text has the
			   * decimal digits, else text is NULL */
	FX_AST_FLOAT,     /* real */
	FX_AST_IMAGINARY, /* real: 2j */
	FX_AST_STRING,    /* string, length: decoded bytes, adjacent joined;
			   * text: "r" when written raw, "word" for a bare
			   * word of a query, else NULL */
	FX_AST_BYTES,     /* string, length */
	FX_AST_FSTRING,   /* raw text kept; only in code that is not ours */
	FX_AST_ELLIPSIS,
	FX_AST_QUERY,  /* {QUERY}: kid 0, NULL when empty; read by
			* lang/query */
	FX_AST_OPAQUE, /* <class 'int'>: text as written; only in Python
			* text, where an object has no literal */

	/* Expressions. */
	FX_AST_ATTR,           /* kid 0 value; text: the step, may be digits */
	FX_AST_SUBSCRIPT,      /* kid 0 value, kid 1 index (TUPLE for a, b) */
	FX_AST_SLICE,          /* kids lower, upper, step; each may be NULL */
	FX_AST_CALL,           /* kid 0 function, then arguments: expressions,
				* STARRED, KEYWORD, DOUBLE_STARRED */
	FX_AST_KEYWORD,        /* text: name; kid 0 value */
	FX_AST_STARRED,        /* kid 0 */
	FX_AST_DOUBLE_STARRED, /* kid 0 */
	FX_AST_UNARY,          /* op; kid 0 */
	FX_AST_BINARY,         /* op; kids left, right */
	FX_AST_BOOLEAN,        /* op AND or OR; two or more kids */
	FX_AST_COMPARE, /* ops in `ops`; kids: operands, one more than ops */
	FX_AST_CONDITIONAL, /* kids test, then, else: "then if test else else"
			     */
	FX_AST_LAMBDA,      /* kids: PARAMs, last kid the body */
	FX_AST_TUPLE,       /* kids; "parenthesised" says whether ( ) stood */
	FX_AST_LIST,        /* kids */
	FX_AST_DICT,        /* kids: key, value, key, value */
	FX_AST_SET,         /* kids; only in Python text, never in a command */
	FX_AST_COMPREHENSION, /* kids element, target, iterable, condition or
			       * NULL; only `[e for t in it if c]` and generator
			       */

	/* Statements. */
	FX_AST_MODULE,     /* kids: statements */
	FX_AST_FUNCTION,   /* text: name; kids: PARAMs, then BLOCK, then the
			    * return annotation or NULL, decorators dropped */
	FX_AST_PARAM,      /* text: name; op: NONE, MUL for *name, POW for
			    * **name; kids: annotation or NULL, default or
			    * NULL */
	FX_AST_CLASS,      /* text: name; kids: bases..., then BLOCK */
	FX_AST_BLOCK,      /* kids: statements */
	FX_AST_ASSIGN,     /* kids: targets in order..., last kid the value */
	FX_AST_ANNOTATED,  /* kids target, annotation, value or NULL */
	FX_AST_AUGMENTED,  /* op; kids target, value: x += 1 */
	FX_AST_RETURN,     /* kid 0 value or NULL */
	FX_AST_IF,         /* kids test, BLOCK, BLOCK or NULL (elif nests) */
	FX_AST_FOR,        /* kids target, iterable, BLOCK */
	FX_AST_ASSERT,     /* kids test, message or NULL */
	FX_AST_RAISE,      /* kid 0 or NULL */
	FX_AST_DELETE,     /* kids */
	FX_AST_IMPORT,     /* text: the whole statement as written */
	FX_AST_EXPRESSION, /* kid 0 */
	FX_AST_PASS,
};

/* Operators of UNARY, BINARY, BOOLEAN, COMPARE and AUGMENTED. */
enum fx_ast_op {
	FX_AST_OP_NONE,
	FX_AST_ADD,
	FX_AST_SUB,
	FX_AST_MUL,
	FX_AST_DIV,
	FX_AST_FLOORDIV,
	FX_AST_MOD,
	FX_AST_POW,
	FX_AST_MATMUL,
	FX_AST_LSHIFT,
	FX_AST_RSHIFT,
	FX_AST_BITAND,
	FX_AST_BITOR,
	FX_AST_BITXOR,
	FX_AST_NEG,
	FX_AST_POS,
	FX_AST_INVERT,
	FX_AST_NOT,
	FX_AST_AND,
	FX_AST_OR,
	FX_AST_EQ,
	FX_AST_NE,
	FX_AST_LT,
	FX_AST_LE,
	FX_AST_GT,
	FX_AST_GE,
	FX_AST_IN,
	FX_AST_NOT_IN,
	FX_AST_IS,
	FX_AST_IS_NOT,
	FX_AST_MATCHES, /* ~ between operands: queries only */
	FX_AST_OP_COUNT
};

struct fx_ast {
	enum fx_ast_kind kind;
	enum fx_ast_op op;
	struct fx_span span;
	bool parenthesised;
	uint32_t kid_count;
	uint32_t height; /* levels of the tree, 1 for a leaf: `a + b + c` and
			  * `a.b.c` lean left without limit, so who walks a
			  * tree by recursion refuses what is too high */
	struct fx_ast **kids;
	const char *text;          /* interned, or NULL */
	const char *string;        /* STRING and BYTES: decoded, in the arena */
	const enum fx_ast_op *ops; /* COMPARE: kid_count - 1 of them */
	union {
		int64_t integer;
		double real;
		size_t length;
	};
	/* Statements: the comment lines directly above (joined by newlines,
	 * without indentation) and the comment at the end of the line, in the
	 * arena, or NULL.  Generated code says sources and shapes there.
	 */
	const char *comment_above;
	const char *comment_after;
	bool blank_above; /* an empty line stands above */
};

/* Python's spelling of OP ("+", "not in"), and its name in the operator
 * module ("add"; "" for AND, OR, NOT_IN, IN, MATCHES).
 */
const char *fx_ast_op_text(enum fx_ast_op op);
const char *fx_ast_op_function(enum fx_ast_op op);

#endif /* FX_LANG_AST_H */
