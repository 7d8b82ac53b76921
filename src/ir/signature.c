/* signature.c - signatures of operations, and binding calls to them. */
#include <config.h>

#include "ir/signature.h"

#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "ir/value_text.h"
#include "lang/ast.h"
#include "lang/parse.h"

/* One of the listed globals, the cache of parsed semantics: filled one
 * operation at a time, never freed.
 */
static struct {
	struct fx_arena *arena;
	const struct fx_signature *of[FX_OP_COUNT];
} signatures;

/* Other names under which torch takes the same parameter: its functions,
 * methods and operators do not always agree, and some follow numpy too.
 */
static const struct {
	const char *written;
	const char *meant;
} synonyms[] = {
	{ "axis", "dim" },
	{ "keepdims", "keepdim" },
	{ "x", "input" },
	{ "x2", "other" },
	{ "split_size", "split_size_or_sections" },
	{ "split_sizes", "split_size_or_sections" },
	{ "self", "tensor" },
	{ "other", "mat2" },
	{ "tensors", "operands" },
	{ "shape", "size" },
	{ "size", "shape" },
	{ "dims", "dim" },
	{ "dim", "dims" },
	{ "axis0", "dim0" },
	{ "axis1", "dim1" },
	{ "axis", "dims" },
	{ "self", "input" },
	{ "indices", "input" },
	{ "tensor", "other" },
	{ "output_size", "size" },
	{ "scale_factors", "scale_factor" },
	{ "dtype", "size" },
	{ "assert_msg", "message" },
};

/* The parser drops a bare star, so a signature spells the star like this. */
#define BARE_STAR "_"

static struct fx_error *
read_default(struct fx_arena *arena, const char *text,
	const struct fx_ast *param, struct fx_parameter *ret)
{
	const struct fx_ast *tree =
		param->kid_count > 1 ? param->kids[1] : NULL;

	ret->is_required = !tree && !ret->is_rest && !ret->is_keywords;
	ret->fallback = fx_value_none();
	if (!tree)
		return NULL;
	return fx_value_from_ast(arena, NULL, text, tree, &ret->fallback);
}

/* The PARAMs of a FUNCTION tree; TEXT is what it was parsed from. */
static struct fx_error *
read_parameters(struct fx_arena *arena, const char *text,
	const struct fx_ast *function, struct fx_signature *ret)
{
	struct fx_parameter *parameters =
		FX_ARENA_ARRAY(arena, struct fx_parameter, function->kid_count);
	size_t count = 0;
	bool keyword_only = false;

	for (uint32_t i = 0; i < function->kid_count; i++) {
		const struct fx_ast *param = function->kids[i];
		struct fx_parameter *one = &parameters[count];
		struct fx_error *err;

		if (!param || param->kind != FX_AST_PARAM)
			break;
		one->is_rest = param->op == FX_AST_MUL;
		one->is_keywords = param->op == FX_AST_POW;
		/* A bare star only begins the keyword-only ones. */
		if (one->is_rest && strcmp(param->text, BARE_STAR) == 0) {
			keyword_only = true;
			one->is_rest = false;
			continue;
		}
		one->name = param->text;
		one->is_keyword_only = keyword_only;
		keyword_only = keyword_only || one->is_rest;
		err = read_default(arena, text, param, one);
		if (err)
			return err;
		count++;
	}
	ret->count = count;
	ret->parameters = parameters;
	return NULL;
}

/* Append TEXT with its bare star made a parameter. */
static void
add_parameters(struct fx_buf *source, const char *text)
{
	const char *star = strstr(text, "*,");

	if (!star) {
		fx_buf_add(source, text);
		return;
	}
	fx_buf_add_n(source, text, (size_t)(star - text));
	fx_buf_add(source, "*" BARE_STAR);
	fx_buf_add(source, star + 1);
}

/* Parse "def _(SIGNATURE): pass". */
struct fx_error *
fx_signature_parse(struct fx_arena *arena, const char *text,
	struct fx_signature *ret)
{
	FX_AUTO_BUF struct fx_buf source = { 0 };
	struct fx_ast *module;
	struct fx_error *err;

	fx_buf_add(&source, "def _(");
	add_parameters(&source, text);
	fx_buf_add(&source, "):\n    pass\n");
	err = fx_parse_module(arena, fx_buf_text(&source), source.length,
		&module, NULL);
	if (err)
		return err;
	return read_parameters(arena, fx_buf_text(&source), module->kids[0],
		ret);
}

const struct fx_signature *
fx_signature_of(enum fx_op op)
{
	struct fx_signature *signature;
	const char *text;
	struct fx_error *err;

	if ((unsigned)op >= FX_OP_COUNT)
		op = FX_OP_NONE;
	if (signatures.of[op])
		return signatures.of[op];
	if (!signatures.arena)
		signatures.arena = fx_arena_new();
	signature = FX_ARENA_NEW(signatures.arena, struct fx_signature);
	text = op ? fx_op_info(op)->signature : "*args, **kwargs";
	err = fx_signature_parse(signatures.arena, text, signature);
	/* A row that does not parse is a bug of ours, and a test finds it. */
	fx_assert(!err);
	signatures.of[op] = signature;
	return signature;
}

/* A call being bound. */
struct binding {
	struct fx_arena *arena;
	const struct fx_signature *signature;
	const char *name;
	struct fx_value *bound;
	bool *is_bound;
	/* For what **name gets: room for all keywords of the call. */
	struct fx_value *keywords;
};

static struct fx_error *
refuse(const struct binding *binding, const char *what, const char *name)
{
	return fx_error_new(FX_ERR_TYPE, "%s() %s \"%s\"", binding->name, what,
		name);
}

/* What *name gets of the COUNT values at ITEMS: one sequence stands for its
 * items.
 */
static struct fx_value
rest_of(struct fx_arena *arena, const struct fx_value *items, size_t count)
{
	if (count == 1 && fx_value_is_sequence(items))
		return fx_value_sequence(arena, FX_VALUE_TUPLE, items->items,
			items->count);
	return fx_value_sequence(arena, FX_VALUE_TUPLE, items, count);
}

static struct fx_error *
bind_positional(const struct binding *binding, const struct fx_value *args)
{
	const struct fx_signature *signature = binding->signature;
	size_t i = 0;

	for (; i < args->count; i++) {
		const struct fx_parameter *p =
			i < signature->count ? &signature->parameters[i] : NULL;

		if (p && p->is_rest) {
			binding->bound[i] = rest_of(binding->arena,
				args->items + i, args->count - i);
			binding->is_bound[i] = true;
			return NULL;
		}
		if (!p || p->is_keyword_only || p->is_keywords)
			return fx_error_new(FX_ERR_TYPE,
				"%s() takes %zu positional arguments, not %u",
				binding->name, i, args->count);
		binding->bound[i] = args->items[i];
		binding->is_bound[i] = true;
	}
	return NULL;
}

static bool
is_synonym(const char *written, const char *meant)
{
	for (size_t i = 0; i < FX_ARRAY_LEN(synonyms); i++)
		if (strcmp(synonyms[i].written, written) == 0 &&
			strcmp(synonyms[i].meant, meant) == 0)
			return true;
	return false;
}

/* Index of the parameter that the keyword NAME means, or COUNT. */
static size_t
find_parameter(const struct binding *binding, const char *name)
{
	const struct fx_signature *signature = binding->signature;
	size_t count = signature->count;

	for (size_t i = 0; i < count; i++)
		if (signature->parameters[i].name == name &&
			!signature->parameters[i].is_keywords)
			return i;
	for (size_t i = 0; i < count; i++)
		if (!signature->parameters[i].is_keywords &&
			!binding->is_bound[i] &&
			is_synonym(name, signature->parameters[i].name))
			return i;
	/* The tensor itself is input in one place and self in another. */
	if (strcmp(name, "input") == 0 || strcmp(name, "self") == 0)
		return 0;
	return count;
}

/* Keep a keyword for **name; false if there is no such parameter. */
static bool
keep_keyword(const struct binding *binding, const struct fx_value *pair)
{
	size_t last = binding->signature->count - 1;
	struct fx_value *dict;

	if (!binding->signature->count ||
		!binding->signature->parameters[last].is_keywords)
		return false;
	dict = &binding->bound[last];
	if (!binding->is_bound[last])
		*dict = (struct fx_value){ .kind = FX_VALUE_DICT,
			.items = binding->keywords };
	binding->keywords[2 * dict->count] = pair[0];
	binding->keywords[2 * dict->count + 1] = pair[1];
	dict->count++;
	binding->is_bound[last] = true;
	return true;
}

static struct fx_error *
bind_keyword(const struct binding *binding, const struct fx_value *pair)
{
	const struct fx_signature *signature = binding->signature;
	size_t i;

	if (pair[0].kind != FX_VALUE_STRING)
		return fx_error_new(FX_ERR_TYPE,
			"%s() keywords must be strings", binding->name);
	i = find_parameter(binding, pair[0].text);
	if (i == signature->count) {
		if (keep_keyword(binding, pair))
			return NULL;
		return refuse(binding, "has no parameter", pair[0].text);
	}
	if (binding->is_bound[i])
		return refuse(binding, "got two values for parameter",
			pair[0].text);
	binding->bound[i] = signature->parameters[i].is_rest
				    ? rest_of(binding->arena, &pair[1], 1)
				    : pair[1];
	binding->is_bound[i] = true;
	return NULL;
}

static struct fx_error *
fill_defaults(const struct binding *binding)
{
	for (size_t i = 0; i < binding->signature->count; i++) {
		const struct fx_parameter *p =
			&binding->signature->parameters[i];

		if (binding->is_bound[i])
			continue;
		if (p->is_required)
			return refuse(binding, "needs", p->name);
		if (p->is_rest)
			binding->bound[i] = fx_value_sequence(binding->arena,
				FX_VALUE_TUPLE, NULL, 0);
		else if (p->is_keywords)
			binding->bound[i] =
				fx_value_dict(binding->arena, NULL, 0);
		else
			binding->bound[i] = p->fallback;
	}
	return NULL;
}

struct fx_error *
fx_signature_bind(struct fx_arena *arena, const struct fx_signature *signature,
	const struct fx_call_values *call, struct fx_value *bound_ret)
{
	struct binding binding = {
		.arena = arena,
		.signature = signature,
		.name = call->name,
		.bound = bound_ret,
		.is_bound = FX_ARENA_ARRAY(arena, bool, signature->count),
	};
	bool has_keywords = call->kwargs.kind == FX_VALUE_DICT;
	struct fx_error *err = bind_positional(&binding, &call->args);

	if (has_keywords)
		binding.keywords = FX_ARENA_ARRAY(arena, struct fx_value,
			2 * (size_t)call->kwargs.count);
	for (uint32_t i = 0; !err && has_keywords && i < call->kwargs.count;
		i++)
		err = bind_keyword(&binding, &call->kwargs.items[2 * i]);
	return err ? err : fill_defaults(&binding);
}

struct fx_parameter *
fx_signature_loosen(struct fx_arena *arena,
	const struct fx_signature *signature, bool all,
	const struct fx_value *unsaid, struct fx_signature *ret)
{
	struct fx_parameter *parameters =
		FX_ARENA_ARRAY(arena, struct fx_parameter, signature->count);

	for (size_t i = 0; i < signature->count; i++) {
		struct fx_parameter *one = &parameters[i];

		*one = signature->parameters[i];
		if (one->is_rest || one->is_keywords ||
			!(all || one->is_required))
			continue;
		one->is_required = false;
		one->fallback = *unsaid;
	}
	*ret = (struct fx_signature){ signature->count, parameters };
	return parameters;
}
