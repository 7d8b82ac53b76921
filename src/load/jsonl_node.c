/* jsonl_node.c - nodes, their sources and scopes, from .fxg. */
#include <config.h>

#include <limits.h>
#include <string.h>

#include "base/arena.h"
#include "base/intern.h"
#include "base/str.h"
#include "ir/decided.h"
#include "ir/graph.h"
#include "ir/note.h"
#include "ir/value_text.h"
#include "lang/ast.h"
#include "lang/parse.h"
#include "load/jsonl_private.h"

#define FRAME_LIMIT 1000
/* The most modules, one within the other, that a node may have been called in.
 */
#define SCOPE_LIMIT 1000

struct fx_error *
fx_jsonl_frames(struct fx_jsonl *r, const json_t *frames,
	const struct fx_source **ret)
{
	static const char *const known[] = { "file", "line", "function", "text",
		NULL };
	size_t count = json_array_size(frames);
	struct fx_source_frame *copy;

	if (count > FRAME_LIMIT)
		return fx_jsonl_error(r, FX_ERR_LIMIT,
			"a source has %zu frames", count);
	copy = FX_ARENA_ARRAY(r->scratch, struct fx_source_frame, count);
	for (size_t i = 0; i < count; i++) {
		const json_t *frame = json_array_get(frames, i);
		int64_t line = fx_jsonl_int(frame, "line", 0);

		fx_jsonl_check_fields(r, frame, known);
		copy[i].file = fx_intern(fx_jsonl_text(frame, "file"));
		copy[i].function = fx_intern(fx_jsonl_text(frame, "function"));
		copy[i].text = fx_intern(fx_jsonl_text(frame, "text"));
		copy[i].line = line >= 0 && line <= INT_MAX ? (int)line : 0;
		if (!copy[i].file)
			return fx_jsonl_error(r, FX_ERR_FORMAT,
				"a source frame has no file");
	}
	*ret = fx_graph_source(fx_jsonl_section(r)->graph, copy, count);
	return NULL;
}

struct fx_error *
fx_jsonl_source(struct fx_jsonl *r, const json_t *object)
{
	static const char *const known[] = { "source", "frames", NULL };
	struct fx_jsonl_section *s = fx_jsonl_section(r);
	const struct fx_source *source = NULL;
	struct fx_error *err;

	fx_jsonl_check_fields(r, object, known);
	if (fx_jsonl_int(object, "source", -1) != (int64_t)s->sources.count)
		return fx_jsonl_error(r, FX_ERR_FORMAT,
			"sources are out of order");
	err = fx_jsonl_frames(r, json_object_get(object, "frames"), &source);
	if (!err)
		fx_vec_push(&s->sources, source);
	return err;
}

static int
scope_depth(const struct fx_scope *scope)
{
	int depth = 0;

	for (; scope; scope = scope->parent)
		depth++;
	return depth;
}

struct fx_error *
fx_jsonl_scope(struct fx_jsonl *r, const json_t *object)
{
	static const char *const known[] = { "scope", "parent", "path", "class",
		NULL };
	struct fx_jsonl_section *s = fx_jsonl_section(r);
	int64_t parent = fx_jsonl_int(object, "parent", -1);
	const char *path = fx_jsonl_text(object, "path");
	const char *class_name = fx_jsonl_text(object, "class");
	const struct fx_scope *outer;

	fx_jsonl_check_fields(r, object, known);
	if (fx_jsonl_int(object, "scope", -1) != (int64_t)s->scopes.count ||
		parent >= (int64_t)s->scopes.count || parent < -1)
		return fx_jsonl_error(r, FX_ERR_FORMAT,
			"scopes are out of order");
	if (!path)
		return fx_jsonl_error(r, FX_ERR_FORMAT, "a scope has no path");
	outer = parent < 0 ? NULL : s->scopes.items[parent];
	if (scope_depth(outer) >= SCOPE_LIMIT)
		return fx_jsonl_error(r, FX_ERR_LIMIT,
			"scopes nest more than %d levels deep", SCOPE_LIMIT);
	fx_vec_push(&s->scopes,
		fx_graph_scope(s->graph, outer, path, class_name));
	return NULL;
}

struct fx_error *
fx_jsonl_value(struct fx_jsonl *r, struct fx_arena *arena, const char *text,
	struct fx_value *ret)
{
	struct fx_ast *expr = NULL;
	struct fx_error *err = fx_parse_expression(r->scratch, text,
		strlen(text), FX_PARSE_DESIGNATORS, &expr);

	if (!err)
		err = fx_value_from_ast(arena, fx_jsonl_section(r)->graph, text,
			expr, ret);
	return err;
}

/* The error of a FIELD of node NAME, with the line's place. */
FX_NODISCARD static struct fx_error *
bad_field(struct fx_jsonl *r, struct fx_error *err, const char *field,
	const char *name)
{
	return fx_jsonl_at(r,
		fx_error_note(err, "in %s of node %%%s", field, name));
}

FX_NODISCARD static struct fx_error *
check_keywords(const struct fx_value *kwargs)
{
	FX_AUTO_MAP struct fx_map seen = { 0 };

	if (kwargs->kind != FX_VALUE_DICT)
		return fx_error_new(FX_ERR_FORMAT, "kwargs are no dict");
	for (uint32_t i = 0; i < kwargs->count; i++) {
		const struct fx_value *key = &kwargs->items[2 * i];

		if (key->kind != FX_VALUE_STRING)
			return fx_error_new(FX_ERR_FORMAT,
				"a key of kwargs is no string");
		if (!fx_map_set(&seen,
			    (uintptr_t)fx_intern_n(key->text, key->count), 1))
			return fx_error_new(FX_ERR_FORMAT,
				"the keyword %.100s is given twice", key->text);
	}
	return NULL;
}

FX_NODISCARD static struct fx_error *
read_arguments(struct fx_jsonl *r, const struct fx_jsonl_node *node,
	struct fx_node_spec *spec)
{
	struct fx_arena *arena = fx_jsonl_section(r)->graph->values;
	struct fx_error *err =
		fx_jsonl_value(r, arena, node->args, &spec->args);

	if (!err && spec->args.kind != FX_VALUE_TUPLE)
		err = fx_error_new(FX_ERR_FORMAT, "args are no tuple");
	if (err)
		return bad_field(r, err, "args", node->name);
	if (!node->kwargs)
		return NULL;
	err = fx_jsonl_value(r, arena, node->kwargs, &spec->kwargs);
	if (!err)
		err = check_keywords(&spec->kwargs);
	return err ? bad_field(r, err, "kwargs", node->name) : NULL;
}

FX_NODISCARD static struct fx_error *
check_node(struct fx_jsonl *r, const struct fx_jsonl_node *node)
{
	struct fx_jsonl_section *s = fx_jsonl_section(r);

	if (!node->name || !node->op || !node->target || !node->args)
		return fx_jsonl_error(r, FX_ERR_FORMAT,
			"a node needs name, op, target and args");
	if (fx_opcode_find(node->op) == FX_OPCODE_COUNT)
		return fx_jsonl_error(r, FX_ERR_FORMAT, "no opcode \"%.100s\"",
			node->op);
	if (!fx_str_is_identifier(node->name))
		return fx_jsonl_error(r, FX_ERR_BAD_NAME,
			"\"%.100s\" is no name for a node", node->name);
	if (fx_names_is_taken(&s->graph->names, node->name))
		return fx_jsonl_error(r, FX_ERR_NAME_TAKEN,
			"two nodes are called \"%.100s\"", node->name);
	if (!*node->target)
		return fx_jsonl_error(r, FX_ERR_FORMAT,
			"node \"%.100s\" has no target", node->name);
	if (fx_str_has_controls(node->target))
		return fx_jsonl_error(r, FX_ERR_FORMAT,
			"node \"%.100s\" has control characters in its target",
			node->name);
	if (node->source >= (int64_t)s->sources.count ||
		node->scope >= (int64_t)s->scopes.count)
		return fx_jsonl_error(r, FX_ERR_FORMAT,
			"node \"%.100s\" has a source or scope that is not "
			"there",
			node->name);
	return NULL;
}

static void
set_notes(struct fx_node *made, const json_t *notes)
{
	const char *key;
	json_t *text;

	json_object_foreach((json_t *)notes, key,
		text) if (json_is_string(text))
		fx_graph_set_note(made, key, json_string_value(text));
}

struct fx_error *
fx_jsonl_node(struct fx_jsonl *r, const struct fx_jsonl_node *node)
{
	struct fx_jsonl_section *s = fx_jsonl_section(r);
	struct fx_error *err = check_node(r, node);
	struct fx_node_spec spec = { 0 };
	struct fx_value meta;
	struct fx_node *made;

	if (!err)
		err = read_arguments(r, node, &spec);
	if (err)
		return err;
	spec.opcode = fx_opcode_find(node->op);
	spec.name = node->name;
	spec.name_is_exact = true;
	spec.target = fx_intern(node->target);
	spec.type = fx_intern(node->type);
	spec.is_wrapped = node->is_wrapped;
	spec.source = node->source < 0 ? NULL : s->sources.items[node->source];
	spec.scope = node->scope < 0 ? NULL : s->scopes.items[node->scope];
	made = fx_graph_append(s->graph, &spec);
	if (strcmp(made->name, node->name) != 0)
		return fx_jsonl_error(r, FX_ERR_BAD_NAME,
			"a node may not be called \"%.100s\"", node->name);
	if (node->meta) {
		err = fx_jsonl_value(r, r->scratch, node->meta, &meta);
		if (err)
			return bad_field(r, err, "meta", node->name);
		fx_graph_set_meta(made, &meta);
	}
	if (node->notes)
		set_notes(made, node->notes);
	return NULL;
}

struct fx_error *
fx_jsonl_pytree(struct fx_jsonl *r, const json_t *object)
{
	static const char *const known[] = { "pytree", "self", "kwargs", "in",
		"outputs", NULL };
	struct fx_graph *graph = fx_jsonl_section(r)->graph;
	const json_t *inputs = json_object_get(object, "pytree");
	size_t count = json_array_size(inputs);
	struct fx_pytree *pytree =
		FX_ARENA_NEW(graph->permanent, struct fx_pytree);
	const char **names =
		FX_ARENA_ARRAY(graph->permanent, const char *, count);

	fx_jsonl_check_fields(r, object, known);
	for (size_t i = 0; i < count; i++) {
		const json_t *name = json_array_get(inputs, i);

		if (!json_is_string(name))
			return fx_jsonl_error(r, FX_ERR_FORMAT,
				"an input of the pytree has no name");
		names[i] = fx_intern(json_string_value(name));
	}
	pytree->input_count = count;
	pytree->inputs = names;
	pytree->with_self = fx_jsonl_bool(object, "self", false);
	pytree->with_kwargs = fx_jsonl_bool(object, "kwargs", false);
	pytree->in_text = fx_intern(fx_jsonl_text(object, "in"));
	pytree->has_outputs = fx_jsonl_bool(object, "outputs", false);
	graph->pytree = pytree;
	return NULL;
}

FX_NODISCARD static struct fx_error *
read_test(struct fx_jsonl *r, struct fx_decided *decided, const json_t *test)
{
	static const char *const known[] = { "expression", "value", "after",
		NULL };
	const char *expression = fx_jsonl_text(test, "expression");
	const char *value = fx_jsonl_text(test, "value");

	if (!expression || !value)
		return fx_jsonl_error(r, FX_ERR_FORMAT,
			"a test has no expression or no value");
	fx_jsonl_check_fields(r, test, known);
	fx_decided_add_test(fx_jsonl_section(r)->graph, decided, expression,
		value, fx_jsonl_text(test, "after"));
	return NULL;
}

struct fx_error *
fx_jsonl_decided(struct fx_jsonl *r, const json_t *object)
{
	static const char *const known[] = { "decided", "line", "text", "value",
		"tests", NULL };
	const struct fx_decided what = {
		.file = fx_jsonl_text(object, "decided"),
		.line = (int)fx_jsonl_int(object, "line", 0),
		.text = fx_jsonl_text(object, "text"),
		.value = fx_jsonl_text(object, "value"),
	};
	const json_t *tests = json_object_get(object, "tests");
	struct fx_decided *decided;
	struct fx_error *err = NULL;

	if (!what.file || !what.text || !what.value)
		return fx_jsonl_error(r, FX_ERR_FORMAT,
			"a decision lacks its file, text or value");
	fx_jsonl_check_fields(r, object, known);
	decided = fx_graph_add_decided(fx_jsonl_section(r)->graph, &what);
	for (size_t i = 0; i < json_array_size(tests) && !err; i++)
		err = read_test(r, decided, json_array_get(tests, i));
	return err;
}

/* The usual form of a node's line, without a JSON tree.
 *
 * Building a tree for each of a hundred thousand lines costs more than all the
 * rest of loading.  This reads {"node":"x","op":...} with plain texts and
 * numbers; escapes beyond \" \\ \n, other fields, blanks: it gives up, and
 * jansson reads the line.
 */

struct scanner {
	struct fx_arena *arena;
	const char *at;
	const char *end;
};

static bool
take(struct scanner *s, const char *text)
{
	size_t length = strlen(text);

	if ((size_t)(s->end - s->at) < length ||
		memcmp(s->at, text, length) != 0)
		return false;
	s->at += length;
	return true;
}

/* The end of the string that starts at S->at; NULL when it has escapes other
 * than the plain ones, or control characters.
 */
static const char *
find_end(const struct scanner *s, bool *has_escapes)
{
	const char *c = s->at;

	*has_escapes = false;
	for (; c < s->end && *c != '"'; c++) {
		if ((unsigned char)*c < 0x20)
			return NULL;
		if (*c != '\\')
			continue;
		*has_escapes = true;
		if (++c == s->end || !strchr("\"\\n", *c) || !*c)
			return NULL;
	}
	return c < s->end ? c : NULL;
}

static bool
take_string(struct scanner *s, const char **ret)
{
	bool has_escapes;
	const char *end;
	char *copy;
	size_t length = 0;

	if (!take(s, "\""))
		return false;
	end = find_end(s, &has_escapes);
	if (!end)
		return false;
	copy = fx_arena_strndup(s->arena, s->at, (size_t)(end - s->at));
	for (const char *c = s->at; has_escapes && c < end; c++) {
		if (*c == '\\')
			copy[length++] = *++c == 'n' ? '\n' : *c;
		else
			copy[length++] = *c;
	}
	if (has_escapes)
		copy[length] = '\0';
	*ret = copy;
	s->at = end + 1;
	return true;
}

static bool
take_number(struct scanner *s, int64_t *ret)
{
	const char *start = s->at;

	*ret = 0;
	while (s->at < s->end && *s->at >= '0' && *s->at <= '9' &&
		s->at - start < 10)
		*ret = *ret * 10 + (*s->at++ - '0');
	return s->at > start;
}

/* The field after a comma; false at one that is not known. */
static bool
take_field(struct scanner *s, struct fx_jsonl_node *node)
{
	if (take(s, "\"args\":"))
		return take_string(s, &node->args);
	if (take(s, "\"kwargs\":"))
		return take_string(s, &node->kwargs);
	if (take(s, "\"type\":"))
		return take_string(s, &node->type);
	if (take(s, "\"meta\":"))
		return take_string(s, &node->meta);
	if (take(s, "\"source\":"))
		return take_number(s, &node->source);
	if (take(s, "\"scope\":"))
		return take_number(s, &node->scope);
	node->is_wrapped = true;
	return take(s, "\"wrapped\":true");
}

bool
fx_jsonl_scan_node(struct fx_arena *arena, const char *line, size_t length,
	struct fx_jsonl_node *ret)
{
	struct scanner s = { arena, line, line + length };

	*ret = (struct fx_jsonl_node){ .source = -1, .scope = -1 };
	if (!take(&s, "{\"node\":") || !take_string(&s, &ret->name) ||
		!take(&s, ",\"op\":") || !take_string(&s, &ret->op) ||
		!take(&s, ",\"target\":") || !take_string(&s, &ret->target))
		return false;
	while (take(&s, ","))
		if (!take_field(&s, ret))
			return false;
	return ret->args && take(&s, "}") && s.at == s.end;
}
