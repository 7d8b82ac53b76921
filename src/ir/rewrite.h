/* rewrite.h - what a rule puts where its pattern stands.
 *
 * A replacement is read once, for one pattern, and put in the place of each
 * match: its names are what the pattern bound, and of a layer that the pattern
 * names, parameters and configuration are attributes: conv.weight, conv.stride.
 *
 *	err = fx_replacement_read("torch.sub(x, y)", pattern, &replacement);
 *	rewrite = fx_rewrite_new(graph, replacement);
 *	... err = fx_rewrite_apply(rewrite, fx_matches_at(matches, i)) ...
 *
 * All of it is edits inside the open transaction.  What a match reads of an
 * earlier one is what was put there.
 */
#ifndef FX_IR_REWRITE_H
#define FX_IR_REWRITE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "ir/graph.h"
#include "ir/pattern.h"

struct fx_ast;
struct fx_buf;
struct fx_module;
struct fx_replacement;
struct fx_rewrite;

/* Read TEXT, or FUNCTION of TEXT, whose parameters are those of the pattern's
 * in order; PATTERN is borrowed.  LIKE: new layers are in its mode.
 */
FX_NODISCARD struct fx_error *fx_replacement_read(const char *text,
	const struct fx_pattern *pattern, const struct fx_graph *like,
	struct fx_replacement **ret);
struct fx_replacement_function {
	const char *text; /* of the tree */
	const struct fx_ast *tree;
};
FX_NODISCARD struct fx_error *
fx_replacement_read_function(const struct fx_replacement_function *function,
	const struct fx_pattern *pattern, const struct fx_graph *like,
	struct fx_replacement **ret);
void fx_replacement_free(struct fx_replacement *replacement);
FX_DEFINE_CLEANUP(replacement, struct fx_replacement, fx_replacement_free);
#define FX_AUTO_REPLACEMENT FX_AUTO(replacement)

/* Whether it makes layers that have parameters or buffers. */
bool fx_replacement_has_tensors(const struct fx_replacement *replacement);

struct fx_rewrite *fx_rewrite_new(struct fx_graph *graph,
	const struct fx_replacement *replacement);
void fx_rewrite_free(struct fx_rewrite *rewrite);
FX_DEFINE_CLEANUP(rewrite, struct fx_rewrite, fx_rewrite_free);
#define FX_AUTO_REWRITE FX_AUTO(rewrite)

/* FILL gives each new module its numbers before it is put at PATH. */
typedef struct fx_error *fx_rewrite_fill_fn(void *context,
	struct fx_module *module, const char *path);
void fx_rewrite_set_fill(struct fx_rewrite *rewrite, fx_rewrite_fill_fn *fill,
	void *context);

/* COUNT places will be rewritten, about. */
void fx_rewrite_reserve(struct fx_rewrite *rewrite, size_t count);

/* Put the replacement where the match VALUES stands (ir/match.h).  The first
 * node of each output hands its name on.  As fx_edit_create; NO_NAME for an
 * attribute that a layer does not have.
 */
FX_NODISCARD struct fx_error *fx_rewrite_apply(struct fx_rewrite *rewrite,
	const struct fx_value *values);

#endif /* FX_IR_REWRITE_H */
