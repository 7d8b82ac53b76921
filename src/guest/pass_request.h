/* pass_request.h - a graph for the user's Python to work on, and what comes
 * back (capture/fxdb/_pass.py is the other end).
 */
#ifndef FX_GUEST_PASS_REQUEST_H
#define FX_GUEST_PASS_REQUEST_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct fx_capture;
struct fx_child_tree;
struct fx_graph;

struct fx_python_pass {
	const char *spec; /* "FILE.py:FUNCTION", "package.module.FUNCTION" */
	struct fx_graph *graph;
	struct fx_capture *capture;       /* who is asked */
	const struct fx_child_tree *tree; /* what it has of it; NULL: nothing */
	uint64_t seed;                    /* of torch's generator */
	uint32_t serial;                  /* of the new graph's node ids */
	/* As in struct fx_question. */
	bool (*tick)(void *context);
	void (*output)(void *context, const char *text, size_t length);
	void *context;
};

/* What the pass made: a graph of its own, whose tensors have values, and
 * [[old name, new name], ...] of the nodes that it renamed.
 */
struct fx_python_passed {
	struct fx_graph *graph;
	json_t *renamed;
};
void fx_python_passed_deinit(struct fx_python_passed *passed);

/* Run PASS there.  UNSUPPORTED when a module that is called can be had neither
 * there nor by its class; PYTHON, CHILD, INTERRUPTED and what the pass gets
 * wrong.
 */
FX_NODISCARD struct fx_error *
fx_python_pass_run(const struct fx_python_pass *pass,
	struct fx_python_passed *ret);

#endif /* FX_GUEST_PASS_REQUEST_H */
