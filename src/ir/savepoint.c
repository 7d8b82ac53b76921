/* savepoint.c - taking back a part of the open transaction. */
#include <config.h>

#include "ir/savepoint.h"

#include "base/compiler.h"
#include "ir/graph_private.h"
#include "ir/journal_private.h"

size_t
fx_savepoint_get(const struct fx_graph *graph)
{
	return graph->journal->open.entries.count;
}

void
fx_savepoint_rollback(struct fx_graph *graph, size_t savepoint)
{
	struct fx_journal *journal = graph->journal;

	fx_assert(fx_journal_is_open(graph) && journal->nesting > 1);
	while (journal->open.entries.count > savepoint)
		fx_journal_take_back(graph);
	journal->nesting--;
	/* Whoever asked for the hash in between has settled it: summed up
	 * again when somebody asks.
	 */
	graph->private_->hash.is_valid = false;
	graph->private_->hash.modules_valid = false;
}
