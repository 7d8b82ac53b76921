/* ast.c - spellings of the operators. */
#include <config.h>

#include "lang/ast.h"

#include "base/compiler.h"

static const struct {
	const char *text;
	const char *function;
} ops[] = {
	[FX_AST_OP_NONE] = { "", "" },
	[FX_AST_ADD] = { "+", "add" },
	[FX_AST_SUB] = { "-", "sub" },
	[FX_AST_MUL] = { "*", "mul" },
	[FX_AST_DIV] = { "/", "truediv" },
	[FX_AST_FLOORDIV] = { "//", "floordiv" },
	[FX_AST_MOD] = { "%", "mod" },
	[FX_AST_POW] = { "**", "pow" },
	[FX_AST_MATMUL] = { "@", "matmul" },
	[FX_AST_LSHIFT] = { "<<", "lshift" },
	[FX_AST_RSHIFT] = { ">>", "rshift" },
	[FX_AST_BITAND] = { "&", "and_" },
	[FX_AST_BITOR] = { "|", "or_" },
	[FX_AST_BITXOR] = { "^", "xor" },
	[FX_AST_NEG] = { "-", "neg" },
	[FX_AST_POS] = { "+", "pos" },
	[FX_AST_INVERT] = { "~", "invert" },
	[FX_AST_NOT] = { "not", "not_" },
	[FX_AST_AND] = { "and", "" },
	[FX_AST_OR] = { "or", "" },
	[FX_AST_EQ] = { "==", "eq" },
	[FX_AST_NE] = { "!=", "ne" },
	[FX_AST_LT] = { "<", "lt" },
	[FX_AST_LE] = { "<=", "le" },
	[FX_AST_GT] = { ">", "gt" },
	[FX_AST_GE] = { ">=", "ge" },
	[FX_AST_IN] = { "in", "" },
	[FX_AST_NOT_IN] = { "not in", "" },
	[FX_AST_IS] = { "is", "is_" },
	[FX_AST_IS_NOT] = { "is not", "is_not" },
	[FX_AST_MATCHES] = { "~", "" },
};
_Static_assert(FX_ARRAY_LEN(ops) == FX_AST_OP_COUNT, "an operator has no row");

const char *
fx_ast_op_text(enum fx_ast_op op)
{
	return ops[op].text;
}

const char *
fx_ast_op_function(enum fx_ast_op op)
{
	return ops[op].function;
}
