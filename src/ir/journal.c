/* journal.c - transactions and the tree they form.
 *
 * Records are kept by id; ids grow with time, so a record's newest child is
 * the last one committed at it.  The path from the origin to now is kept as an
 * array, which makes every question about it constant time.
 */
#include <config.h>

#include "ir/journal.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/compiler.h"
#include "base/intern.h"
#include "base/mem.h"
#include "ir/graph_hash.h"
#include "ir/graph_private.h"
#include "ir/journal_private.h"
#include "ir/verify.h"

#ifdef FX_HARD_MODE
#define IS_HARD true
#else
#define IS_HARD false
#endif

static struct fx_record *
record_at(const struct fx_journal *journal, uint32_t id)
{
	return &journal->records.items[id];
}

/* GRAPH has its journal now. */
static void
begin_sharing(struct fx_graph *graph)
{
	graph->private_->is_bare |= graph->module->member_count == 0;
	graph->private_->compacted_size = fx_arena_size(graph->values);
	fx_journal_share(graph, graph->module);
}

void
fx_journal_open(struct fx_graph *graph, const char *origin)
{
	struct fx_journal *journal = FX_NEW(struct fx_journal);
	struct fx_record record = { .depth = 0 };

	fx_assert(!graph->journal);
	graph->journal = journal;
	record.shown.command = fx_intern(origin);
	record.shown.maker = fx_intern("origin");
	fx_vec_push(&journal->records, record);
	fx_vec_push(&journal->path, 0);
	begin_sharing(graph);
}

void
fx_journal_share(struct fx_graph *graph, struct fx_module *module)
{
	struct fx_module_walk *walk;
	const char *path;

	if (!graph->journal)
		return;
	walk = fx_module_walk_new(module, true);
	while (fx_module_walk_next(walk, &module, &path)) {
		struct fx_graph *inner = module->graph;

		if (!inner)
			continue;
		inner->outer = graph;
		graph->journal->is_shared = true;
		if (inner->journal == graph->journal)
			continue;
		inner->journal = graph->journal;
		begin_sharing(inner);
	}
	fx_module_walk_free(walk);
}

void
fx_journal_free(struct fx_journal *journal)
{
	if (!journal)
		return;
	for (size_t i = 0; i < journal->records.count; i++)
		fx_vec_deinit(&journal->records.items[i].entries);
	fx_vec_deinit(&journal->records);
	fx_vec_deinit(&journal->path);
	fx_vec_deinit(&journal->open.entries);
	free(journal);
}

size_t
fx_journal_memory(const struct fx_journal *journal)
{
	size_t size;

	if (!journal)
		return 0;
	size = sizeof(*journal) +
	       journal->records.capacity * sizeof(struct fx_record) +
	       journal->path.capacity * sizeof(uint32_t) +
	       journal->open.entries.capacity * sizeof(struct fx_entry);
	for (size_t i = 0; i < journal->records.count; i++)
		size += journal->records.items[i].entries.capacity *
			sizeof(struct fx_entry);
	return size;
}

void
fx_journal_begin(struct fx_graph *graph, const char *command)
{
	struct fx_journal *journal = graph->journal;

	fx_assert(journal);
	if (journal->nesting++ > 0)
		return;
	journal->open.shown = (struct fx_transaction){
		.id = (uint32_t)journal->records.count,
		.parent = journal->now,
		.command = fx_intern(command),
		.maker = fx_intern("edit"),
	};
	fx_vec_clear(&journal->open.entries);
	journal->is_relaxed = false;
	journal->values_before = fx_arena_size(graph->values);
}

void
fx_journal_describe(struct fx_graph *graph, const char *script,
	const char *maker)
{
	struct fx_transaction *shown = &graph->journal->open.shown;

	if (script)
		shown->script = fx_intern(script);
	if (maker)
		shown->maker = fx_intern(maker);
}

bool
fx_journal_is_open(const struct fx_graph *graph)
{
	return graph->journal && graph->journal->nesting > 0;
}

bool
fx_journal_is_relaxed(const struct fx_graph *graph)
{
	return graph->journal && graph->journal->is_relaxed;
}

void
fx_journal_reserve(struct fx_graph *graph, size_t count)
{
	struct fx_record *open = &graph->journal->open;

	fx_vec_reserve(&open->entries, open->entries.count + count);
}

uint32_t
fx_journal_open_id(const struct fx_graph *graph)
{
	return graph->journal ? graph->journal->open.shown.id : 0;
}

void
fx_journal_abort(struct fx_graph *graph)
{
	struct fx_journal *journal = graph->journal;

	if (!fx_journal_is_open(graph))
		return;
	for (size_t i = journal->open.entries.count; i-- > 0;)
		fx_entry_undo(&journal->open.entries.items[i]);
	fx_vec_deinit(&journal->open.entries);
	journal->nesting = 0;
	journal->is_relaxed = false;
}

/* The first use before a definition, which relaxed edits may have left. */
static struct fx_error *
check_order(struct fx_graph *graph)
{
	struct fx_node *node;

	fx_graph_for_each_node (node, graph)
		for (size_t i = 0; i < node->use_count; i++) {
			struct fx_node *input = node->uses[i].input;

			if (!fx_node_is_before(input, node))
				return fx_error_new(FX_ERR_ORDER,
					"%%%s uses %%%s, which stands later",
					node->name, input->name);
		}
	return NULL;
}

static struct fx_error *
check_open(struct fx_graph *graph)
{
	const struct fx_journal *journal = graph->journal;
	struct fx_graph *checked = graph;
	struct fx_error *err = NULL;

	if (journal->is_relaxed)
		err = check_order(graph);
	for (size_t i = 0;
		journal->is_relaxed && !err && i < journal->open.entries.count;
		i++) {
		struct fx_graph *of =
			fx_entry_graph(&journal->open.entries.items[i]);

		if (of != checked && of != graph)
			err = check_order(of);
		checked = of;
	}
	if (!err && (graph->journal->is_relaxed || IS_HARD))
		err = fx_verify_error(graph);
	return err;
}

/* Bytes of the weights that only ENTRY holds on to. */
static size_t
size_of_tensors(const struct fx_entry *entry)
{
	const struct fx_member *member;

	if (entry->kind != FX_EDIT_MEMBER || !entry->member->is_present)
		return 0;
	member = &entry->member->member;
	if (member->child)
		return fx_module_bytes(member->child, NULL);
	return member->tensor ? fx_tensor_bytes(member->tensor) : 0;
}

/* Bytes that forgetting the open transaction would set free, about. */
static size_t
size_of_open(const struct fx_graph *graph)
{
	const struct fx_journal *journal = graph->journal;
	size_t size = journal->open.entries.capacity * sizeof(struct fx_entry);
	size_t values = fx_arena_size(graph->values);
	struct fx_entry *entry;

	if (values > journal->values_before)
		size += values - journal->values_before;
	fx_vec_for_each (entry, &journal->open.entries)
		size += size_of_tensors(entry);
	return size;
}

/* The open transaction becomes the record that we stand at. */
static void
keep_open(struct fx_graph *graph)
{
	struct fx_journal *journal = graph->journal;
	struct fx_record *parent = record_at(journal, journal->now);
	struct fx_record *record = &journal->open;

	if (IS_HARD)
		record->hash = fx_graph_hash(graph);
	record->bytes = size_of_open(graph);
	record->depth = parent->depth + 1;
	parent->newest_child = record->shown.id;
	journal->bytes += record->bytes;
	journal->now = record->shown.id;
	fx_vec_push(&journal->path, journal->now);
	fx_vec_push(&journal->records, *record);
	journal->open = (struct fx_record){ .depth = 0 };
	journal->nesting = 0;
	journal->is_relaxed = false;
	fx_journal_forget(graph);
}

struct fx_error *
fx_journal_commit(struct fx_graph *graph, struct fx_edit_counts *counts_ret)
{
	struct fx_journal *journal = graph->journal;
	struct fx_error *err;

	if (!fx_journal_is_open(graph))
		return fx_error_new(FX_ERR_INTERNAL, "no transaction is open");
	if (counts_ret)
		*counts_ret = fx_journal_counts(graph);
	if (journal->nesting > 1) {
		journal->nesting--;
		return NULL;
	}
	err = check_open(graph);
	if (err) {
		fx_journal_abort(graph);
		return err;
	}
	if (journal->open.entries.count > 0)
		keep_open(graph);
	else
		fx_journal_abort(graph);
	return NULL;
}

struct fx_edit_counts
fx_journal_counts(const struct fx_graph *graph)
{
	struct fx_edit_counts none = { 0 };

	return fx_journal_is_open(graph) ? graph->journal->open.shown.counts
					 : none;
}

/* Cross one edge of the history: step_up goes towards the origin, and the
 * function below goes to CHILD.
 */
static void
step_up(struct fx_graph *graph)
{
	struct fx_journal *journal = graph->journal;
	struct fx_record *record = record_at(journal, journal->now);

	for (size_t i = record->entries.count; i-- > 0;)
		fx_entry_undo(&record->entries.items[i]);
	journal->now = record->shown.parent;
	journal->path.count--;
}

static void
step_down(struct fx_graph *graph, uint32_t child)
{
	struct fx_journal *journal = graph->journal;
	struct fx_record *record = record_at(journal, child);

	for (size_t i = 0; i < record->entries.count; i++)
		fx_entry_redo(&record->entries.items[i]);
	journal->now = child;
	fx_vec_push(&journal->path, child);
}

/* In hard mode: the graph is what it was when it was here before. */
static void
arrive(const struct fx_graph *graph)
{
	const struct fx_record *record =
		record_at(graph->journal, graph->journal->now);

	if (IS_HARD && record->depth)
		fx_assert(fx_hash_equal(record->hash, fx_graph_hash(graph)));
}

static struct fx_error *
check_walk(const struct fx_graph *graph, const char *word, size_t wanted,
	size_t possible)
{
	if (!graph->journal)
		return fx_error_new(FX_ERR_NO_UNDO,
			"nothing was recorded to %s", word);
	if (fx_journal_is_open(graph))
		return fx_error_new(FX_ERR_NO_UNDO,
			"%s has to wait until the transaction ends", word);
	if (possible == 0 && wanted > 0)
		return fx_error_new(FX_ERR_NO_UNDO, "there is nothing to %s",
			word);
	if (possible < wanted)
		return fx_error_new(FX_ERR_NO_UNDO,
			"there is less to %s: %zu, not %zu", word, possible,
			wanted);
	return NULL;
}

struct fx_error *
fx_journal_undo(struct fx_graph *graph, size_t count)
{
	struct fx_error *err =
		check_walk(graph, "undo", count, fx_journal_undo_count(graph));

	if (err)
		return err;
	while (count-- > 0)
		step_up(graph);
	arrive(graph);
	return NULL;
}

struct fx_error *
fx_journal_redo(struct fx_graph *graph, size_t count)
{
	struct fx_journal *journal = graph->journal;
	struct fx_error *err =
		check_walk(graph, "redo", count, fx_journal_redo_count(graph));

	if (err)
		return err;
	while (count-- > 0)
		step_down(graph,
			record_at(journal, journal->now)->newest_child);
	arrive(graph);
	return NULL;
}

/* Whether ID stands on the way from the origin to now. */
static bool
is_on_path(const struct fx_journal *journal, uint32_t id)
{
	uint32_t depth = record_at(journal, id)->depth;

	return depth < journal->path.count && journal->path.items[depth] == id;
}

struct fx_error *
fx_journal_goto(struct fx_graph *graph, uint32_t id)
{
	struct fx_journal *journal = graph->journal;
	FX_VEC(uint32_t) down = { 0 };
	struct fx_error *err = check_walk(graph, "goto", 0, 0);

	if (err)
		return err;
	if (id >= journal->records.count)
		return fx_error_new(FX_ERR_NO_UNDO,
			"there is no t%u; the last is t%zu", id,
			journal->records.count - 1);
	if (record_at(journal, id)->is_forgotten)
		return fx_error_new(FX_ERR_NO_UNDO,
			"t%u was forgotten; the oldest kept is t%u", id,
			journal->base);
	for (; !is_on_path(journal, id);
		id = record_at(journal, id)->shown.parent)
		fx_vec_push(&down, id);
	while (journal->now != id)
		step_up(graph);
	while (down.count > 0)
		step_down(graph, fx_vec_pop(&down));
	fx_vec_deinit(&down);
	arrive(graph);
	return NULL;
}

/* What ENTRY, crossed just now, changed. */
static struct fx_edit_step
step_of(const struct fx_entry *entry, const char *old_name)
{
	const struct fx_entry_member *place = entry->member;
	struct fx_edit_step step = {
		.kind = (enum fx_edit_kind)entry->kind,
		.graph = fx_entry_graph(entry),
		.node = entry->node,
		.old_name = old_name,
	};

	if (entry->kind != FX_EDIT_MEMBER)
		return step;
	step.module = place->module;
	/* The record holds the other state: the member that was taken out, if
	 * the step took one out.
	 */
	if (place->index < place->module->member_count &&
		!(place->is_present &&
			place->module->members[place->index].name !=
				place->member.name))
		step.member = &place->module->members[place->index];
	step.member_name = step.member ? step.member->name : place->member.name;
	return step;
}

void
fx_journal_replay(struct fx_graph *graph, fx_edit_step_fn *visit, void *context)
{
	struct fx_journal *journal = graph->journal;
	struct fx_record *record = fx_journal_is_open(graph)
					   ? &journal->open
					   : record_at(journal, journal->now);
	uint64_t version = graph->version;

	for (size_t i = record->entries.count; i-- > 0;)
		fx_entry_undo(&record->entries.items[i]);
	for (size_t i = 0; i < record->entries.count; i++) {
		struct fx_entry *entry = &record->entries.items[i];
		const char *name = entry->node ? entry->node->name : NULL;
		struct fx_edit_step step;

		fx_entry_redo(entry);
		step = step_of(entry, name);
		visit(context, &step);
	}
	graph->version = version;
}

uint32_t
fx_journal_now(const struct fx_graph *graph)
{
	return graph->journal ? graph->journal->now : 0;
}

size_t
fx_journal_undo_count(const struct fx_graph *graph)
{
	const struct fx_journal *journal = graph->journal;

	if (!journal)
		return 0;
	return record_at(journal, journal->now)->depth -
	       record_at(journal, journal->base)->depth;
}

size_t
fx_journal_redo_count(const struct fx_graph *graph)
{
	const struct fx_journal *journal = graph->journal;
	size_t count = 0;
	uint32_t id;

	if (!journal)
		return 0;
	id = record_at(journal, journal->now)->newest_child;
	for (; id; id = record_at(journal, id)->newest_child)
		count++;
	return count;
}

size_t
fx_journal_count(const struct fx_graph *graph)
{
	return graph->journal ? graph->journal->records.count : 0;
}

const struct fx_transaction *
fx_journal_get(const struct fx_graph *graph, uint32_t id)
{
	if (id >= fx_journal_count(graph))
		return NULL;
	return &record_at(graph->journal, id)->shown;
}

uint32_t
fx_journal_after(const struct fx_graph *graph, uint32_t id)
{
	const struct fx_journal *journal = graph->journal;
	uint32_t depth;

	if (id >= fx_journal_count(graph) || !is_on_path(journal, id))
		return 0;
	depth = record_at(journal, id)->depth;
	return depth + 1 < journal->path.count ? journal->path.items[depth + 1]
					       : 0;
}

void
fx_journal_set_limit(struct fx_graph *graph, size_t bytes)
{
	if (!graph->journal)
		return;
	graph->journal->limit = bytes;
	fx_journal_forget(graph);
}
