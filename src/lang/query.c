/* query.c - an expression tree read as a set of nodes. */
#include <config.h>

#include "lang/query.h"

#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/intern.h"
#include "base/str.h"
#include "lang/ast.h"

enum field_kind {
	FIELD_TEXT,
	FIELD_COUNT,
	FIELD_SHAPE,
	FIELD_TRUTH,
};

static const struct {
	const char *word;
	enum field_kind kind;
} fields[] = {
	[FX_QUERY_OP] = { "op", FIELD_TEXT },
	[FX_QUERY_TARGET] = { "target", FIELD_TEXT },
	[FX_QUERY_NAME] = { "name", FIELD_TEXT },
	[FX_QUERY_DTYPE] = { "dtype", FIELD_TEXT },
	[FX_QUERY_SHAPE] = { "shape", FIELD_SHAPE },
	[FX_QUERY_USERS] = { "users", FIELD_COUNT },
	[FX_QUERY_INPUTS] = { "inputs", FIELD_COUNT },
	[FX_QUERY_NDIM] = { "ndim", FIELD_COUNT },
	[FX_QUERY_MODULE] = { "module", FIELD_TEXT },
	[FX_QUERY_SCOPE] = { "scope", FIELD_TEXT },
	[FX_QUERY_SOURCE] = { "source", FIELD_TEXT },
	[FX_QUERY_STATE] = { "state", FIELD_TEXT },
	[FX_QUERY_PASS] = { "pass", FIELD_TEXT },
	[FX_QUERY_TAGGED] = { "tagged", FIELD_TRUTH },
	[FX_QUERY_NONFINITE] = { "nonfinite", FIELD_TRUTH },
	[FX_QUERY_DIRTY] = { "dirty", FIELD_TRUTH },
};
_Static_assert(FX_ARRAY_LEN(fields) == FX_QUERY_FIELD_COUNT,
	"a field has no row");

static const char *const functions[] = { "up(n, k)", "down(n, k)", "path(a, b)",
	"dom(n)", "postdom(n)", "users(n)", "inputs(n)" };

/* What the reading functions share. */
struct reader {
	struct fx_arena *arena;
	const char *text;
};

static struct fx_error *read_tree(const struct reader *reader,
	const struct fx_ast *tree, struct fx_query **ret);

static struct fx_error *
fail(const struct reader *reader, const struct fx_ast *tree,
	const char *message)
{
	return fx_error_at(fx_error_new(FX_ERR_SYNTAX, "query: %s (column %d)",
				   message,
				   fx_span_column(reader->text,
					   tree->span.begin)),
		reader->text, tree->span);
}

static struct fx_query *
new_query(const struct reader *reader, enum fx_query_kind kind,
	const struct fx_ast *tree)
{
	struct fx_query *query = FX_ARENA_NEW(reader->arena, struct fx_query);

	query->kind = kind;
	query->span = tree->span;
	return query;
}

/* The field called WORD, or FX_QUERY_FIELD_COUNT. */
static enum fx_query_field
find_field(const char *word)
{
	int i = 0;

	while (i < FX_QUERY_FIELD_COUNT && strcmp(word, fields[i].word) != 0)
		i++;
	return (enum fx_query_field)i;
}

/* The field that TREE names, or FX_QUERY_FIELD_COUNT. */
static enum fx_query_field
field_of(const struct fx_ast *tree)
{
	if (!tree || tree->kind != FX_AST_NAME)
		return FX_QUERY_FIELD_COUNT;
	return find_field(tree->text);
}

/* OP with its sides exchanged. */
static enum fx_ast_op
flip(enum fx_ast_op op)
{
	switch ((int)op) {
	case FX_AST_LT:
		return FX_AST_GT;
	case FX_AST_LE:
		return FX_AST_GE;
	case FX_AST_GT:
		return FX_AST_LT;
	case FX_AST_GE:
		return FX_AST_LE;
	}
	return op;
}

/* The right side of a text field: a word, a string or a node's name. */
static struct fx_error *
read_text(const struct reader *reader, struct fx_query *query,
	const struct fx_ast *right)
{
	if (right->kind == FX_AST_STRING) {
		if (memchr(right->string, '\0', right->length))
			return fail(reader, right, "a NUL matches nothing");
		query->text = fx_intern_n(right->string, right->length);
		if (query->field == FX_QUERY_DTYPE &&
			fx_str_starts(query->text, "torch."))
			query->text = fx_intern(query->text + strlen("torch."));
		query->is_regex = query->op == FX_AST_MATCHES && right->text &&
				  !strcmp(right->text, "r");
		return NULL;
	}
	if (right->kind == FX_AST_NODE || right->kind == FX_AST_NAME) {
		query->text = right->text;
		return NULL;
	}
	if (right->kind == FX_AST_LIST)
		return fx_error_hint(fail(reader, right,
					     "expected a word or a text"),
			"quote a pattern with brackets: \"[ab]*\"");
	return fail(reader, right, "expected a word or a text");
}

static bool
is_order(int op)
{
	return op == FX_AST_LT || op == FX_AST_LE || op == FX_AST_GT ||
	       op == FX_AST_GE;
}

static struct fx_error *
check_operand(const struct reader *reader, struct fx_query *query,
	const struct fx_ast *right)
{
	bool equality = query->op == FX_AST_EQ || query->op == FX_AST_NE;

	switch (fields[query->field].kind) {
	case FIELD_TEXT:
		if (!equality && query->op != FX_AST_MATCHES)
			return fail(reader, right,
				"text is compared with = != or ~");
		return read_text(reader, query, right);
	case FIELD_SHAPE:
		if (!equality)
			return fail(reader, right,
				"a shape is compared with = or !=");
		if (right->kind != FX_AST_LIST && right->kind != FX_AST_TUPLE)
			return fail(reader, right,
				"expected a shape such as [1,*,3]");
		break;
	case FIELD_COUNT:
		if (!equality && !is_order(query->op))
			return fail(reader, right,
				"a count is compared with = != < <= > >=");
		break;
	case FIELD_TRUTH:
		return fail(reader, right, "this word stands alone");
	}
	return NULL;
}

static struct fx_error *
read_pair(const struct reader *reader, enum fx_query_field field,
	enum fx_ast_op op, struct fx_ast *right, struct fx_query **ret)
{
	struct fx_query *query = new_query(reader, FX_QUERY_COMPARE, right);

	query->field = field;
	query->op = (int)op;
	query->operand = right;
	*ret = query;
	return check_operand(reader, query, right);
}

static struct fx_query *
join(const struct reader *reader, enum fx_query_kind kind,
	const struct fx_ast *tree, struct fx_query **kids, size_t count)
{
	struct fx_query *query = new_query(reader, kind, tree);

	query->kids = fx_arena_alloc(reader->arena, count * sizeof(*kids));
	memcpy(query->kids, kids, count * sizeof(*kids));
	query->kid_count = (int)count;
	return query;
}

/* `name in ("a", "b")`: any of them; with NOT_IN none. */
static struct fx_error *
read_membership(const struct reader *reader, enum fx_query_field field,
	enum fx_ast_op op, struct fx_ast *right, struct fx_query **ret)
{
	bool none = op == FX_AST_NOT_IN;
	struct fx_query **kids;
	struct fx_error *err;
	uint32_t i;

	if ((right->kind != FX_AST_TUPLE && right->kind != FX_AST_LIST) ||
		right->kid_count == 0)
		return fail(reader, right,
			"expected a list of values after \"in\"");
	kids = FX_ARENA_ARRAY(reader->arena, struct fx_query *,
		right->kid_count);
	for (i = 0; i < right->kid_count; i++) {
		err = read_pair(reader, field, none ? FX_AST_NE : FX_AST_EQ,
			right->kids[i], &kids[i]);
		if (err)
			return err;
	}
	*ret = join(reader, none ? FX_QUERY_AND : FX_QUERY_OR, right, kids,
		right->kid_count);
	return NULL;
}

static struct fx_error *
no_field(const struct reader *reader, const struct fx_ast *tree)
{
	FX_AUTO_BUF struct fx_buf words = { 0 };

	for (size_t i = 0; i < FX_ARRAY_LEN(fields); i++)
		if (fields[i].kind != FIELD_TRUTH)
			fx_buf_addf(&words, "%s ", fields[i].word);
	return fx_error_hint(fail(reader, tree,
				     "no field of a node is compared"),
		"fields: %sin; values are tested while running: break {} if "
		"absmax(.-1) > 100",
		fx_buf_text(&words));
}

static struct fx_error *
read_comparison(const struct reader *reader, const struct fx_ast *tree,
	uint32_t index, struct fx_query **ret)
{
	struct fx_ast *left = tree->kids[index];
	struct fx_ast *right = tree->kids[index + 1];
	enum fx_ast_op op = tree->ops[index];
	enum fx_query_field field = field_of(left);

	if (field == FX_QUERY_FIELD_COUNT) {
		field = field_of(right);
		right = left;
		op = flip(op);
	}
	if (field == FX_QUERY_FIELD_COUNT)
		return no_field(reader, left);
	if (op == FX_AST_IN || op == FX_AST_NOT_IN)
		return read_membership(reader, field, op, right, ret);
	return read_pair(reader, field, op, right, ret);
}

static struct fx_error *
read_compare(const struct reader *reader, const struct fx_ast *tree,
	struct fx_query **ret)
{
	uint32_t count = tree->kid_count - 1;
	struct fx_query **kids;
	uint32_t i;

	kids = FX_ARENA_ARRAY(reader->arena, struct fx_query *, count);
	for (i = 0; i < count; i++) {
		struct fx_error *err =
			read_comparison(reader, tree, i, &kids[i]);

		if (err)
			return err;
	}
	*ret = kids[0];
	if (count > 1)
		*ret = join(reader, FX_QUERY_AND, tree, kids, count);
	(*ret)->span = tree->span;
	return NULL;
}

static struct fx_error *
read_boolean(const struct reader *reader, const struct fx_ast *tree,
	struct fx_query **ret)
{
	struct fx_query **kids = FX_ARENA_ARRAY(reader->arena,
		struct fx_query *, tree->kid_count);
	uint32_t i;

	for (i = 0; i < tree->kid_count; i++) {
		struct fx_error *err =
			read_tree(reader, tree->kids[i], &kids[i]);

		if (err)
			return err;
	}
	*ret = join(reader, tree->op == FX_AST_OR ? FX_QUERY_OR : FX_QUERY_AND,
		tree, kids, tree->kid_count);
	return NULL;
}

static struct fx_error *
read_inside(const struct reader *reader, const struct fx_ast *tree,
	struct fx_query **ret)
{
	const struct fx_ast *path = tree->kids[0];

	if (path->kind != FX_AST_STRING)
		return fail(reader, path,
			"expected a module path after \"in\"");
	if (memchr(path->string, '\0', path->length))
		return fail(reader, path, "a NUL matches nothing");
	*ret = new_query(reader, FX_QUERY_INSIDE, tree);
	(*ret)->text = fx_intern_n(path->string, path->length);
	return NULL;
}

static struct fx_error *
read_unary(const struct reader *reader, const struct fx_ast *tree,
	struct fx_query **ret)
{
	struct fx_query *kid;
	struct fx_error *err;

	if (tree->op == FX_AST_IN)
		return read_inside(reader, tree, ret);
	if (tree->op != FX_AST_NOT)
		return fail(reader, tree, "expected a condition; use not");
	err = read_tree(reader, tree->kids[0], &kid);
	if (err)
		return err;
	*ret = join(reader, FX_QUERY_NOT, tree, &kid, 1);
	return NULL;
}

static bool
is_function(const char *name)
{
	size_t length = strlen(name);

	for (size_t i = 0; i < FX_ARRAY_LEN(functions); i++)
		if (fx_str_starts(functions[i], name) &&
			functions[i][length] == '(')
			return true;
	return false;
}

static struct fx_error *
no_function(const struct reader *reader, const struct fx_ast *tree)
{
	FX_AUTO_BUF struct fx_buf words = { 0 };

	for (size_t i = 0; i < FX_ARRAY_LEN(functions); i++)
		fx_buf_addf(&words, " %s", functions[i]);
	return fx_error_hint(fail(reader, tree,
				     "this is no function of queries"),
		"functions:%s", fx_buf_text(&words));
}

static struct fx_error *
read_call(const struct reader *reader, const struct fx_ast *tree,
	struct fx_query **ret)
{
	const struct fx_ast *function = tree->kids[0];

	if (function->kind != FX_AST_NAME)
		return fail(reader, function, "only a function is called");
	if (!is_function(function->text))
		return no_function(reader, function);
	*ret = new_query(reader, FX_QUERY_CALL, tree);
	(*ret)->text = function->text;
	(*ret)->arguments = tree->kids + 1;
	(*ret)->argument_count = (int)tree->kid_count - 1;
	return NULL;
}

static struct fx_error *
read_name(const struct reader *reader, struct fx_ast *tree,
	struct fx_query **ret)
{
	enum fx_query_field field = field_of(tree);
	FX_AUTO_BUF struct fx_buf message = { 0 };

	if (field == FX_QUERY_FIELD_COUNT) {
		*ret = new_query(reader, FX_QUERY_ITEM, tree);
		(*ret)->operand = tree;
		return NULL;
	}
	if (fields[field].kind != FIELD_TRUTH) {
		fx_buf_addf(&message, "expected a comparison after \"%s\"",
			tree->text);
		return fail(reader, tree, fx_buf_text(&message));
	}
	*ret = new_query(reader, FX_QUERY_TRUTH, tree);
	(*ret)->field = field;
	return NULL;
}

static struct fx_error *
read_number(const struct reader *reader, const struct fx_ast *tree)
{
	struct fx_error *err = fail(reader, tree, "a number is no node");

	if (tree->kind != FX_AST_INT || tree->text)
		return err;
	return fx_error_hint(err, "a position is written @%lld",
		(long long)tree->integer);
}

static struct fx_error *
read_tree(const struct reader *reader, const struct fx_ast *tree,
	struct fx_query **ret)
{
	switch ((int)tree->kind) {
	case FX_AST_BOOLEAN:
		return read_boolean(reader, tree, ret);
	case FX_AST_UNARY:
		return read_unary(reader, tree, ret);
	case FX_AST_COMPARE:
		return read_compare(reader, tree, ret);
	case FX_AST_CALL:
		return read_call(reader, tree, ret);
	case FX_AST_NAME:
		return read_name(reader, (struct fx_ast *)tree, ret);
	case FX_AST_QUERY:
	case FX_AST_DICT:
		return fx_query_read(reader->arena, reader->text, tree, ret);
	case FX_AST_SLICE:
		*ret = new_query(reader, FX_QUERY_RANGE, tree);
		(*ret)->first = tree->kids[0];
		(*ret)->last = tree->kids[1];
		return NULL;
	case FX_AST_NODE:
	case FX_AST_POSITION:
	case FX_AST_HERE:
	case FX_AST_HISTORY:
	case FX_AST_VARIABLE:
	case FX_AST_ATTR:
		*ret = new_query(reader, FX_QUERY_ITEM, tree);
		(*ret)->operand = (struct fx_ast *)tree;
		return NULL;
	case FX_AST_INT:
	case FX_AST_FLOAT:
		return read_number(reader, tree);
	}
	return fx_error_hint(fail(reader, tree, "this is no condition"),
		tree->kind == FX_AST_TUPLE
			? "{a, b, c} is several; a,b from one to the other"
			: "join conditions with and, or, not");
}

struct fx_error *
fx_query_read(struct fx_arena *arena, const char *text,
	const struct fx_ast *tree, struct fx_query **ret)
{
	struct reader reader = { arena, text };
	const struct fx_ast *inner = tree;

	/* `{}` alone looks like a dict. */
	if (tree->kind == FX_AST_QUERY)
		inner = tree->kids[0];
	else if (tree->kind == FX_AST_DICT && tree->kid_count > 0)
		return fail(&reader, tree, "a dict is no set of nodes");
	else if (tree->kind == FX_AST_DICT)
		inner = NULL;
	if (inner)
		return read_tree(&reader, inner, ret);
	*ret = new_query(&reader, FX_QUERY_ALL, tree);
	return NULL;
}

const char *
fx_query_field_word(enum fx_query_field field)
{
	return fields[field].word;
}

bool
fx_query_is_text_field(const char *word)
{
	enum fx_query_field field = find_field(word);

	return field != FX_QUERY_FIELD_COUNT &&
	       fields[field].kind == FIELD_TEXT;
}
