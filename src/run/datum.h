/* datum.h - what running yields: a counted runtime value.
 *
 * A plain thing is an fx_value, and so is a container: one whose leaves may be
 * HELD, which stand for other data: tensors, what a backend alone understands,
 * sets of nodes.  What Python does with values (ir/fold) and how they are
 * written is thus the same for arguments and for results.  Unlike an fx_value
 * that stands in a graph, a datum is kept for as long as somebody has a
 * reference to it.  Data are immutable.
 *
 * Numbers, bools and short texts lie in the datum itself, all else in one block
 * of memory.  A container made of others shares their items and keeps them.
 */
#ifndef FX_RUN_DATUM_H
#define FX_RUN_DATUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "ir/value.h"

struct fx_backend;
struct fx_stats;
struct fx_ticker;

enum fx_datum_kind {
	FX_DATUM_VALUE,
	FX_DATUM_TENSOR, /* backend, payload */
	FX_DATUM_HANDLE, /* backend, payload: something opaque it holds */
	FX_DATUM_NODES,  /* ids[0..count-1]: a set of nodes, graph order */
};

struct fx_datum {
	unsigned references;
	uint8_t kind;   /* enum fx_datum_kind */
	bool has_held;  /* VALUE: whether a leaf of it is HELD */
	uint32_t count; /* VALUE: of kept; NODES: of ids */
	/* What is to be asked about any datum: of a VALUE itself, with symbols
	 * and reasons why nothing is known as in metadata, nodes as NODE_ID;
	 * of others the datum as a HELD leaf.
	 */
	struct fx_value value;
	union {
		struct {
			void *memory; /* of value; owned, may be NULL */
			struct fx_arena *arena; /* of symbols, or NULL */
			struct fx_datum **kept; /* in memory; referenced */
		};
		struct {
			const struct fx_backend *backend;
			void *payload; /* released through the backend */
		};
		uint64_t *ids; /* owned */
		char text[24]; /* of a short VALUE */
	};
};

/* Of one that nobody shares any more. */
void fx_datum_free(struct fx_datum *datum);

/* Share and stop sharing; null is allowed for both. */
static inline struct fx_datum *
fx_datum_ref(struct fx_datum *datum)
{
	if (datum)
		datum->references++;
	return datum;
}

static inline void
fx_datum_unref(struct fx_datum *datum)
{
	if (datum && !--datum->references)
		fx_datum_free(datum);
}

FX_DEFINE_CLEANUP(datum, struct fx_datum, fx_datum_unref);
#define FX_AUTO_DATUM FX_AUTO(datum)

/* New data with one reference. */
struct fx_datum *fx_datum_none(void);
struct fx_datum *fx_datum_bool(bool truth);
struct fx_datum *fx_datum_int(int64_t integer);
struct fx_datum *fx_datum_float(double real);
struct fx_datum *fx_datum_string(const char *text, size_t length);
/* WHY may be NULL. */
struct fx_datum *fx_datum_unknown(const char *why);
/* KIND is TUPLE, LIST, SIZE, DICT (COUNT pairs) or SLICE (3 items).  ITEMS
 * are taken: the caller's references go into the datum; the array is copied.
 */
struct fx_datum *fx_datum_items_take(enum fx_value_kind kind,
	struct fx_datum *const *items_taken, size_t count);
/* PAYLOAD is taken and released by BACKEND. */
struct fx_datum *fx_datum_payload_take(enum fx_datum_kind kind,
	const struct fx_backend *backend, void *payload_taken);
struct fx_datum *fx_datum_node(uint64_t id);
struct fx_datum *fx_datum_nodes(const uint64_t *ids, size_t count);

/* A deep copy of VALUE.  NODE leaves become NODE_ID, TENSOR leaves tensors of
 * the meta backend; HELD leaves are shared.
 */
struct fx_datum *fx_datum_from_value(const struct fx_value *value);
/* PART, which lies in the value of WHOLE: what is HELD itself, else a datum
 * that shares WHOLE's memory.
 */
struct fx_datum *fx_datum_part(struct fx_datum *whole,
	const struct fx_value *part);
/* The datum that a HELD leaf stands for, borrowed; NULL for other values. */
static inline struct fx_datum *
fx_datum_held(const struct fx_value *value)
{
	return value->kind == FX_VALUE_HELD ? value->held : NULL;
}

/* The largest value that a person or a graph may make.  An item that stands in
 * the value twice counts twice.
 */
#define FX_DATUM_ITEM_LIMIT  ((size_t)1 << 22)
#define FX_DATUM_DEPTH_LIMIT 200
/* LIMIT when VALUE has more items or is nested deeper. */
FX_NODISCARD struct fx_error *fx_datum_check(const struct fx_value *value);
/* fx_datum_from_value of what was computed: LIMIT as above. */
FX_NODISCARD struct fx_error *fx_datum_of_value(const struct fx_value *value,
	struct fx_datum **ret);

/* DATUM, or VALUE, which may have HELD leaves, as metadata in ARENA that need
 * no datum: tensors as TENSOR (asked from their backend), node sets and handles
 * as OPAQUE text, strings interned.
 */
struct fx_value fx_datum_to_value(struct fx_arena *arena,
	const struct fx_datum *datum);

/* The tensor metadata of a TENSOR in ARENA, or NULL for anything else. */
const struct fx_tensor_meta *fx_datum_meta(struct fx_arena *arena,
	const struct fx_datum *datum);

static inline bool
fx_datum_is(const struct fx_datum *datum, enum fx_value_kind kind)
{
	return datum->value.kind == kind;
}

/* Set *RET to the number that VALUE is.  Returns false if VALUE is no bool, int
 * or float.
 */
bool fx_datum_number(const struct fx_value *value, double *ret);

/* True stops. */
typedef bool fx_datum_visit_fn(void *context, struct fx_datum *held);
/* Visit DATUM if it is no VALUE, else what is HELD in it; true if stopped. */
bool fx_datum_each_held(const struct fx_datum *datum, fx_datum_visit_fn *visit,
	void *context);
/* Replace what fx_datum_each_held visits: MAP gives a new reference.  *RET is
 * DATUM (referenced) where nothing changed.
 */
typedef struct fx_error *fx_datum_map_fn(void *context, struct fx_datum *held,
	struct fx_datum **ret);
FX_NODISCARD struct fx_error *fx_datum_map(struct fx_datum *datum,
	fx_datum_map_fn *map, void *context, struct fx_datum **ret);
/* Whether DATUM or an item of it (however deep) is a tensor. */
bool fx_datum_has_tensor(const struct fx_datum *datum);

/* Python's truth (fx_fold_truth); empty sets are false.  TYPE for tensors (on
 * the meta backend their values are not known) and what is not known.
 */
FX_NODISCARD struct fx_error *fx_datum_truth(const struct fx_datum *datum,
	bool *ret);

const char *fx_datum_kind_name(const struct fx_datum *datum);

/* How data are shown: FORMAT is what stood after the slash of the command: ""
 * (one line: tensors as their summary), "v" (values, as PyTorch prints them),
 * "s" (the shape only), "r" (Python's repr), "x" hexadecimal integers.  VALUE
 * for another letter; TYPE for values that are not known.  NAME gives the name
 * of a node id (may be NULL: "node 17").
 */
typedef const char *fx_datum_node_name_fn(void *context, uint64_t id);
/* Told of every tensor that is shown by its summary, in order; STATS (NULL:
 * values are not known) are borrowed for the call.
 */
typedef void fx_datum_tensor_fn(void *context, const struct fx_datum *tensor,
	const struct fx_stats *stats);
struct fx_datum_printer {
	const char *format;
	fx_datum_node_name_fn *node_name;
	void *context;
	size_t limit;  /* items shown of containers, also in all; 0: all */
	bool is_brief; /* tensors are their dtype and shape, "f32[2,3]" */
	bool is_ascii; /* no block characters */
	struct fx_ticker *ticker;   /* for summaries; may be NULL */
	fx_datum_tensor_fn *tensor; /* may be NULL */
	void *tensor_context;
};
FX_NODISCARD struct fx_error *fx_datum_print(struct fx_buf *out,
	const struct fx_datum *datum, const struct fx_datum_printer *printer);

#endif /* FX_RUN_DATUM_H */
