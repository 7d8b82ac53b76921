/* cause.h - from a wrong element back to what made it so.
 *
 * The walk goes from a node to the one among its inputs that run/probe.h names,
 * through views, writes in place and layers, to the first that is wrong though
 * all above it is right, to a parameter, an input or a constant.
 */
#ifndef FX_RUN_CAUSE_H
#define FX_RUN_CAUSE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/vec.h"
#include "run/probe.h"

struct fx_formula;
struct fx_pairs;

enum fx_cause_role {
	FX_CAUSE_PASSES,    /* wrong as what it is given is */
	FX_CAUSE_MAKES,     /* NaN, of infinities */
	FX_CAUSE_PRODUCES,  /* though all it is given is right */
	FX_CAUSE_PARAMETER, /* of the module, or a buffer: wrong itself */
	FX_CAUSE_INPUT,
	FX_CAUSE_CONSTANT, /* a value that stands in the graph */
	FX_CAUSE_BLAMED,   /* finite, but to blame for what was produced */
	FX_CAUSE_LEADS,    /* to blame as what it comes from is */
	FX_CAUSE_LOST,     /* called again it gives something else */
	FX_CAUSE_UNASKED,  /* it cannot be asked: too large, or it crashes */
};
/* "passes", "produces" ...: as JSON has it. */
const char *fx_cause_role_name(enum fx_cause_role role);
struct fx_cause_step;
/* Whether STEP lies on the way, and is not what is to blame at its end. */
bool fx_cause_is_way(const struct fx_cause_step *step);

/* One element on the way. */
struct fx_cause_step {
	enum fx_cause_role role;
	struct fx_node *node; /* of a graph that the user sees, or the one
			       * called there, inside of which it lies */
	bool is_inside;       /* of what a layer is made of */
	bool is_written;      /* what it wrote in place */
	const char *name;     /* "fc", "conv1.weight"; interned */
	const char *call;     /* what it calls, or NULL; interned */
	char *index;          /* "[0,711]" */
	char *value;          /* "-inf" */
	char *wanted;         /* what the reference has, or NULL */
	char *among;          /* explained: all that are gone through, "[:,0]",
			       * with the first of them; or NULL */
	double number[2];     /* the value */
	const char *argument; /* BLAMED: the parameter of the operation that
			       * it is given as, or NULL; interned */
	size_t turn;          /* of the loop that NODE's graph is of, or 0 */
	size_t together;      /* PASSES, MAKES: with this many others */
	bool is_more;         /* and more of them; BLAMED: a whole set */
};

struct fx_cause {
	FX_VEC(struct fx_cause_step) steps; /* the wrong one first */
	int op;               /* enum fx_op that produced it; NONE: not known */
	char *detail;         /* why, as far as it can be told, or NULL */
	struct fx_node *mate; /* DIFFERS: what stands for the producer in the
			       * reference, as long as that is there */
	bool is_given_other;  /* DIFFERS: what the producer is given is not the
			       * same there, but that makes no difference */
	bool is_rounded;      /* the same: is, as far as half a float goes */
	bool is_set;          /* explained: set by hand, by no formula */
	bool is_constant;     /* explained: no element goes into it */
	size_t calls;         /* of single operations */
	const struct fx_formula *formula; /* explained: that of OP, or NULL */
	uint64_t terms; /* explained: that one element is made of, or 0 */
};
void fx_cause_deinit(struct fx_cause *cause);
FX_DEFINE_DEINIT(cause, struct fx_cause, fx_cause_deinit);
#define FX_AUTO_CAUSE FX_AUTO(cause)

/* What was found stands, whatever cannot be asked beyond it: ERR_TAKEN is
 * passed on only if the user ended the search.
 */
FX_NODISCARD struct fx_error *
fx_cause_only_interrupt(struct fx_error *err_taken);

struct fx_cause_question {
	struct fx_spot spot; /* an element of the value that NODE has where the
			      * replays stand */
	enum fx_fault fault;
	double rtol;
	bool is_widened; /* the reference is the same in another dtype */
	const struct fx_pairs *pairs; /* of the two graphs, or NULL */
	/* Whether the user set the value of a node; may be NULL. */
	bool (*is_set)(void *context, const struct fx_node *node);
	void *context;
};
/* *RET is empty before, and has what was found so far on an error. */
FX_NODISCARD struct fx_error *
fx_cause_find(const struct fx_cause_question *question, struct fx_cause *ret);
/* The element itself, as the only step: nothing is wrong with it.  As the
 * others, it frees the replays of the spot down to the outermost.
 */
FX_NODISCARD struct fx_error *
fx_cause_look(const struct fx_cause_question *question, struct fx_cause *ret);

/* The element, and then the operands of the formula of its operation, inside of
 * a layer too: steps with an ARGUMENT; constants have no name.  None where no
 * formula is known, or it needs many elements.
 */
FX_NODISCARD struct fx_error *
fx_cause_explain(const struct fx_cause_question *question,
	struct fx_cause *ret);

#endif /* FX_RUN_CAUSE_H */
