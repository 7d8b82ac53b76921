/* probe.h - which elements of what a node is given decide one that it gives.
 *
 * No rule for any operation: the node is called again with elements replaced,
 * and what becomes of the one in question is the answer.  Halving the set takes
 * some twenty calls for a million elements; a first guess, the element at the
 * same place, often spares them.
 */
#ifndef FX_RUN_PROBE_H
#define FX_RUN_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/vec.h"
#include "run/env.h"
#include "run/values.h"

struct fx_backend;
struct fx_blob;
struct fx_datum;
struct fx_node;
struct fx_replay;

/* What is wrong with an element. */
enum fx_fault {
	FX_FAULT_NAN,
	FX_FAULT_NONFINITE, /* an infinity, or NaN */
	FX_FAULT_FALSE,     /* a truth that is not */
	FX_FAULT_DIFFERS,   /* from what a reference has there */
	FX_FAULT_CHANGES,   /* from what it is: to see what it depends on */
	FX_FAULT_HUGE,      /* so large that its square overflows */
};

/* One element of a tensor that a node gives, and that of a reference run. */
struct fx_spot {
	struct fx_replay *replay; /* stands before NODE or later */
	struct fx_node *node;
	struct fx_node *written; /* it is of this input of NODE, which NODE
				  * wrote in place; NULL: of the result */
	size_t number;           /* of the tensors there */
	uint64_t element;
	struct fx_replay *other; /* the reference, or NULL */
	struct fx_node *mate;    /* NODE there */
	double value[2];         /* real, imaginary */
	double wanted[2];        /* in the reference */
	double scale;            /* the largest value there */
};

/* A tensor among what a node is given. */
struct fx_leaf {
	struct fx_node *node;    /* that gave it, an input of the one asked */
	size_t number;           /* of the tensors there */
	struct fx_datum *tensor; /* borrowed */
	struct fx_extent extent;
	size_t size;            /* of an element */
	struct fx_node *mate;   /* NODE's in the reference, or NULL */
	struct fx_blob *bytes;  /* its elements */
	struct fx_blob *others; /* what may stand for them */
	/* DIFFERS: the reference's tensor, if it has another dtype; OTHERS are
	 * as near as this one comes.  Borrowed.
	 */
	const struct fx_datum *cast;
	double scale;   /* of the reference */
	uint64_t first; /* the number of its first among all */
};

struct fx_probe {
	struct fx_spot spot;
	enum fx_fault fault;
	double rtol;  /* times the scale: DIFFERS only beyond */
	double limit; /* HUGE beyond it */
	double step;  /* from one half precision number to the next */
	FX_VEC(struct fx_leaf) leaves;
	uint64_t total; /* elements of those with OTHERS */
	FX_VEC(uint64_t) candidates;
	bool lacks_reference; /* a leaf has none: it may be what differs */
	size_t calls;
	struct fx_env env; /* of the call that is made */
	bool is_bad;       /* what it came to */
	bool is_seeing;    /* the first call: what the element is */
};

/* All leaves of SPOT's node, before which both replays stand. */
FX_NODISCARD struct fx_error *fx_probe_init(struct fx_probe *probe,
	const struct fx_spot *spot, enum fx_fault fault, double rtol);
void fx_probe_deinit(struct fx_probe *probe);
FX_DEFINE_DEINIT(probe, struct fx_probe, fx_probe_deinit);
#define FX_AUTO_PROBE FX_AUTO(probe)

enum fx_probe_answer {
	FX_PROBE_GONE,     /* called again, it is not wrong */
	FX_PROBE_FOLLOWS,  /* from elements that are wrong themselves */
	FX_PROBE_PRODUCED, /* here, whatever is wrong above */
};
/* Elements that together make it so; more than these if IS_MORE. */
#define FX_PROBE_TOGETHER 3
struct fx_probe_finding {
	enum fx_probe_answer answer;
	uint64_t elements[FX_PROBE_TOGETHER];
	size_t count;
	bool is_more;
};
/* Whether the wrong element follows from wrong ones, and which. */
FX_NODISCARD struct fx_error *fx_probe_follow(struct fx_probe *probe,
	struct fx_probe_finding *ret);
/* Elements, finite ones, without one of which it would not be wrong; several:
 * any of them.  With IS_MORE only a whole set does: its first.
 */
FX_NODISCARD struct fx_error *fx_probe_culprit(struct fx_probe *probe,
	struct fx_probe_finding *ret);
/* The only element that it depends on; COUNT 0: there is none, 2: several. */
FX_NODISCARD struct fx_error *fx_probe_only(struct fx_probe *probe,
	struct fx_probe_finding *ret);

/* The leaf in which ELEMENT, a number among all, lies, and where there. */
const struct fx_leaf *fx_probe_leaf(const struct fx_probe *probe,
	uint64_t element, uint64_t *index_ret);
/* DIFFERS: whether anything that it is given is not the same there. */
bool fx_probe_is_given_other(const struct fx_probe *probe);
/* Of the first leaf that has another dtype in the reference, the element at the
 * place of the one asked about; false: there is no such leaf.
 */
bool fx_probe_cast(const struct fx_probe *probe, uint64_t *element_ret);

/* Tensor NUMBER in DATUM, borrowed, or NULL. */
struct fx_datum *fx_datum_tensor_at(const struct fx_datum *datum,
	size_t number);
/* Whether a number is wrong as FAULT has it, of NAN and NONFINITE. */
bool fx_fault_holds(enum fx_fault fault, const double number[2]);
/* DATUM with 1 in the place of all that is not finite, a copy of BACKEND's. */
FX_NODISCARD struct fx_error *fx_datum_make_finite(struct fx_backend *backend,
	struct fx_datum *datum, struct fx_datum **ret);
/* The element that SPOT has the number of, in what NODE gave in REPLAY as that
 * stands.  NO_VALUE when there is none.
 */
FX_NODISCARD struct fx_error *fx_spot_read(const struct fx_replay *replay,
	const struct fx_node *node, const struct fx_spot *spot, double ret[2]);
/* Whether the value of SPOT is not what is wanted, beyond RTOL of its scale. */
bool fx_spot_differs(const struct fx_spot *spot, double rtol);

#endif /* FX_RUN_PROBE_H */
