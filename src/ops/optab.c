/* optab.c - the table of operations, and finding rows by name.
 *
 * Spellings are found through a hash table that is filled from ops.def at the
 * first question; its keys point into the string literals of the rows, so it
 * owns nothing.
 */
#include <config.h>

#include "ops/optab.h"

#include <string.h>

#include "base/compiler.h"
#include "base/hash.h"

#define PURE       FX_OP_PURE
#define COMMUTES   FX_OP_COMMUTES
#define MUTATES    FX_OP_MUTATES
#define RANDOM     FX_OP_RANDOM
#define ASSERTS    FX_OP_ASSERTS
#define VIEW       FX_OP_VIEW
#define EFFECT     FX_OP_EFFECT
#define DATA       FX_OP_DATA
#define MATRICES   FX_OP_MATRICES
#define MARKS      FX_OP_MARKS
#define WORLD      FX_OP_WORLD
#define BRANCHES   FX_OP_BRANCHES
#define LOOPS      FX_OP_LOOPS
#define CALLS      FX_OP_CALLS
#define DROPS      FX_OP_DROPS
#define IDEMPOTENT FX_OP_IDEMPOTENT
#define INVOLUTION FX_OP_INVOLUTION
#define FILLS      FX_OP_FILLS
#define KEPT       FX_OP_KEPT
#define FUSED      FX_OP_FUSED
#define TELLS_NAN  FX_OP_TELLS_NAN
#define CASTS      FX_OP_CASTS
#define BOUNDED    FX_OP_BOUNDED
#define SAMPLES    FX_OP_SAMPLES
#define LONE_VIEW  FX_OP_LONE_VIEW

static const struct fx_op_info optab[] = {
	[FX_OP_NONE] = { "", "", "", "", 0, "none" },
#define FX_OP(id, spelling, aliases, family, signature, traits, shape) \
	[FX_OP_##id] = { spelling, aliases, family, signature, traits, #shape },
#include "ops/ops.def"
};

_Static_assert(FX_ARRAY_LEN(optab) == FX_OP_COUNT, "an op has no row");

/* A power of two well above the number of spellings. */
#define SLOT_COUNT 4096

struct slot {
	const char *text; /* not terminated; NULL: empty */
	uint16_t length;
	uint16_t op;
};

/* One of the listed globals: filled once, never freed. */
static struct slot op_slots[SLOT_COUNT];
static bool op_slots_filled;

static struct slot *
slot_of(const char *text, size_t length)
{
	size_t at = fx_hash_quick(text, length) % SLOT_COUNT;

	while (op_slots[at].text &&
		(op_slots[at].length != length ||
			memcmp(op_slots[at].text, text, length) != 0))
		at = (at + 1) % SLOT_COUNT;
	return &op_slots[at];
}

static void
add_spelling(const char *text, size_t length, enum fx_op op)
{
	struct slot *slot = slot_of(text, length);

	if (!slot->text)
		*slot = (struct slot){ text, (uint16_t)length, (uint16_t)op };
}

static void
add_row(enum fx_op op)
{
	const char *alias = optab[op].aliases;

	add_spelling(optab[op].spelling, strlen(optab[op].spelling), op);
	while (*alias) {
		size_t length = strcspn(alias, " ");

		add_spelling(alias, length, op);
		alias += length;
		alias += strspn(alias, " ");
	}
}

static enum fx_op
find_n(const char *text, size_t length)
{
	if (!op_slots_filled) {
		for (int op = FX_OP_NONE + 1; op < FX_OP_COUNT; op++)
			add_row((enum fx_op)op);
		op_slots_filled = true;
	}
	return (enum fx_op)slot_of(text, length)->op;
}

/* Beginnings that mean another beginning: how people shorten names and how
 * Python itself reports them.
 */
static const struct {
	const char *written;
	const char *meant;
} prefixes[] = {
	{ "F.", "torch.nn.functional." },
	{ "nn.functional.", "torch.nn.functional." },
	{ "_operator.", "operator." },
	{ "torch.Tensor.", "Tensor." },
	{ "torch._tensor.Tensor.", "Tensor." },
	{ "torch._C._TensorBase.", "Tensor." },
	{ "torch._C._VariableFunctions.", "torch." },
	{ "torch._C._special.special_", "torch.special." },
	{ "torch._C._linalg.linalg_", "torch.linalg." },
	{ "aten.", "torch.ops.aten." },
	{ "prims.", "torch.ops.prims." },
};

static enum fx_op
find_joined(const char *head, const char *tail)
{
	char text[256];
	size_t head_length = strlen(head);
	size_t tail_length = strlen(tail);

	if (head_length + tail_length > sizeof(text))
		return FX_OP_NONE;
	memcpy(text, head, head_length);
	memcpy(text + head_length, tail, tail_length);
	return find_n(text, head_length + tail_length);
}

const struct fx_op_info *
fx_op_info(enum fx_op op)
{
	return &optab[(unsigned)op < FX_OP_COUNT ? op : FX_OP_NONE];
}

enum fx_op
fx_op_find(const char *name)
{
	enum fx_op op;

	if (!name || !*name)
		return FX_OP_NONE;
	op = find_n(name, strlen(name));
	for (size_t i = 0; !op && i < FX_ARRAY_LEN(prefixes); i++) {
		size_t length = strlen(prefixes[i].written);

		if (strncmp(name, prefixes[i].written, length) == 0)
			op = find_joined(prefixes[i].meant, name + length);
	}
	/* An operator without its overload means the plain one. */
	if (!op && strncmp(name, "torch.ops.", 10) == 0)
		op = find_joined(name, ".default");
	return op;
}

enum fx_op
fx_op_of_target(enum fx_opcode opcode, const char *target)
{
	if (!target)
		return FX_OP_NONE;
	if (opcode == FX_OPCODE_CALL_FUNCTION)
		return fx_op_find(target);
	if (opcode == FX_OPCODE_CALL_METHOD)
		return find_joined("Tensor.", target);
	return FX_OP_NONE;
}

/* Python's precedences, from `or` (1) to subscripts (14). */
enum {
	COMPARISON = 4,
	BITOR,
	BITXOR,
	BITAND,
	SHIFT,
	SUM,
	PRODUCT,
	UNARY,
	POWER,
	SUBSCRIPT = 14,
};

#define BINARY(name, symbol, precedence) \
	{ \
		"operator." name, "{0} " symbol " {1}", false, precedence \
	}
#define PREFIX(name, symbol) \
	{ \
		"operator." name, symbol "{0}", false, UNARY \
	}
#define IN_PLACE(name, symbol) \
	{ \
		"operator." name, "{0} " symbol "= {1}", true, 0 \
	}

static const struct fx_infix infixes[] = {
	BINARY("add", "+", SUM),
	BINARY("sub", "-", SUM),
	BINARY("mul", "*", PRODUCT),
	BINARY("floordiv", "//", PRODUCT),
	BINARY("truediv", "/", PRODUCT),
	BINARY("div", "/", PRODUCT),
	BINARY("mod", "%", PRODUCT),
	BINARY("pow", "**", POWER),
	BINARY("lshift", "<<", SHIFT),
	BINARY("rshift", ">>", SHIFT),
	BINARY("and_", "&", BITAND),
	BINARY("or_", "|", BITOR),
	BINARY("xor", "^", BITXOR),
	{ "operator.getitem", "{0}[{1}]", false, SUBSCRIPT },
	BINARY("matmul", "@", PRODUCT),
	BINARY("eq", "==", COMPARISON),
	BINARY("ne", "!=", COMPARISON),
	BINARY("lt", "<", COMPARISON),
	BINARY("gt", ">", COMPARISON),
	BINARY("le", "<=", COMPARISON),
	BINARY("ge", ">=", COMPARISON),
	PREFIX("pos", "+"),
	PREFIX("neg", "-"),
	PREFIX("invert", "~"),
	IN_PLACE("iadd", "+"),
	IN_PLACE("iand", "&"),
	IN_PLACE("ifloordiv", "//"),
	IN_PLACE("ilshift", "<<"),
	IN_PLACE("imod", "%"),
	IN_PLACE("imul", "*"),
	IN_PLACE("imatmul", "@"),
	IN_PLACE("ior", "|"),
	IN_PLACE("ipow", "**"),
	IN_PLACE("irshift", ">>"),
	IN_PLACE("isub", "-"),
	IN_PLACE("itruediv", "/"),
	IN_PLACE("ixor", "^"),
	{ "operator.setitem", "{0}[{1}] = {2}", true, 0 },
};

const struct fx_infix *
fx_infix_find(const char *target)
{
	if (!target)
		return NULL;
	if (strncmp(target, "_operator.", 10) == 0)
		target++;
	if (strncmp(target, "operator.", 9) != 0)
		return NULL;
	for (size_t i = 0; i < FX_ARRAY_LEN(infixes); i++)
		if (strcmp(infixes[i].target + 9, target + 9) == 0)
			return &infixes[i];
	return NULL;
}
