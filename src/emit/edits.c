/* edits.c - the commands that turn one graph into another: lines, modules,
 * names.
 */
#include <config.h>

#include "emit/edits.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/tick.h"
#include "emit/construct.h"
#include "emit/edits_private.h"
#include "ir/clone.h"
#include "ir/diff.h"
#include "ir/edit.h"
#include "ir/graph_hash.h"
#include "ir/module.h"
#include "ir/pair.h"

static void
add_line(struct fx_edits_text *text, char *line, bool is_edit)
{
	struct fx_edits_line item = { .text = line, .is_edit = is_edit };

	fx_vec_push(&text->lines, item);
	text->edit_count += is_edit;
}

/* Be in the graph nested at PATH. */
static void
go_to(struct fx_edits_text *text, const char *path)
{
	if (text->path != path)
		add_line(text, fx_xasprintf("graph /%s", path), false);
	text->path = path;
}

void
fx_edits_say(struct fx_edits *e, const char *format, ...)
{
	va_list arguments;

	go_to(e->text, e->path);
	va_start(arguments, format);
	add_line(e->text, fx_xvasprintf(format, arguments), true);
	va_end(arguments);
}

/* WHAT, taken, as a comment on the graph of E; ERR, taken, may be null. */
static void
comment(struct fx_edits *e, char *what, struct fx_error *err)
{
	if (!e->is_rough)
		add_line(e->text,
			fx_xasprintf("# %s%s%s%s%s%s", *e->path ? "/" : "",
				e->path, *e->path ? ": " : "", what,
				err ? ": " : "",
				err ? fx_error_message(err) : ""),
			false);
	fx_error_free(err);
	free(what);
}

void
fx_edits_cannot(struct fx_edits *e, struct fx_error *err, const char *format,
	...)
{
	va_list arguments;

	va_start(arguments, format);
	comment(e, fx_xvasprintf(format, arguments), err);
	va_end(arguments);
	if (!e->is_rough) {
		e->text->unsaid++;
		fx_map_set_pointer(&e->text->told, e->path, e->path);
	}
}

void
fx_edits_remark(struct fx_edits *e, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	comment(e, fx_xvasprintf(format, arguments), NULL);
	va_end(arguments);
}

struct fx_value
fx_edits_import(struct fx_edits *e, const struct fx_value *value)
{
	return fx_graph_import(e->copy, value, &e->after);
}

/* --- modules ------------------------------------------------------------- */

/* Put what stands at PATH of the second graph there.  What no command says is
 * not done in the copy either.
 */
static bool
set_module(struct fx_edits *e, const char *path)
{
	FX_AUTO_BUF struct fx_buf call = { 0 };
	FX_AUTO_GRAPH struct fx_graph *scratch = fx_graph_new(0);
	struct fx_module *module =
		fx_module_find(e->pairs->graphs[1]->module, path);
	struct fx_error *err = NULL;
	bool is_said = fx_emit_construct(&call, scratch, module);

	if (is_said)
		err = fx_edit_set_module(e->copy, path,
			fx_module_clone(e->copy, module));
	if (is_said && !err)
		fx_edits_say(e, "set module %s = nn.%s", path,
			fx_buf_text(&call));
	else
		fx_edits_cannot(e, err, "no command makes the module %s", path);
	return is_said && !err;
}

static void
set_tensor(struct fx_edits *e, const char *path, const struct fx_tensor *tensor)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };
	struct fx_error *err = NULL;
	bool is_said = e->text->options->values &&
		       e->text->options->values(&text, tensor);

	if (is_said)
		err = fx_edit_bind_tensor(e->copy, path,
			fx_tensor_clone(e->copy, tensor, tensor->storage));
	if (is_said && !err)
		fx_edits_say(e, "set value %s = %s", path, fx_buf_text(&text));
	else
		fx_edits_cannot(e, err, "%s has other values", path);
}

/* Of a module that is set, all values. */
static void
set_tensors(struct fx_edits *e, const char *path)
{
	struct fx_module_walk *walk =
		fx_module_walk_new(fx_module_find(e->pairs->graphs[1]->module,
					   path),
			true);
	struct fx_module *module;
	const char *below;

	while (fx_module_walk_next(walk, &module, &below)) {
		const char *whole = *below ? fx_module_path(path, below) : path;

		for (size_t i = 0; i < module->member_count; i++)
			if (module->members[i].tensor)
				set_tensor(e,
					fx_module_path(whole,
						module->members[i].name),
					module->members[i].tensor);
	}
	fx_module_walk_free(walk);
}

/* The path of the module that ROW is about: a tensor that came, went or has
 * another form needs a new module.  NULL: only values differ.
 */
static const char *
owner(const struct fx_module_change *row)
{
	const char *dot = strrchr(row->path, '.');

	if (row->before || row->after)
		return row->path;
	if (row->old && row->new && row->old->dtype == row->new->dtype &&
		row->old->rank == row->new->rank &&
		!memcmp(row->old->sizes, row->new->sizes,
			row->new->rank * sizeof(*row->new->sizes)))
		return NULL;
	return dot ? fx_intern_n(row->path, (size_t)(dot - row->path)) : "";
}

static void
change_module(struct fx_edits *e, const struct fx_module_change *row,
	struct fx_map *done)
{
	const char *path = owner(row);

	if (row->after && row->after->graph) {
		if (row->before)
			fx_edits_cannot(e, NULL, "no command changes %s so",
				path);
		else
			fx_edits_create_graph(e, path);
		return;
	}
	if (!path) {
		const char *dot = strrchr(row->path, '.');
		const char *above = fx_intern_n(row->path,
			dot ? (size_t)(dot - row->path) : 0);

		if (!fx_map_has(done, (uintptr_t)above))
			set_tensor(e, row->path, row->new);
		return;
	}
	if (!*path || !fx_module_find(e->pairs->graphs[1]->module, path)) {
		fx_edits_cannot(e, NULL, "no command changes %s so",
			*row->path ? row->path : "self");
		return;
	}
	if (!fx_map_set_pointer(done, path, path))
		return;
	if (set_module(e, path))
		set_tensors(e, path);
}

/* Modules that stand in a nested graph, which is edited later, and that NODE of
 * this one calls.
 */
static void
reach_module(struct fx_edits *e, const struct fx_node *node,
	const struct fx_map *done)
{
	const struct fx_module *module;

	if (node->opcode != FX_OPCODE_CALL_MODULE ||
		fx_map_has(done, (uintptr_t)node->target) ||
		fx_module_find(e->copy->module, node->target))
		return;
	module = fx_module_find(e->pairs->graphs[1]->module, node->target);
	if (module && !module->graph && set_module(e, node->target))
		set_tensors(e, node->target);
}

/* A module that goes may stay: nothing calls it. */
static bool
may_stay(const struct fx_module_change *row)
{
	return row->kind == FX_CHANGE_REMOVED && row->before;
}

void
fx_edits_modules(struct fx_edits *e)
{
	FX_AUTO_MAP struct fx_map done = { 0 };
	struct fx_module_change *rows;
	const struct fx_node *node;
	size_t count;

	fx_module_diff(e->pairs->graphs[0]->module, e->pairs->graphs[1]->module,
		&rows, &count);
	/* Forms first, so that values are said once. */
	for (int values = 0; values < 2; values++)
		for (size_t i = 0; i < count; i++)
			if ((owner(&rows[i]) == NULL) == values &&
				!may_stay(&rows[i]))
				change_module(e, &rows[i], &done);
	for (size_t i = 0; i < count; i++)
		if (may_stay(&rows[i]))
			fx_edits_remark(e, "%s stays, and is not called",
				rows[i].path);
	free(rows);
	fx_graph_for_each_node (node, e->pairs->graphs[1])
		reach_module(e, node, &done);
}

/* --- places -------------------------------------------------------------- */

void
fx_edits_move(struct fx_edits *e, struct fx_node *node, struct fx_node *before,
	const char *word, const struct fx_node *anchor)
{
	struct fx_error *err = fx_edit_move(node, before);

	if (err)
		fx_edits_cannot(e, err, "%s cannot be moved", node->name);
	else
		fx_edits_say(e, "move %%%s %s %%%s", node->name, word,
			anchor->name);
}

/* --- names --------------------------------------------------------------- */

static void
set_name(struct fx_edits *e, struct fx_node *node, const char *name)
{
	const char *old = node->name;
	struct fx_error *err = fx_edit_set_name(node, name);

	if (err)
		fx_edits_cannot(e, err, "%s cannot be called %s", old, name);
	else
		fx_edits_say(e, "rename %%%s %s", old, name);
}

char *
fx_edits_free_name(const struct fx_edits *e, const char *wanted,
	const struct fx_graph *other)
{
	char *name = fx_xstrdup(wanted);

	for (int i = 1; fx_graph_find(e->copy, name) ||
			(other && fx_graph_find(other, name));
		i++) {
		free(name);
		name = fx_xasprintf("%s_%d", wanted, i);
	}
	return name;
}

/* Another name for the time being, or for good when NODE goes. */
static void
step_aside(struct fx_edits *e, struct fx_node *node)
{
	FX_AUTO_FREE char *wanted = fx_xasprintf("%s_old", node->name);
	FX_AUTO_FREE char *name =
		fx_edits_free_name(e, wanted, e->pairs->graphs[1]);

	set_name(e, node, name);
}

/* Give NODE its NAME.  WANTED are the names of all that wait for one; who has
 * it now gets his first, and a circle of them is opened.
 */
static void
pass_names(struct fx_edits *e, const struct fx_map *wanted,
	struct fx_node *node)
{
	FX_VEC(struct fx_node *) line = { 0 };
	FX_AUTO_MAP struct fx_map waiting = { 0 };

	while (node) {
		const char *name = fx_map_get_pointer(wanted, node);
		struct fx_node *holder;

		if (name == node->name)
			break;
		holder = fx_graph_find(e->copy, name);
		fx_vec_push(&line, node);
		fx_map_set_pointer(&waiting, node, node);
		if (holder && (fx_map_has(&waiting, (uintptr_t)holder) ||
				      !fx_map_has(wanted, (uintptr_t)holder))) {
			step_aside(e, holder);
			holder = NULL;
		}
		node = holder;
	}
	while (line.count) {
		node = fx_vec_pop(&line);
		set_name(e, node, fx_map_get_pointer(wanted, node));
	}
	fx_vec_deinit(&line);
}

void
fx_edits_names(struct fx_edits *e)
{
	FX_AUTO_MAP struct fx_map wanted = { 0 };

	for (size_t i = 0; i < e->row_count; i++)
		if (e->rows[i].before && e->rows[i].after)
			fx_map_set_pointer(&wanted,
				fx_edits_copied(e, e->rows[i].after),
				e->rows[i].after->name);
	for (size_t i = 0; i < e->row_count; i++)
		if (e->rows[i].differs & FX_DIFFERS_NAME)
			pass_names(e, &wanted,
				fx_edits_copied(e, e->rows[i].after));
	/* What goes makes room for what comes. */
	for (size_t i = 0; i < e->row_count; i++) {
		const struct fx_change *row = &e->rows[i];
		struct fx_node *holder;

		if (row->kind != FX_CHANGE_ADDED)
			continue;
		holder = fx_graph_find(e->copy, row->after->name);
		if (holder)
			step_aside(e, holder);
	}
}

/* --- all of it ----------------------------------------------------------- */

void
fx_edits_begin(struct fx_edits *e, const struct fx_pairs *pairs,
	struct fx_graph *copy)
{
	struct fx_node *before = fx_graph_first(pairs->graphs[0]);
	struct fx_node *node;

	e->pairs = pairs;
	e->copy = copy;
	fx_graph_for_each_node (node, copy) {
		fx_map_set_pointer(&e->before, before, node);
		before = fx_graph_next(before);
	}
	fx_graph_diff(pairs, &e->rows, &e->row_count);
	for (size_t i = 0; i < e->row_count; i++)
		if (e->rows[i].before && e->rows[i].after)
			fx_map_set_pointer(&e->after, e->rows[i].after,
				fx_map_get_pointer(&e->before,
					e->rows[i].before));
}

void
fx_edits_end(struct fx_edits *e)
{
	fx_map_deinit(&e->before);
	fx_map_deinit(&e->after);
	free(e->rows);
}

void
fx_edits_run(struct fx_edits *e)
{
	static void (*const parts[])(struct fx_edits * e) = { fx_edits_modules,
		fx_edits_names, fx_edits_nodes, fx_edits_order };
	struct fx_edits_text *text = e->text;

	text->is_stopped |= e->pairs->is_stopped;
	for (size_t i = 0; i < FX_ARRAY_LEN(parts) && !text->is_stopped; i++) {
		parts[i](e);
		text->is_stopped = fx_tick_is_pressed(text->options->tick);
	}
}

static void
write_lines(struct fx_buf *out, const struct fx_edits_text *text)
{
	bool is_whole = text->edit_count > 1;
	bool is_forced = is_whole || text->options->is_forced;
	const struct fx_edits_line *line;

	if (is_whole)
		fx_buf_add(out, "begin\n");
	fx_vec_for_each (line, &text->lines)
		fx_buf_addf(out, "%s%s\n", line->text,
			is_forced && line->is_edit ? " -f" : "");
	if (is_whole)
		fx_buf_add(out, "commit\n");
}

static void
deinit(struct fx_edits_text *text)
{
	struct fx_edits_line *line;

	fx_vec_for_each (line, &text->lines)
		free(line->text);
	fx_vec_deinit(&text->lines);
	fx_map_deinit(&text->done);
	fx_map_deinit(&text->told);
}

/* How many nodes of BEFORE that read the same in AFTER have their ids in COPY,
 * whose nodes had IDS (by name) when it was BEFORE's.
 */
static size_t
count_kept(const struct fx_map *ids, struct fx_graph *before,
	struct fx_graph *copy, struct fx_graph *after)
{
	const struct fx_node *node;
	size_t count = 0;

	fx_graph_for_each_node (node, before) {
		const struct fx_node *now = fx_graph_find(copy, node->name);
		const struct fx_node *then = fx_graph_find(after, node->name);
		uintptr_t id = (uintptr_t)fx_map_get_pointer(ids, node->name);

		count += now && then && now->id == id &&
			 fx_hash_equal(fx_node_hash(node), fx_node_hash(then));
	}
	return count;
}

static void
fill(struct fx_edits_text *text, struct fx_graph *before,
	struct fx_graph *after)
{
	FX_AUTO_GRAPH struct fx_graph *copy = fx_graph_clone(before, 0, NULL);
	FX_AUTO_MAP struct fx_map ids = { 0 };
	const struct fx_node *node;

	fx_graph_for_each_node (node, copy)
		fx_map_set_pointer(&ids, node->name,
			(void *)(uintptr_t)node->id);
	text->path = fx_intern("");
	fx_edits_graph(text, text->path, before, copy, after);
	if (!text->is_stopped)
		fx_edits_judge(text, copy, after);
	go_to(text, fx_intern(""));
	text->kept = count_kept(&ids, before, copy, after);
}

/* Whether A keeps more ids than B, or leaves less unsaid, or has fewer lines.
 */
static bool
is_shorter(const struct fx_edits_text *a, const struct fx_edits_text *b)
{
	if (!a->is_stopped && a->kept != b->kept)
		return a->kept > b->kept;
	if (a->is_stopped || a->unsaid != b->unsaid)
		return a->is_stopped || a->unsaid < b->unsaid;
	return a->edit_count < b->edit_count;
}

/* The ways but the first, which is 0, as far as they can be others. */
static void
try_others(struct fx_edits_text *best, struct fx_graph *before,
	struct fx_graph *after)
{
	unsigned count = best->has_outlined ? 4 * FX_EDITS_WHEN_COUNT : 4;
	unsigned fixed = best->has_declined ? 0 : 2;

	/* Nothing is shorter than one line. */
	for (unsigned way = 1; way < count && !best->is_stopped &&
			       best->unsaid + best->edit_count > 1;
		way++) {
		struct fx_edits_text other = { .options = best->options,
			.parts = !(way & 1),
			.inlines = way & 2,
			.outlining = (enum fx_edits_when)(way / 4) };

		if (way & fixed)
			continue;
		fill(&other, before, after);
		if (is_shorter(&other, best)) {
			struct fx_edits_text worse = *best;

			*best = other;
			other = worse;
		}
		deinit(&other);
	}
}

bool
fx_emit_edits(struct fx_buf *out, struct fx_graph *before,
	struct fx_graph *after, const struct fx_edits_options *options,
	size_t *unsaid_ret)
{
	struct fx_edits_text best = { .options = options, .parts = true };
	bool is_whole;

	fill(&best, before, after);
	try_others(&best, before, after);
	is_whole = !best.is_stopped;
	if (is_whole)
		write_lines(out, &best);
	*unsaid_ret = best.unsaid;
	deinit(&best);
	return is_whole;
}
