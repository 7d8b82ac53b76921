#include <config.h>

#include "ir/journal.h"

#include "ir/graph_private.h"

void
fx_journal_free(struct fx_journal *journal)
{
	(void)journal;
}

size_t
fx_journal_memory(const struct fx_journal *journal)
{
	(void)journal;
	return 0;
}
