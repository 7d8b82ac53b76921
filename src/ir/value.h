/* value.h - an argument as it stands in a graph, and what is known of a
 * result before it is computed.
 *
 * Sixteen bytes a leaf, immutable once made, in an arena (usually the graph's
 * value arena).  Strings and names are interned.  The last kinds occur only in
 * metadata (a node's `meta`, ir/tensor_meta.h, folding, shape rules) and data:
 * what a result will be, NODE leaves replaced.  One type for both: Python's
 * arithmetic on sizes, tuples and indices (ir/fold) is the same on both sides.
 */
#ifndef FX_IR_VALUE_H
#define FX_IR_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fx_arena;
struct fx_node;
struct fx_tensor_meta;
struct fx_size_expr;
struct fx_datum;

enum fx_value_kind {
	FX_VALUE_NONE,
	FX_VALUE_BOOL,    /* truth */
	FX_VALUE_INT,     /* integer */
	FX_VALUE_BIGINT,  /* text: decimal digits of an int beyond 64 bits */
	FX_VALUE_FLOAT,   /* real */
	FX_VALUE_COMPLEX, /* pair[0] + pair[1]j */
	FX_VALUE_STRING,  /* text, count bytes (UTF-8, may hold NULs) */
	FX_VALUE_BYTES,   /* text, count bytes */
	FX_VALUE_ELLIPSIS,
	FX_VALUE_DTYPE,         /* integer: enum fx_dtype */
	FX_VALUE_DEVICE,        /* text: "cpu", "cuda:0" */
	FX_VALUE_LAYOUT,        /* text: "strided", "sparse_coo" */
	FX_VALUE_MEMORY_FORMAT, /* text: "channels_last" */
	FX_VALUE_NODE,          /* node */
	FX_VALUE_SLICE,         /* items[0..2] */
	FX_VALUE_TUPLE,         /* items[0..count-1] */
	FX_VALUE_LIST,          /* items */
	FX_VALUE_DICT,          /* items: key, value, ...; count pairs */
	FX_VALUE_RANGE,         /* items[0..2]: start, stop, step */
	FX_VALUE_SIZE,          /* torch.Size: items */
	FX_VALUE_NAMEDTUPLE,    /* items[0] is a STRING, the qualified class
				 * name; then count fields in items[1..count] */
	FX_VALUE_FUNCTION, /* text: qualified name of a function or class */
	FX_VALUE_OPAQUE,   /* text: something only Python understands, as
			    * its repr */

	FX_VALUE_TENSOR,  /* tensor: dtype and shape; metadata only */
	FX_VALUE_SYMBOL,  /* symbol: a symbolic integer; metadata only */
	FX_VALUE_UNKNOWN, /* nothing is known; text may say why, or name the
			   * input that is to blame; ditto */

	FX_VALUE_NODE_ID, /* integer: a node, not its value; only in data */
	FX_VALUE_HELD,    /* held: what is no value; only in data */
	FX_VALUE_KIND_COUNT
};

struct fx_value {
	uint8_t kind;          /* enum fx_value_kind */
	bool is_input;         /* UNKNOWN: text is the name of a node */
	uint16_t class_number; /* in data: of ir/value_class.h; 0: none */
	uint32_t count;
	union {
		bool truth;
		int64_t integer;
		double real;
		const double *pair;
		const char *text;
		struct fx_node *node;
		const struct fx_value *items;
		const struct fx_tensor_meta *tensor;
		const struct fx_size_expr *symbol;
		struct fx_datum *held; /* of run/datum.h */
	};
};

_Static_assert(sizeof(struct fx_value) == 16, "a value has sixteen bytes");

/* Leaves. */
static inline struct fx_value
fx_value_none(void)
{
	return (struct fx_value){ .kind = FX_VALUE_NONE };
}

static inline struct fx_value
fx_value_bool(bool truth)
{
	return (struct fx_value){ .kind = FX_VALUE_BOOL, .truth = truth };
}

static inline struct fx_value
fx_value_int(int64_t integer)
{
	return (struct fx_value){ .kind = FX_VALUE_INT, .integer = integer };
}

static inline struct fx_value
fx_value_float(double real)
{
	return (struct fx_value){ .kind = FX_VALUE_FLOAT, .real = real };
}

static inline struct fx_value
fx_value_node(struct fx_node *node)
{
	return (struct fx_value){ .kind = FX_VALUE_NODE, .node = node };
}

/* Interns TEXT (NUL-terminated). */
struct fx_value fx_value_string(const char *text);
/* Copies LENGTH bytes into ARENA when they hold a NUL, else interns. */
struct fx_value fx_value_string_n(struct fx_arena *arena, const char *text,
	size_t length);
struct fx_value fx_value_bytes(struct fx_arena *arena, const char *bytes,
	size_t length);
struct fx_value fx_value_complex(struct fx_arena *arena, double real,
	double imag);
struct fx_value fx_value_dtype(int dtype);
/* Kinds whose payload is only a text: DEVICE LAYOUT MEMORY_FORMAT FUNCTION
 * OPAQUE BIGINT UNKNOWN.  Interns TEXT.
 */
struct fx_value fx_value_text(enum fx_value_kind kind, const char *text);
/* UNKNOWN because the node with NAME, interned, is.  In a graph of which
 * nothing is known each node has one of these: the sentence is made when it is
 * asked for.
 */
struct fx_value fx_value_unknown_input(const char *name);
/* Why UNKNOWN is so, as a sentence: "%x is not known"; interned, or NULL. */
const char *fx_value_why(const struct fx_value *unknown);

/* The text of an OPAQUE is its repr; of a member of an Enum, after a
 * FX_VALUE_PART each, also its str, where it is found ("" where code cannot say
 * so), and the plain value that it is: "<Dim.LAST: 1>", "1", "models:Dim.LAST",
 * "int 1".  Give one of these, its length in *LENGTH_RET, or NULL when VALUE
 * has no such part.
 */
#define FX_VALUE_PART '\x1f'
const char *fx_value_opaque_part(const struct fx_value *value, int which,
	size_t *length_ret);
/* The int or string that VALUE, a member of an Enum, is; else *VALUE. */
struct fx_value fx_value_plain(const struct fx_value *value);

/* Containers.  ITEMS are copied into ARENA (shallowly: their own items must
 * already live as long).  KIND is TUPLE, LIST or SIZE.
 */
struct fx_value fx_value_sequence(struct fx_arena *arena,
	enum fx_value_kind kind, const struct fx_value *items, size_t count);
/* COUNT pairs: 2 * COUNT items, key first. */
struct fx_value fx_value_dict(struct fx_arena *arena,
	const struct fx_value *items, size_t count);
struct fx_value fx_value_slice(struct fx_arena *arena, struct fx_value lower,
	struct fx_value upper, struct fx_value step);
struct fx_value fx_value_range(struct fx_arena *arena, struct fx_value start,
	struct fx_value stop, struct fx_value step);
struct fx_value fx_value_namedtuple(struct fx_arena *arena,
	const char *class_name, const struct fx_value *fields, size_t count);

/* Number of direct items (for DICT both keys and values, for SLICE and RANGE
 * 3, for NAMEDTUPLE the class name too); 0 for leaves.
 */
size_t fx_value_count_items(const struct fx_value *value);
static inline size_t
fx_value_item_count(const struct fx_value *value)
{
	bool has_items = value->kind >= FX_VALUE_SLICE &&
			 value->kind <= FX_VALUE_NAMEDTUPLE;

	return has_items ? fx_value_count_items(value) : 0;
}

static inline bool
fx_value_is_sequence(const struct fx_value *value)
{
	return value->kind == FX_VALUE_TUPLE || value->kind == FX_VALUE_LIST ||
	       value->kind == FX_VALUE_SIZE;
}

static inline bool
fx_value_is_string(const struct fx_value *value, const char *interned)
{
	return value->kind == FX_VALUE_STRING && value->text == interned;
}

/* The value of the STRING key KEY in DICT, or NULL. */
const struct fx_value *fx_value_dict_get(const struct fx_value *dict,
	const char *key);

/* Structural equality, as the text of both would be: types matter (1 is not
 * True, a list no tuple), NaN equals NaN, nodes by identity, tensors and
 * symbols by content.
 */
bool fx_value_equal(const struct fx_value *a, const struct fx_value *b);

/* A word for people: "int", "tuple", "node", "tensor". */
const char *fx_value_kind_name(enum fx_value_kind kind);

#endif /* FX_IR_VALUE_H */
