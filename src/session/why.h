/* why.h - where a wrong value of a session's run comes from.
 *
 * The graph is run once more, aside, up to where the session stands, and the
 * walk of run/cause.h begins there.  The session's run, its values and its
 * generator are as before.
 */
#ifndef FX_SESSION_WHY_H
#define FX_SESSION_WHY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/dtype.h"
#include "base/error.h"
#include "run/cause.h"
#include "run/emulate.h"

struct fx_graph;
struct fx_model;
struct fx_node;
struct fx_session;

enum fx_why_target {
	FX_WHY_NAN,  /* of the output, else the first that was there */
	FX_WHY_INF,  /* the same; those that constants are do not count */
	FX_WHY_NODE, /* an element of NODE, or its worst */
};

struct fx_why_wish {
	enum fx_why_target target;
	struct fx_node *node;
	const int64_t *index; /* of COUNT numbers; of a tuple one more */
	size_t count;         /* 0: the worst element */
	size_t last;          /* of them the element's, if it is that plain */
	struct fx_graph *against; /* the reference, or NULL */
	enum fx_dtype dtype;      /* the reference is the same graph in it */
	const char *arrays;       /* .npz: it has what its nodes give */
	double rtol;              /* of the reference's largest element */
	bool is_as_made;          /* what NODE gave, before later writes */
};

struct fx_why {
	enum fx_fault fault;
	bool is_fine;          /* nothing is wrong with the element: ... */
	struct fx_cause cause; /* ... its first step alone */
	bool is_hidden;        /* the output does not show it */
	bool is_inf;           /* asked for NaN, found an infinity */
	/* With what CAUSE names mended, it is wrong still: from there.  Or, if
	 * IS_APART, of what came later and does not follow from CAUSE.
	 */
	struct fx_cause second;
	bool is_apart;
	size_t executed; /* nodes */
	/* What the reference in f16 or bf16 lacked kernels for. */
	struct fx_emulation emulation;
};
void fx_why_deinit(struct fx_why *why);
FX_DEFINE_DEINIT(why, struct fx_why, fx_why_deinit);
#define FX_AUTO_WHY FX_AUTO(why)

/* Whether WISH compares with something. */
bool fx_why_has_reference(const struct fx_why_wish *wish);

/* NOT_RUN, NOT_KNOWN without values, RANGE for no such element, NO_VALUE where
 * nothing is wrong anywhere, INTERRUPTED.
 */
FX_NODISCARD struct fx_error *fx_why_find(struct fx_session *session,
	struct fx_model *model, const struct fx_why_wish *wish,
	struct fx_why *ret);

/* An element, and the operands of its formula (fx_cause_explain). */
FX_NODISCARD struct fx_error *fx_why_explain(struct fx_session *session,
	struct fx_model *model, const struct fx_why_wish *wish,
	struct fx_cause *ret);

#endif /* FX_SESSION_WHY_H */
