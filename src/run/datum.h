/* datum.h - what running yields: a counted runtime value.
 *
 * Unlike an fx_value, which stands in a graph and lies in an arena, a datum is
 * held for as long as somebody has a reference, and may hold what only a
 * backend understands: a tensor's payload.  Data are immutable once they are
 * shared; text is interned only where it is a name.
 */
#ifndef FX_RUN_DATUM_H
#define FX_RUN_DATUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "ir/value.h"

struct fx_arena;
struct fx_backend;
struct fx_buf;
struct fx_node;
struct fx_tensor_meta;
struct fx_ticker;

enum fx_datum_kind {
	FX_DATUM_NONE,
	FX_DATUM_BOOL,   /* truth */
	FX_DATUM_INT,    /* integer */
	FX_DATUM_FLOAT,  /* real */
	FX_DATUM_STRING, /* text, count bytes */
	FX_DATUM_BYTES,  /* text, count bytes */
	FX_DATUM_DTYPE,  /* integer: enum fx_dtype */
	FX_DATUM_DEVICE, /* text */
	FX_DATUM_SLICE,  /* items[0..2] */
	FX_DATUM_TUPLE,  /* items[0..count-1] */
	FX_DATUM_LIST,
	FX_DATUM_SIZE,    /* torch.Size */
	FX_DATUM_DICT,    /* items: key, value, ...; count pairs */
	FX_DATUM_PLAIN,   /* value: any other fx_value without nodes (complex,
			   * big int, range, layout, symbol, function...),
			   * in an arena of the datum's own */
	FX_DATUM_TENSOR,  /* backend, payload */
	FX_DATUM_HANDLE,  /* backend, payload: something opaque it holds */
	FX_DATUM_NODE,    /* ids[0]: a node, not its value */
	FX_DATUM_NODES,   /* ids[0..count-1]: a set of nodes, graph order */
	FX_DATUM_UNKNOWN, /* nothing is known of it; text may say why */
	FX_DATUM_KIND_COUNT
};

struct fx_datum {
	unsigned references;
	uint8_t kind; /* enum fx_datum_kind */
	size_t count;
	struct fx_arena *arena; /* PLAIN: what `value` lies in, or NULL */
	const struct fx_backend *backend; /* TENSOR, HANDLE */
	union {
		bool truth;
		int64_t integer;
		double real;
		char *text; /* owned; NUL-terminated; may be NULL for UNKNOWN */
		struct fx_datum **items; /* owned array, referenced */
		struct fx_value value;
		void *payload; /* the backend's, released through it */
		uint64_t *ids; /* owned */
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
struct fx_datum *fx_datum_items_take(enum fx_datum_kind kind,
	struct fx_datum *const *items_taken, size_t count);
/* PAYLOAD is taken and released by BACKEND. */
struct fx_datum *fx_datum_host_tensor_take(enum fx_datum_kind kind,
	const struct fx_backend *backend, void *payload_taken);
struct fx_datum *fx_datum_node(uint64_t id);
struct fx_datum *fx_datum_nodes(const uint64_t *ids, size_t count);

/* VALUE as a datum.  NODE leaves become NODE data, TENSOR leaves become
 * tensors of the meta backend, SYMBOLs stay symbols, UNKNOWN is UNKNOWN.
 */
struct fx_datum *fx_datum_from_value(const struct fx_value *value);

/* What a person or a graph may make, parts that stand in it several times
 * counted as often: walks over data and copies of them stay within bounds.
 */
#define FX_DATUM_ITEM_LIMIT  ((size_t)1 << 22)
#define FX_DATUM_DEPTH_LIMIT 200
/* LIMIT when DATUM, or VALUE, has more items or is nested deeper. */
FX_NODISCARD struct fx_error *fx_datum_check(const struct fx_datum *datum);
FX_NODISCARD struct fx_error *
fx_datum_check_value(const struct fx_value *value);
/* fx_datum_from_value of what was computed: LIMIT as above. */
FX_NODISCARD struct fx_error *fx_datum_of_value(const struct fx_value *value,
	struct fx_datum **ret);

/* DATUM as a value in ARENA: tensors as TENSOR metadata (asked from their
 * backend), node sets and handles as OPAQUE text.
 */
struct fx_value fx_datum_to_value(struct fx_arena *arena,
	const struct fx_datum *datum);

/* The tensor metadata of a TENSOR in ARENA, or NULL for anything else. */
const struct fx_tensor_meta *fx_datum_meta(struct fx_arena *arena,
	const struct fx_datum *datum);

/* What DATUM is worth when it is a bool, an int or a float; else false. */
bool fx_datum_number(const struct fx_datum *datum, double *ret);

/* Number of items in DATUM (for DICT twice the pairs), 0 for leaves. */
size_t fx_datum_item_count(const struct fx_datum *datum);
bool fx_datum_is_sequence(const struct fx_datum *datum);
/* Whether DATUM or an item of it (however deep) is a tensor. */
bool fx_datum_has_tensor(const struct fx_datum *datum);

/* Equality as Python's == would say for plain data (True == 1, 1 == 1.0,
 * a tuple is no list); tensors by identity of payload, nodes by id.
 */
bool fx_datum_equal(const struct fx_datum *a, const struct fx_datum *b);
/* Whether two containers, of whatever kinds, have equal items. */
bool fx_datum_equal_items(const struct fx_datum *a, const struct fx_datum *b);

/* Python's truth: 0, "", (), None and empty sets are false.  TYPE for tensors
 * (on the meta backend their values are not known) and UNKNOWN.
 */
FX_NODISCARD struct fx_error *fx_datum_truth(const struct fx_datum *datum,
	bool *ret);

/* "int", "tensor", "set of nodes". */
const char *fx_datum_kind_name(const struct fx_datum *datum);

/* How data are shown: FORMAT is what stood after the slash of the command: ""
 * (one line: tensors as their summary), "v" (values, as PyTorch prints them),
 * "s" (the shape only), "r" (Python's repr), "x" hexadecimal integers.  VALUE
 * for another letter; TYPE for values that are not known.  NAME gives the name
 * of a node id (may be NULL: "node 17").
 */
typedef const char *fx_datum_node_name_fn(void *context, uint64_t id);
struct fx_stats;
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
