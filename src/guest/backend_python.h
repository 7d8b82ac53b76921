/* backend_python.h - nodes run in the process that traced the graph.
 *
 * Universal and slow: any operation of the user's torch, the user's own
 * functions and modules with their own Python, one exchange of messages a
 * call.  Values stay in the process; fxdb holds their numbers.
 */
#ifndef FX_GUEST_BACKEND_PYTHON_H
#define FX_GUEST_BACKEND_PYTHON_H

#include <stdbool.h>
#include <stddef.h>

struct fx_backend;
struct fx_capture;
struct fx_child_tree;

struct fx_python_run {
	struct fx_capture *capture;       /* borrowed, for as long as ... */
	const struct fx_child_tree *tree; /* ... the backend lives */
	/* Of a copy of the graph, from 1: the process copies the model for it,
	 * so that what one run writes is not seen in the other.  0: of none.
	 */
	unsigned copy;
	/* While an operation runs, every 30 ms; true interrupts it. */
	bool (*tick)(void *context);
	/* What it printed; both may be null. */
	void (*output)(void *context, const char *text, size_t length);
	void *context;
};

/* A backend over the process of RUN (copied).  Fails at the first call when
 * the process is gone: CHILD.
 */
struct fx_backend *fx_backend_python_new(const struct fx_python_run *run);

/* Nothing will be run on BACKEND any more, whose values stay. */
void fx_backend_python_retire(struct fx_backend *backend);

#endif /* FX_GUEST_BACKEND_PYTHON_H */
