/* journal_report.c - what transactions did, and forgetting the oldest. */
#include <config.h>

#include "ir/graph_private.h"
#include "ir/journal_private.h"

/* What an entry does to its node. */
static unsigned
how(const struct fx_entry *entry)
{
	if (entry->kind == FX_EDIT_CREATE)
		return FX_TOUCH_CREATED;
	if (entry->kind == FX_EDIT_ERASE)
		return FX_TOUCH_ERASED;
	return FX_TOUCH_CHANGED;
}

/* Touch bits are kept in the nodes' marks while listing; shifted, because
 * the low bits are other algorithms'.
 */
enum {
	MARK_SHIFT = 4,
	MARK_MASK = 7 << MARK_SHIFT,
};

static void
mark_nodes(const struct fx_entry *entries, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (entries[i].node)
			entries[i].node->mark |=
				(uint8_t)(how(&entries[i]) << MARK_SHIFT);
}

/* Return the touch bits of NODE and clear them, so that each node is reported
 * once.
 */
static unsigned
take_mark(struct fx_node *node)
{
	unsigned bits = (node->mark & MARK_MASK) >> MARK_SHIFT;

	node->mark &= (uint8_t)~MARK_MASK;
	return bits;
}

static void
touched(const struct fx_entry *entries, size_t count, struct fx_touched **ret,
	size_t *count_ret)
{
	FX_VEC(struct fx_touched) list = { 0 };

	mark_nodes(entries, count);
	for (size_t i = 0; i < count; i++) {
		struct fx_node *node = entries[i].node;
		struct fx_touched item = { .how = 0 };

		if (!node)
			continue;
		item.how = take_mark(node);
		item.node = node->id;
		item.name = node->name;
		if (item.how)
			fx_vec_push(&list, item);
	}
	*ret = list.items;
	*count_ret = list.count;
}

void
fx_journal_touched(const struct fx_graph *graph, uint32_t id,
	struct fx_touched **ret, size_t *count_ret)
{
	const struct fx_record *record;

	*ret = NULL;
	*count_ret = 0;
	if (id >= fx_journal_count(graph))
		return;
	record = &graph->journal->records.items[id];
	touched(record->entries.items, record->entries.count, ret, count_ret);
}

void
fx_journal_touched_open(const struct fx_graph *graph, struct fx_touched **ret,
	size_t *count_ret)
{
	*ret = NULL;
	*count_ret = 0;
	if (!fx_journal_is_open(graph))
		return;
	touched(graph->journal->open.entries.items,
		graph->journal->open.entries.count, ret, count_ret);
}

struct fx_node *
fx_journal_created_next(const struct fx_graph *graph, size_t *at)
{
	const struct fx_record *open = &graph->journal->open;

	while (*at < open->entries.count) {
		const struct fx_entry *entry = &open->entries.items[*at];

		fx_entry_prefetch(open->entries.items, (*at)++,
			open->entries.count);
		if (entry->kind == FX_EDIT_CREATE && entry->node->is_in_graph)
			return entry->node;
	}
	return NULL;
}

static void
drop(struct fx_journal *journal, uint32_t id)
{
	struct fx_record *record = &journal->records.items[id];

	fx_vec_deinit(&record->entries);
	journal->bytes -= record->bytes;
	record->bytes = 0;
}

/* Forget all that hangs from what is forgotten, except the base. */
static void
sweep(struct fx_journal *journal)
{
	struct fx_record *records = journal->records.items;

	/* Children have larger ids than their parents. */
	for (uint32_t i = 1; i < journal->records.count; i++) {
		if (i == journal->base || records[i].is_forgotten ||
			!records[records[i].shown.parent].is_forgotten)
			continue;
		drop(journal, i);
		records[i].is_forgotten = true;
	}
}

/* The oldest reachable child of the base, or 0. */
static uint32_t
oldest_child(const struct fx_journal *journal)
{
	for (uint32_t i = journal->base + 1; i < journal->records.count; i++)
		if (!journal->records.items[i].is_forgotten &&
			journal->records.items[i].shown.parent == journal->base)
			return i;
	return 0;
}

/* Forget CHILD of the base: from above when it leads to now, making it the
 * new base, else with all its branch.
 */
static void
forget_child(struct fx_journal *journal, uint32_t child)
{
	struct fx_record *base = &journal->records.items[journal->base];
	size_t next = base->depth + 1;

	drop(journal, child);
	if (next < journal->path.count && journal->path.items[next] == child) {
		journal->base = child;
		base->is_forgotten = true;
	} else {
		journal->records.items[child].is_forgotten = true;
		if (base->newest_child == child)
			base->newest_child = 0;
	}
	sweep(journal);
}

void
fx_journal_forget(struct fx_graph *graph)
{
	struct fx_journal *journal = graph->journal;

	while (journal->limit > 0 && journal->bytes > journal->limit) {
		uint32_t child = oldest_child(journal);

		if (!child)
			break;
		forget_child(journal, child);
	}
}
