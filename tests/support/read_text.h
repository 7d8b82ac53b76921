/* read_text.h - graphs and values from Python text, for tests.  A test ends
 * when its text cannot be read.
 */
#ifndef FX_TESTS_SUPPORT_READ_TEXT_H
#define FX_TESTS_SUPPORT_READ_TEXT_H

#include <stdint.h>

#include "ir/value.h"

struct fx_arena;
struct fx_buf;
struct fx_error;
struct fx_graph;
struct fx_load_input;

/* The graph that TEXT prints; SERIAL is of its nodes' ids.  The caller frees.
 */
struct fx_graph *fxt_read_graph(const char *text, uint32_t serial);

/* The graph that LOAD makes of TEXT, which says what it left out in NOTICES or
 * NULL.  The caller frees.
 */
typedef struct fx_error *fxt_load_fn(const struct fx_load_input *input,
	struct fx_graph **ret);
struct fx_graph *fxt_load(const char *text, fxt_load_fn *load,
	struct fx_buf *notices);

/* Whether the module PATH of GRAPH is of the class CLASS_NAME, in short. */
void fxt_check_member(struct fx_graph *graph, const char *path,
	const char *class_name);

/* The value that TEXT writes, in ARENA. */
struct fx_value fxt_read_value(struct fx_arena *arena, const char *text);

/* The child PATH of GRAPH's module becomes one with a graph of its own, that
 * TEXT prints.
 */
void fxt_read_nested(struct fx_graph *graph, const char *path,
	const char *text);

#endif /* FX_TESTS_SUPPORT_READ_TEXT_H */
