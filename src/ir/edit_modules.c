/* edit_modules.c - the edits of the module tree.
 *
 * One entry changes one place of one module.  Missing parents are made and
 * filled before they are put in, so they come and go with that one entry.
 */
#include <config.h>

#include <string.h>

#include "base/arena.h"
#include "base/intern.h"
#include "ir/edit.h"
#include "ir/graph_private.h"
#include "ir/journal_private.h"
#include "ir/module.h"
#include "ir/targets.h"

/* The deepest module that exists on the way to PATH, and what is left of PATH
 * below it (at least the last part).
 */
struct place {
	struct fx_module *module;
	const char *rest;
	int depth; /* of the module */
};

static struct fx_error *
not_a_module(const char *path, const char *end)
{
	return fx_error_new(FX_ERR_NO_MODULE, "\"%.*s\" is no module",
		(int)(end - path), path);
}

static struct fx_error *
find_place(struct fx_graph *graph, const char *path, struct place *ret)
{
	*ret = (struct place){ .module = graph->module, .rest = path };
	if (!fx_target_is_path(path))
		return fx_error_new(FX_ERR_BAD_NAME,
			"\"%s\" is no path of a module", path);
	for (;;) {
		size_t length = strcspn(ret->rest, ".");
		const char *name = fx_intern_n(ret->rest, length);
		struct fx_member *member;

		if (!ret->rest[length])
			return NULL;
		member = fx_module_member(ret->module, name);
		if (!member)
			return NULL;
		if (!member->child)
			return not_a_module(path, ret->rest + length);
		ret->module = member->child;
		ret->rest += length + 1;
		ret->depth++;
	}
}

static int
count_parts(const char *path)
{
	int count = 1;

	for (; *path; path++)
		count += *path == '.';
	return count;
}

/* Wrap MEMBER in new parents for all parts of REST but the first, which is
 * the name of the outermost.
 */
static struct fx_member
wrap(struct fx_graph *graph, const char *rest, struct fx_member member)
{
	const char *end = rest + strlen(rest);
	const char *dot = end;

	for (;;) {
		struct fx_module *parent;

		while (dot > rest && dot[-1] != '.')
			dot--;
		member.name = fx_intern_n(dot, (size_t)(end - dot));
		if (dot == rest)
			return member;
		parent = fx_module_new(graph, "torch.nn.modules.module.Module");
		fx_module_insert_member(parent, 0, &member);
		member = (struct fx_member){ .kind = FX_MEMBER_CHILD,
			.child = parent };
		end = --dot;
	}
}

static size_t
index_of(const struct fx_module *module, const char *name)
{
	struct fx_member *member = fx_module_member(module, name);

	return member ? (size_t)(member - module->members)
		      : module->member_count;
}

/* Put MEMBER (its name comes from the path), or nothing, at PLACE. */
static void
apply(struct fx_graph *graph, const struct place *place,
	const struct fx_member *member)
{
	struct fx_entry entry = { .kind = FX_EDIT_MEMBER };
	const char *first = fx_intern_n(place->rest, strcspn(place->rest, "."));

	entry.member = FX_ARENA_NEW(graph->permanent, struct fx_entry_member);
	entry.member->graph = graph;
	entry.member->module = place->module;
	entry.member->index = index_of(place->module, first);
	entry.member->is_present = member != NULL;
	if (member)
		entry.member->member = wrap(graph, place->rest, *member);
	if (member && member->child)
		fx_journal_share(graph, member->child);
	fx_journal_apply(graph, &entry);
}

/* What stands at PLACE itself, or NULL when that is further down. */
static struct fx_member *
standing(const struct place *place)
{
	if (strchr(place->rest, '.'))
		return NULL;
	return fx_module_member(place->module, fx_intern(place->rest));
}

/* MODULE may go to PLACE: not below itself, not too deep. */
static struct fx_error *
check_module(const struct place *place, const char *path,
	const struct fx_module *module)
{
	if (fx_module_contains(module, place->module))
		return fx_error_new(FX_ERR_VALUE,
			"the module at \"%s\" would contain itself", path);
	if (place->depth + count_parts(place->rest) + fx_module_depth(module) >
		FX_DEPTH_LIMIT)
		return fx_error_new(FX_ERR_LIMIT,
			"modules would be nested more than %d levels deep",
			FX_DEPTH_LIMIT);
	return NULL;
}

/* What is left of TARGET below the member NAME of MODULE, "" for that member
 * itself; NULL when TARGET does not lead through it.
 */
static const char *
rest_below(const struct fx_graph *graph, const char *target,
	const struct fx_module *module, const char *name)
{
	const struct fx_module *at = graph->module;

	for (;;) {
		size_t length = strcspn(target, ".");
		const char *step = fx_intern_n(target, length);
		struct fx_member *member = fx_module_member(at, step);

		if (at == module && step == name)
			return target + length + (target[length] == '.');
		if (!target[length] || !member || !member->child)
			return NULL;
		at = member->child;
		target += length + 1;
	}
}

/* Nodes go on finding what they call or read below PLACE in MODULE. */
static struct fx_error *
check_targets(const struct fx_graph *graph, const struct place *place,
	struct fx_module *module)
{
	const char *name = fx_intern(place->rest);
	struct fx_node *node;

	fx_graph_for_each_node (node, graph) {
		const char *rest;

		if (node->opcode != FX_OPCODE_CALL_MODULE &&
			node->opcode != FX_OPCODE_GET_ATTR)
			continue;
		rest = rest_below(graph, node->target, place->module, name);
		if (!rest || !*rest || fx_module_find(module, rest) ||
			fx_module_find_tensor(module, rest))
			continue;
		return fx_error_new(FX_ERR_IN_USE,
			"%%%s needs %s, and a %s has no %s", node->name,
			node->target, fx_class_short_name(module->class_name),
			rest);
	}
	return NULL;
}

struct fx_error *
fx_edit_set_module(struct fx_graph *graph, const char *path,
	struct fx_module *module)
{
	struct fx_member member = { .kind = FX_MEMBER_CHILD, .child = module };
	struct fx_member *old;
	struct place place;
	struct fx_error *err = find_place(graph, path, &place);

	if (err)
		return err;
	old = standing(&place);
	if (old && old->kind != FX_MEMBER_CHILD)
		return fx_error_new(FX_ERR_NO_MODULE,
			"\"%s\" is a %s, no module", path,
			old->kind == FX_MEMBER_BUFFER ? "buffer" : "parameter");
	if (!module && !old)
		return fx_error_new(FX_ERR_NO_MODULE, "no module \"%s\"", path);
	if (module)
		err = check_module(&place, path, module);
	if (!err && module && old && old->child)
		err = check_targets(graph, &place, module);
	if (!err)
		apply(graph, &place, module ? &member : NULL);
	return err;
}

struct fx_error *
fx_edit_bind_tensor(struct fx_graph *graph, const char *path,
	const struct fx_tensor *tensor)
{
	struct fx_member member = { .kind = FX_MEMBER_PARAMETER,
		.tensor = tensor };
	struct fx_member *old;
	struct place place;
	struct fx_error *err = find_place(graph, path, &place);

	if (err)
		return err;
	old = standing(&place);
	if (old && old->kind == FX_MEMBER_CHILD)
		return fx_error_new(FX_ERR_NO_MODULE,
			"\"%s\" is a module, no tensor", path);
	if (!tensor && !old)
		return fx_error_new(FX_ERR_NO_MODULE,
			"no parameter or buffer \"%s\"", path);
	if (place.depth + count_parts(place.rest) > FX_DEPTH_LIMIT)
		return fx_error_new(FX_ERR_LIMIT,
			"modules would be nested more than %d levels deep",
			FX_DEPTH_LIMIT);
	if (tensor && tensor->is_buffer)
		member.kind = FX_MEMBER_BUFFER;
	apply(graph, &place, tensor ? &member : NULL);
	return NULL;
}
