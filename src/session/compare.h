/* compare.h - where the values of two graphs part, node by node.
 *
 * Both run once, as trials, on one shared input: the session's, or one made up
 * by its seed.  Nodes are paired as ir/pair.h has it.  The session's run, its
 * generator and its values are as before.
 */
#ifndef FX_SESSION_COMPARE_H
#define FX_SESSION_COMPARE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/cleanup.h"
#include "base/dtype.h"
#include "base/error.h"
#include "run/difference.h"
#include "run/emulate.h"

struct fx_graph;
struct fx_model;
struct fx_node;
struct fx_session;

struct fx_compare_options {
	/* Of the floats of the second one, or of the only one; NONE: its own.
	 */
	enum fx_dtype dtype;
	const char
		*arrays; /* a .npz file in the place of the second, or NULL */
	double rtol;     /* how far apart is not parted */
	struct fx_graph *before; /* the first one, borrowed; NULL: the model's
				  * graph */
};

struct fx_compare_row {
	struct fx_node *node;  /* of the first graph */
	struct fx_node *other; /* of the second; NULL: an array of the file */
	struct fx_gap gap;
	double cosine; /* of all elements; NaN where there are none */
	double sqnr;   /* in decibels; infinite where nothing differs */
	bool has_parted;
};

#define FX_COMPARE_NONE SIZE_MAX

struct fx_comparison {
	struct fx_compare_row *rows; /* in the order of the second graph */
	size_t count;
	size_t parted;         /* how many have */
	size_t first;          /* that has; NONE: none has */
	size_t largest;        /* by the relative gap */
	size_t dies;           /* the first after FIRST that has not, though an
				* input has; NONE */
	size_t unpaired;       /* nodes of either graph, or arrays missing */
	struct fx_error *left; /* why the second stopped, or NULL */
	char *inputs;          /* lines: those that the second had otherwise */
	/* What had no kernel in the dtype that was asked for. */
	struct fx_emulation emulation;
	size_t executed[2];
};
void fx_comparison_deinit(struct fx_comparison *comparison);
FX_DEFINE_DEINIT(comparison, struct fx_comparison, fx_comparison_deinit);
#define FX_AUTO_COMPARISON FX_AUTO(comparison)

/* Compare MODEL's graph with GRAPH (NULL with arrays, where MODEL's runs in the
 * dtype that is asked for).  An operator that has no kernel for f16 or bf16 is
 * computed in f32 (run/emulate.h).  What keeps the first
 * from running is an error: NOT_KNOWN without values, NO_INPUT, also for one
 * that the second has alone, LIMIT beyond
 * the memory, INTERRUPTED.  Nodes of *RET are those of the two graphs.
 */
FX_NODISCARD struct fx_error *fx_compare_graphs(struct fx_session *session,
	struct fx_model *model, struct fx_graph *graph,
	const struct fx_compare_options *options, struct fx_comparison *ret);

#endif /* FX_SESSION_COMPARE_H */
