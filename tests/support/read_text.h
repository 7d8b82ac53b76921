/* read_text.h - graphs and values from Python text, for tests.  A test ends
 * when its text cannot be read.
 */
#ifndef FX_TESTS_SUPPORT_READ_TEXT_H
#define FX_TESTS_SUPPORT_READ_TEXT_H

#include <stdint.h>

#include "ir/value.h"

struct fx_arena;
struct fx_graph;

/* The graph that TEXT prints; SERIAL is of its nodes' ids.  The caller frees.
 */
struct fx_graph *fxt_read_graph(const char *text, uint32_t serial);

/* The value that TEXT writes, in ARENA. */
struct fx_value fxt_read_value(struct fx_arena *arena, const char *text);

/* The child PATH of GRAPH's module becomes one with a graph of its own, that
 * TEXT prints.
 */
void fxt_read_nested(struct fx_graph *graph, const char *path,
	const char *text);

#endif /* FX_TESTS_SUPPORT_READ_TEXT_H */
