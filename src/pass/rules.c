/* rules.c - rules from a line or a file. */
#include <config.h>

#include "pass/rules.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/span.h"
#include "ir/pattern.h"
#include "ir/rewrite.h"
#include "lang/ast.h"
#include "lang/parse.h"

/* Bytes of the largest file of rules. */
#define SIZE_LIMIT ((size_t)16 << 20)

void
fx_rules_deinit(struct fx_rules *rules)
{
	struct fx_rule *rule;

	fx_vec_for_each (rule, &rules->items) {
		fx_replacement_free(rule->replacement);
		fx_pattern_free(rule->pattern);
		free(rule->where);
	}
	fx_vec_deinit(&rules->items);
}

/* The word behind " --" in TEXT, which would be a flag, or NULL. */
static const char *
flag_in(const char *text)
{
	const char *at = text;

	if (strpbrk(text, "\"'"))
		return NULL;
	while ((at = strstr(at, " --"))) {
		at += 3;
		if ((*at >= 'a' && *at <= 'z') || *at == '_')
			return at;
	}
	return NULL;
}

/* ERR in TEXT: nodes have no names there. */
static struct fx_error *
hint_names(struct fx_error *err, const char *text)
{
	const char *at = strpbrk(text, "%@");

	if (at && strcspn(at + 1, " ("))
		return fx_error_hint(err,
			"a rule has names for nodes: where x is %%NODE says "
			"which one x is");
	return err;
}

static struct fx_error *
check_text(const char *text)
{
	const char *flag = flag_in(text);

	if (!flag)
		return NULL;
	return fx_error_hint(fx_error_new(FX_ERR_USAGE,
				     "no flag --%.*s is known",
				     (int)strcspn(flag, " =),"), flag),
		"help rewrite; what is subtracted twice is x - (-y)");
}

struct fx_error *
fx_rules_add(struct fx_rules *rules, const struct fx_rule_reader *reader,
	const struct fx_rule_text *text)
{
	struct fx_rule rule = { 0 };
	struct fx_error *err = check_text(text->pattern);

	if (!err && text->replacement)
		err = check_text(text->replacement);
	if (!err)
		err = fx_pattern_read(text->pattern, reader->how,
			&rule.pattern);
	if (err)
		return hint_names(err, text->pattern);
	if (text->replacement)
		err = fx_replacement_read(text->replacement, rule.pattern,
			reader->graph, &rule.replacement);
	if (err)
		err = hint_names(err, text->replacement);
	if (text->where)
		rule.where = fx_xstrdup(text->where);
	fx_vec_push(&rules->items, rule);
	return err;
}

struct reading {
	const struct fx_rule_reader *reader;
	struct fx_rules *rules;
	const char *path;
	const char *text;
};

static struct fx_error *
refuse(const struct reading *reading, const struct fx_ast *tree,
	const char *message)
{
	return fx_error_place(fx_error_new(FX_ERR_SYNTAX, "%s", message),
		reading->path, fx_span_line(reading->text, tree->span.begin));
}

/* ERR about a part of FUNCTION, with the line where it stands. */
static struct fx_error *
place(const struct reading *reading, const struct fx_ast *function,
	struct fx_error *err)
{
	struct fx_span span;

	if (!err)
		return NULL;
	span = fx_error_span(err);
	return fx_error_place(err, reading->path,
		fx_span_line(reading->text,
			span.end ? span.begin : function->span.begin));
}

static struct fx_error *
add_pattern(const struct reading *reading, const struct fx_ast *function)
{
	struct fx_rule rule = { 0 };
	struct fx_error *err = fx_pattern_read_function(reading->text, function,
		reading->reader->how, &rule.pattern);

	if (!err)
		fx_vec_push(&reading->rules->items, rule);
	return place(reading, function, err);
}

static struct fx_error *
add_replacement(const struct reading *reading, struct fx_rule *rule,
	const struct fx_ast *function)
{
	struct fx_replacement_function whole = { reading->text, function };

	if (rule->replacement)
		return refuse(reading, function,
			"the rule has a replacement already");
	return place(reading, function,
		fx_replacement_read_function(&whole, rule->pattern,
			reading->reader->graph, &rule->replacement));
}

/* The condition is the text behind `return`, or the string that stands there.
 */
static struct fx_error *
add_where(const struct reading *reading, struct fx_rule *rule,
	const struct fx_ast *function)
{
	const struct fx_ast *block = NULL;
	const struct fx_ast *result;

	for (uint32_t i = 0; i < function->kid_count && !block; i++)
		if (function->kids[i] &&
			function->kids[i]->kind == FX_AST_BLOCK)
			block = function->kids[i];
	if (!block || block->kid_count != 1 ||
		block->kids[0]->kind != FX_AST_RETURN ||
		!block->kids[0]->kids[0])
		return refuse(reading, function,
			"where is one return of a condition");
	if (rule->where)
		return refuse(reading, function,
			"the rule has a where already");
	result = block->kids[0]->kids[0];
	if (result->kind == FX_AST_STRING)
		rule->where = fx_xstrndup(result->string, result->length);
	else
		rule->where = fx_xstrndup(reading->text + result->span.begin,
			result->span.end - result->span.begin);
	return NULL;
}

static struct fx_error *
read_statement(const struct reading *reading, const struct fx_ast *tree)
{
	struct fx_rule *rule = reading->rules->items.count
				       ? &fx_vec_last(&reading->rules->items)
				       : NULL;

	if (tree->kind == FX_AST_IMPORT ||
		(tree->kind == FX_AST_EXPRESSION &&
			tree->kids[0]->kind == FX_AST_STRING))
		return NULL;
	if (tree->kind != FX_AST_FUNCTION)
		return refuse(reading, tree,
			"a file of rules has imports and functions, nothing "
			"that runs");
	if (!strcmp(tree->text, "pattern"))
		return add_pattern(reading, tree);
	if (strcmp(tree->text, "replacement") != 0 &&
		strcmp(tree->text, "where") != 0)
		return refuse(reading, tree,
			"the functions of a rule are pattern, replacement and "
			"where");
	if (!rule)
		return refuse(reading, tree, "a rule begins with its pattern");
	return !strcmp(tree->text, "where")
		       ? add_where(reading, rule, tree)
		       : add_replacement(reading, rule, tree);
}

struct fx_error *
fx_rules_load(struct fx_rules *rules, const struct fx_rule_reader *reader,
	const char *path)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	FX_AUTO_FREE char *text = NULL;
	struct reading reading = { reader, rules, path, NULL };
	struct fx_ast *module;
	struct fx_error *err;
	size_t size;

	err = fx_file_read(path, SIZE_LIMIT, &text, &size);
	if (err)
		return err;
	if (strlen(text) != size)
		return fx_error_new(FX_ERR_FORMAT, "%s is no text", path);
	reading.text = text;
	err = fx_parse_module(arena, text, size, &module, NULL);
	if (err)
		return fx_error_place(err, path,
			fx_span_line(text, fx_error_span(err).begin));
	for (uint32_t i = 0; i < module->kid_count && !err; i++)
		err = read_statement(&reading, module->kids[i]);
	if (!err && !rules->items.count)
		err = fx_error_new(FX_ERR_SYNTAX, "%s has no rule", path);
	return err;
}
