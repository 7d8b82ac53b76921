/* ast_print.c - a tree back to text, with the fewest parentheses.
 *
 * Chains that lean left (a + b + c, a.b.c) have no limit, so printing keeps
 * its own stack of what is still to do instead of recursing.
 */
#include <config.h>

#include "tests/support/ast_print.h"

#include <string.h>

#include "base/buf.h"
#include "base/number.h"
#include "base/str.h"
#include "base/vec.h"
#include "lang/ast.h"

/* How tightly a kind of expression binds; more is tighter. */
enum level {
	LEVEL_LAMBDA,
	LEVEL_CONDITIONAL,
	LEVEL_OR,
	LEVEL_AND,
	LEVEL_NOT,
	LEVEL_COMPARE,
	LEVEL_BITOR,
	LEVEL_BITXOR,
	LEVEL_BITAND,
	LEVEL_SHIFT,
	LEVEL_SUM,
	LEVEL_PRODUCT,
	LEVEL_UNARY,
	LEVEL_POWER,
	LEVEL_POSTFIX,
	LEVEL_ATOM,
};

/* Something still to print: a tree at a place that needs LEVEL, or a text. */
struct task {
	const struct fx_ast *tree;
	const char *text;
	enum level level;
	bool in_query;
};

struct printer {
	struct fx_buf *out;
	FX_VEC(struct task) tasks; /* the last is next */
	size_t mark;               /* where those of the current tree begin */
	bool in_query;
};

static enum level
binary_level(enum fx_ast_op op)
{
	switch ((int)op) {
	case FX_AST_BITOR:
		return LEVEL_BITOR;
	case FX_AST_BITXOR:
		return LEVEL_BITXOR;
	case FX_AST_BITAND:
		return LEVEL_BITAND;
	case FX_AST_LSHIFT:
	case FX_AST_RSHIFT:
		return LEVEL_SHIFT;
	case FX_AST_ADD:
	case FX_AST_SUB:
		return LEVEL_SUM;
	case FX_AST_POW:
		return LEVEL_POWER;
	}
	return LEVEL_PRODUCT;
}

static enum level
level_of(const struct fx_ast *tree)
{
	switch ((int)tree->kind) {
	case FX_AST_LAMBDA:
		return LEVEL_LAMBDA;
	case FX_AST_CONDITIONAL:
		return LEVEL_CONDITIONAL;
	case FX_AST_BOOLEAN:
		return tree->op == FX_AST_OR ? LEVEL_OR : LEVEL_AND;
	case FX_AST_COMPARE:
		return LEVEL_COMPARE;
	case FX_AST_BINARY:
		return binary_level(tree->op);
	case FX_AST_UNARY:
		if (tree->op == FX_AST_NOT)
			return LEVEL_NOT;
		return tree->op == FX_AST_IN ? LEVEL_COMPARE : LEVEL_UNARY;
	case FX_AST_SLICE:
		return LEVEL_COMPARE;
	case FX_AST_ATTR:
	case FX_AST_CALL:
	case FX_AST_SUBSCRIPT:
		return LEVEL_POSTFIX;
	}
	return LEVEL_ATOM;
}

static void
add_text(struct printer *printer, const char *text)
{
	struct task task = { .text = text };

	fx_vec_push(&printer->tasks, task);
}

/* TREE where something of at least LEVEL must stand. */
static void
add_tree(struct printer *printer, const struct fx_ast *tree, enum level level)
{
	struct task task = {
		.tree = tree, .level = level, .in_query = printer->in_query
	};

	if (tree)
		fx_vec_push(&printer->tasks, task);
}

/* Kids FIRST up to the last, with SEPARATOR between. */
static void
add_kids(struct printer *printer, const struct fx_ast *tree, uint32_t first,
	const char *separator, enum level level)
{
	uint32_t i;

	for (i = first; i < tree->kid_count; i++) {
		if (i > first)
			add_text(printer, separator);
		add_tree(printer, tree->kids[i], level);
	}
}

static void
add_string(struct printer *printer, const struct fx_ast *tree)
{
	bool is_word = tree->text && !strcmp(tree->text, "word");
	bool is_raw = tree->text && !strcmp(tree->text, "r");
	struct fx_buf *out = printer->out;

	if (is_word && printer->in_query) {
		fx_buf_add_n(out, tree->string, tree->length);
	} else if (is_raw && !memchr(tree->string, '\n', tree->length) &&
		   !memchr(tree->string, '"', tree->length)) {
		fx_buf_add(out, "r\"");
		fx_buf_add_n(out, tree->string, tree->length);
		fx_buf_add_char(out, '"');
	} else {
		fx_str_python_repr(out, tree->string, tree->length);
	}
}

static void
add_history(struct fx_buf *out, int64_t number)
{
	fx_buf_add(out, number < 0 ? "$$" : "$");
	if (number < -1)
		fx_buf_add_int(out, -number);
	else if (number > 0)
		fx_buf_add_int(out, number);
}

static void
print_leaf(struct printer *printer, const struct fx_ast *tree)
{
	struct fx_buf *out = printer->out;

	switch ((int)tree->kind) {
	case FX_AST_NAME:
	case FX_AST_OPAQUE:
		fx_buf_add(out, tree->text);
		break;
	case FX_AST_NODE:
		fx_buf_addf(out, "%%%s", tree->text);
		break;
	case FX_AST_VARIABLE:
		fx_buf_addf(out, "$%s", tree->text);
		break;
	case FX_AST_POSITION:
		fx_buf_addf(out, "@%lld", (long long)tree->integer);
		break;
	case FX_AST_HERE:
		fx_buf_add_char(out, '.');
		if (tree->integer != 0)
			fx_buf_addf(out, "%+lld", (long long)tree->integer);
		break;
	case FX_AST_HISTORY:
		add_history(out, tree->integer);
		break;
	case FX_AST_NONE:
		fx_buf_add(out, "None");
		break;
	case FX_AST_BOOL:
		fx_buf_add(out, tree->integer ? "True" : "False");
		break;
	case FX_AST_INT:
		if (tree->text)
			fx_buf_add(out, tree->text);
		else
			fx_buf_add_int(out, tree->integer);
		break;
	case FX_AST_FLOAT:
		fx_number_add_double(out, tree->real);
		break;
	case FX_AST_IMAGINARY:
		fx_number_add_complex(out, 0, tree->real);
		break;
	case FX_AST_STRING:
		add_string(printer, tree);
		break;
	case FX_AST_BYTES:
		fx_str_python_bytes(out, tree->string, tree->length);
		break;
	case FX_AST_FSTRING:
		fx_buf_add_n(out, tree->string, tree->length);
		break;
	case FX_AST_ELLIPSIS:
		fx_buf_add(out, "...");
		break;
	}
}

static void
add_binary(struct printer *printer, const struct fx_ast *tree)
{
	enum level level = binary_level(tree->op);
	bool is_power = tree->op == FX_AST_POW;

	/* `**` leans right, and its right side may have a sign. */
	add_tree(printer, tree->kids[0], is_power ? LEVEL_POSTFIX : level);
	add_text(printer, " ");
	add_text(printer, fx_ast_op_text(tree->op));
	add_text(printer, " ");
	add_tree(printer, tree->kids[1], is_power ? LEVEL_UNARY : level + 1);
}

static void
add_compare(struct printer *printer, const struct fx_ast *tree)
{
	uint32_t i;

	add_tree(printer, tree->kids[0], LEVEL_BITOR);
	for (i = 1; i < tree->kid_count; i++) {
		enum fx_ast_op op = tree->ops[i - 1];
		bool tight = op == FX_AST_MATCHES ||
			     (op == FX_AST_EQ && printer->in_query);

		if (!tight)
			add_text(printer, " ");
		add_text(printer,
			tight && op == FX_AST_EQ ? "=" : fx_ast_op_text(op));
		if (!tight)
			add_text(printer, " ");
		add_tree(printer, tree->kids[i], LEVEL_BITOR);
	}
}

static void
add_unary(struct printer *printer, const struct fx_ast *tree)
{
	bool is_word = tree->op == FX_AST_NOT || tree->op == FX_AST_IN;

	add_text(printer, fx_ast_op_text(tree->op));
	if (is_word)
		add_text(printer, " ");
	if (tree->op == FX_AST_IN)
		add_tree(printer, tree->kids[0], LEVEL_POSTFIX);
	else
		add_tree(printer, tree->kids[0], level_of(tree));
}

static void
add_slice(struct printer *printer, const struct fx_ast *tree)
{
	add_tree(printer, tree->kids[0], LEVEL_CONDITIONAL);
	add_text(printer, ":");
	add_tree(printer, tree->kids[1], LEVEL_CONDITIONAL);
	if (tree->kids[2]) {
		add_text(printer, ":");
		add_tree(printer, tree->kids[2], LEVEL_CONDITIONAL);
	}
}

static void
add_subscript(struct printer *printer, const struct fx_ast *tree)
{
	const struct fx_ast *index = tree->kids[1];

	add_tree(printer, tree->kids[0], LEVEL_POSTFIX);
	add_text(printer, "[");
	if (index->kind == FX_AST_TUPLE && index->kid_count > 0) {
		add_kids(printer, index, 0, ", ", LEVEL_LAMBDA);
		add_text(printer, index->kid_count == 1 ? ",]" : "]");
	} else {
		add_tree(printer, index, LEVEL_LAMBDA);
		add_text(printer, "]");
	}
}

static void
add_call(struct printer *printer, const struct fx_ast *tree)
{
	/* count{2 < users}: within parentheses it would be a dict. */
	bool braces = tree->kid_count == 2 &&
		      tree->kids[0]->kind == FX_AST_NAME &&
		      tree->kids[1]->kind == FX_AST_QUERY;

	add_tree(printer, tree->kids[0], LEVEL_POSTFIX);
	if (!braces)
		add_text(printer, "(");
	add_kids(printer, tree, 1, ", ", LEVEL_LAMBDA);
	if (!braces)
		add_text(printer, ")");
}

static void
add_dict(struct printer *printer, const struct fx_ast *tree)
{
	uint32_t i;

	add_text(printer, "{");
	for (i = 0; i + 1 < tree->kid_count; i += 2) {
		if (i > 0)
			add_text(printer, ", ");
		add_tree(printer, tree->kids[i], LEVEL_LAMBDA);
		add_text(printer, ": ");
		add_tree(printer, tree->kids[i + 1], LEVEL_LAMBDA);
	}
	add_text(printer, "}");
}

static void
add_lambda(struct printer *printer, const struct fx_ast *tree)
{
	uint32_t last = tree->kid_count - 1;
	uint32_t i;

	add_text(printer, last > 0 ? "lambda " : "lambda");
	for (i = 0; i < last; i++) {
		const struct fx_ast *param = tree->kids[i];

		add_text(printer, i > 0 ? ", " : "");
		add_text(printer, fx_ast_op_text(param->op));
		add_text(printer, param->text);
		if (param->kids[1]) {
			add_text(printer, "=");
			add_tree(printer, param->kids[1], LEVEL_CONDITIONAL);
		}
	}
	add_text(printer, ": ");
	add_tree(printer, tree->kids[last], LEVEL_LAMBDA);
}

static void
add_comprehension(struct printer *printer, const struct fx_ast *tree)
{
	add_text(printer, "[");
	add_tree(printer, tree->kids[0], LEVEL_LAMBDA);
	add_text(printer, " for ");
	add_tree(printer, tree->kids[1], LEVEL_LAMBDA);
	add_text(printer, " in ");
	add_tree(printer, tree->kids[2], LEVEL_OR);
	if (tree->kids[3]) {
		add_text(printer, " if ");
		add_tree(printer, tree->kids[3], LEVEL_OR);
	}
	add_text(printer, "]");
}

static void
add_tuple(struct printer *printer, const struct fx_ast *tree)
{
	add_text(printer, "(");
	add_kids(printer, tree, 0, ", ", LEVEL_LAMBDA);
	add_text(printer, tree->kid_count == 1 ? ",)" : ")");
}

/* Long because it has a case for every kind, each of a line or two. */
static void
add_branch(struct printer *printer, const struct fx_ast *tree)
{
	switch ((int)tree->kind) {
	case FX_AST_ATTR:
		/* `1.real` would be a float. */
		add_tree(printer, tree->kids[0],
			tree->kids[0]->kind == FX_AST_INT ? LEVEL_ATOM + 1
							  : LEVEL_POSTFIX);
		add_text(printer, ".");
		add_text(printer, tree->text);
		break;
	case FX_AST_SUBSCRIPT:
		add_subscript(printer, tree);
		break;
	case FX_AST_SLICE:
		add_slice(printer, tree);
		break;
	case FX_AST_CALL:
		add_call(printer, tree);
		break;
	case FX_AST_KEYWORD:
		add_text(printer, tree->text);
		add_text(printer, "=");
		add_tree(printer, tree->kids[0], LEVEL_LAMBDA);
		break;
	case FX_AST_STARRED:
		add_text(printer, "*");
		add_tree(printer, tree->kids[0], LEVEL_BITOR);
		break;
	case FX_AST_DOUBLE_STARRED:
		add_text(printer, "**");
		add_tree(printer, tree->kids[0], LEVEL_LAMBDA);
		break;
	case FX_AST_UNARY:
		add_unary(printer, tree);
		break;
	case FX_AST_BINARY:
		add_binary(printer, tree);
		break;
	case FX_AST_BOOLEAN:
		add_kids(printer, tree, 0,
			tree->op == FX_AST_OR ? " or " : " and ",
			level_of(tree) + 1);
		break;
	case FX_AST_COMPARE:
		add_compare(printer, tree);
		break;
	case FX_AST_CONDITIONAL:
		add_tree(printer, tree->kids[1], LEVEL_OR);
		add_text(printer, " if ");
		add_tree(printer, tree->kids[0], LEVEL_OR);
		add_text(printer, " else ");
		add_tree(printer, tree->kids[2], LEVEL_CONDITIONAL);
		break;
	case FX_AST_LAMBDA:
		add_lambda(printer, tree);
		break;
	case FX_AST_TUPLE:
		add_tuple(printer, tree);
		break;
	case FX_AST_LIST:
		add_text(printer, "[");
		add_kids(printer, tree, 0, ", ", LEVEL_LAMBDA);
		add_text(printer, "]");
		break;
	case FX_AST_SET:
		add_text(printer, "{");
		add_kids(printer, tree, 0, ", ", LEVEL_LAMBDA);
		add_text(printer, "}");
		break;
	case FX_AST_DICT:
		add_dict(printer, tree);
		break;
	case FX_AST_COMPREHENSION:
		add_comprehension(printer, tree);
		break;
	case FX_AST_QUERY:
		printer->in_query = true;
		add_text(printer, "{");
		add_tree(printer, tree->kids[0], LEVEL_LAMBDA);
		add_text(printer, "}");
		break;
	}
}

/* The tasks since the mark were added in reading order; the last is done
 * first, so turn them round.
 */
static void
turn_tasks(struct printer *printer, size_t mark)
{
	size_t low = mark;
	size_t high = printer->tasks.count;

	while (low + 1 < high) {
		struct task task = printer->tasks.items[low];

		printer->tasks.items[low++] = printer->tasks.items[--high];
		printer->tasks.items[high] = task;
	}
}

static void
print_tree(struct printer *printer, const struct task *task)
{
	const struct fx_ast *tree = task->tree;
	bool wrapped = level_of(tree) < task->level;
	size_t mark = printer->tasks.count;

	printer->in_query = task->in_query;
	if (wrapped)
		add_text(printer, "(");
	if (tree->kid_count == 0 && tree->kind < FX_AST_QUERY) {
		if (wrapped)
			fx_buf_add_char(printer->out, '(');
		print_leaf(printer, tree);
		printer->tasks.count = mark;
		if (wrapped)
			fx_buf_add_char(printer->out, ')');
		return;
	}
	if (tree->kind == FX_AST_OPAQUE)
		add_text(printer, tree->text);
	add_branch(printer, tree);
	if (wrapped)
		add_text(printer, ")");
	turn_tasks(printer, mark);
}

void
fxt_ast_print(struct fx_buf *out, const struct fx_ast *expr)
{
	struct printer printer = { .out = out };

	add_tree(&printer, expr, LEVEL_LAMBDA);
	while (printer.tasks.count > 0) {
		struct task task = fx_vec_pop(&printer.tasks);

		if (task.text)
			fx_buf_add(out, task.text);
		else
			print_tree(&printer, &task);
	}
	fx_vec_deinit(&printer.tasks);
}
