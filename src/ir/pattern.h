/* pattern.h - what is looked for in graphs: a graph with names for inputs.
 *
 * `torch.relu(x + y)`: what is called is an operation, every other bare name
 * stands for a node or a plain value, the same name twice for the same, `_` for
 * anything, `...` as the last argument for all that is not said.  `nn.Conv2d(x,
 * stride=(1, 1))` and `nn.Conv2d(stride=(1, 1))(x)` are a called layer by class
 * and what is said of its configuration; self.fc(x) and self.w are the module
 * and the parameter at a path.  Statements may give parts a name: `c =
 * nn.Conv2d(x); nn.BatchNorm2d(c)`; a tuple at the end is several outputs.
 */
#ifndef FX_IR_PATTERN_H
#define FX_IR_PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "ir/graph.h"

struct fx_ast;
struct fx_pattern;

enum fx_pattern_how {
	/* Exactly what torch.fx's SubgraphMatcher matches: targets and the way
	 * arguments are written as they are, different names for different
	 * nodes.
	 */
	FX_PATTERN_TORCH = 1,
	/* It is 1.13's: lists in lists are no other than longer lists. */
	FX_PATTERN_TORCH_1 = 2,
};

/* Read TEXT, an expression or statements separated by semicolons. */
FX_NODISCARD struct fx_error *fx_pattern_read(const char *text, unsigned how,
	struct fx_pattern **ret);
/* Read FUNCTION, a FUNCTION tree of TEXT, whose parameters are the names. */
FX_NODISCARD struct fx_error *fx_pattern_read_function(const char *text,
	const struct fx_ast *function, unsigned how, struct fx_pattern **ret);
void fx_pattern_free(struct fx_pattern *pattern);
FX_DEFINE_CLEANUP(pattern, struct fx_pattern, fx_pattern_free);
#define FX_AUTO_PATTERN FX_AUTO(pattern)

/* Slots: from 1 to count - 1.  The slot that the pattern calls NAME, or 0. */
size_t fx_pattern_slot_count(const struct fx_pattern *pattern);
size_t fx_pattern_slot(const struct fx_pattern *pattern, const char *name);
/* The name of SLOT, interned, or NULL. */
const char *fx_pattern_name(const struct fx_pattern *pattern, size_t slot);
/* Whether SLOT is a name for what the pattern reads, not an operation of it. */
bool fx_pattern_is_input(const struct fx_pattern *pattern, size_t slot);
/* The slot of output INDEX, in the order they are given; 0 past the end. */
size_t fx_pattern_output(const struct fx_pattern *pattern, size_t index);
/* The INDEXth operation, inputs first; 0 past the end. */
size_t fx_pattern_operation(const struct fx_pattern *pattern, size_t index);

#endif /* FX_IR_PATTERN_H */
