/* blame.h - which of several changes makes a graph fail. */
#ifndef FX_SESSION_BLAME_H
#define FX_SESSION_BLAME_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct fx_graph;
struct fx_model;
struct fx_session;

/* Whether GRAPH, with some of the changes, fails. */
struct fx_blame_test {
	struct fx_error *(*fails)(void *context, struct fx_graph *graph,
		bool *ret);
	void *context;
};

/* COUNT changes that can be made in their order, some without the others. */
struct fx_blame {
	struct fx_session *session;
	struct fx_model *model;
	const char *command; /* of the edits, all of which are taken back */
	size_t count;
	/* Inside an edit: make those from FIRST to before END. */
	struct fx_error *(*make)(void *context, size_t first, size_t end);
	/* Whether the graph as it is then fails. */
	struct fx_error *(*fails)(void *context, bool *ret);
	void *context;
};

/* All of them together fail: by halves, the last change of the shortest
 * beginning that does, and whether it fails alone.
 */
FX_NODISCARD struct fx_error *fx_blame_find(const struct fx_blame *blame,
	size_t *index_ret, bool *is_alone_ret);
/* Whether those from FIRST to before END fail. */
FX_NODISCARD struct fx_error *fx_blame_try(const struct fx_blame *blame,
	size_t first, size_t end, bool *ret);

#endif /* FX_SESSION_BLAME_H */
