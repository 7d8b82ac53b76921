/* hash_bytes.c - graphs as bytes, for digests. */
#include <config.h>

#include "ir/hash_bytes.h"

#include <endian.h>
#include <math.h>
#include <string.h>

#include "base/buf.h"
#include "base/compiler.h"
#include "base/dtype.h"
#include "base/intern.h"
#include "ir/node.h"
#include "ir/size.h"
#include "ir/tensor_meta.h"

/* A letter a kind, so that digests outlive changes of the enumeration. */
static const char letters[] = {
	[FX_VALUE_NONE] = 'N',
	[FX_VALUE_BOOL] = 'b',
	[FX_VALUE_INT] = 'i',
	[FX_VALUE_BIGINT] = 'I',
	[FX_VALUE_FLOAT] = 'f',
	[FX_VALUE_COMPLEX] = 'c',
	[FX_VALUE_STRING] = 's',
	[FX_VALUE_BYTES] = 'B',
	[FX_VALUE_ELLIPSIS] = '.',
	[FX_VALUE_DTYPE] = 't',
	[FX_VALUE_DEVICE] = 'd',
	[FX_VALUE_LAYOUT] = 'l',
	[FX_VALUE_MEMORY_FORMAT] = 'm',
	[FX_VALUE_NODE] = '%',
	[FX_VALUE_SLICE] = ':',
	[FX_VALUE_TUPLE] = '(',
	[FX_VALUE_LIST] = '[',
	[FX_VALUE_DICT] = '{',
	[FX_VALUE_RANGE] = 'r',
	[FX_VALUE_SIZE] = 'S',
	[FX_VALUE_NAMEDTUPLE] = 'n',
	[FX_VALUE_FUNCTION] = 'F',
	[FX_VALUE_OPAQUE] = 'o',
	[FX_VALUE_TENSOR] = 'T',
	[FX_VALUE_SYMBOL] = 'y',
	[FX_VALUE_UNKNOWN] = '?',
	[FX_VALUE_NODE_ID] = '@',
	[FX_VALUE_HELD] = 'h',
};
_Static_assert(sizeof(letters) == FX_VALUE_KIND_COUNT, "a letter a kind");

void
fx_hash_put_byte(struct fx_buf *out, unsigned byte)
{
	fx_buf_add_char(out, (char)byte);
}

void
fx_hash_put_word(struct fx_buf *out, uint64_t word)
{
	uint64_t little = htole64(word);

	fx_buf_add_n(out, (const char *)&little, sizeof(little));
}

static void
put_bytes(struct fx_buf *out, const char *bytes, size_t size)
{
	fx_hash_put_word(out, (uint64_t)size + 1);
	fx_buf_add_n(out, bytes, size);
}

void
fx_hash_put_text(struct fx_buf *out, const char *text)
{
	if (text)
		put_bytes(out, text, strlen(text));
	else
		fx_hash_put_word(out, 0);
}

void
fx_hash_put_interned(struct fx_buf *out, const char *text)
{
	if (text)
		put_bytes(out, text, fx_intern_length(text));
	else
		fx_hash_put_word(out, 0);
}

/* One NaN for all. */
static void
put_double(struct fx_buf *out, double real)
{
	uint64_t word;

	memcpy(&word, &real, sizeof(word));
	if (isnan(real))
		word = UINT64_C(0x7ff8000000000000);
	fx_hash_put_word(out, word);
}

static void
put_items(struct fx_buf *out, const struct fx_value *items, size_t count,
	bool as_text)
{
	fx_hash_put_word(out, count);
	for (size_t i = 0; i < count; i++)
		fx_hash_put_value(out, &items[i], as_text);
}

static void
put_tensor(struct fx_buf *out, const struct fx_tensor_meta *meta)
{
	fx_hash_put_text(out, fx_dtype_info(meta->dtype)->name);
	fx_hash_put_byte(out, meta->has_shape);
	put_items(out, meta->sizes, meta->rank, false);
	if (meta->strides)
		put_items(out, meta->strides, meta->rank, false);
	fx_hash_put_text(out, meta->device);
}

static void
put_symbol(struct fx_buf *out, const struct fx_value *value)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };

	fx_size_print(&text, *value);
	put_bytes(out, fx_buf_text(&text), text.length);
}

static void
put_payload(struct fx_buf *out, const struct fx_value *value, bool as_text)
{
	switch ((enum fx_value_kind)value->kind) {
	case FX_VALUE_NONE:
	case FX_VALUE_ELLIPSIS:
	case FX_VALUE_NODE_ID:
	case FX_VALUE_HELD:
	case FX_VALUE_KIND_COUNT:
		break;
	case FX_VALUE_BOOL:
		fx_hash_put_byte(out, value->truth);
		break;
	case FX_VALUE_INT:
		fx_hash_put_word(out, (uint64_t)value->integer);
		break;
	case FX_VALUE_DTYPE:
		/* By name: numbers may change between versions. */
		fx_hash_put_text(out,
			fx_dtype_info((enum fx_dtype)value->integer)->name);
		break;
	case FX_VALUE_FLOAT:
		put_double(out, value->real);
		break;
	case FX_VALUE_COMPLEX:
		put_double(out, value->pair[0]);
		put_double(out, value->pair[1]);
		break;
	case FX_VALUE_STRING:
	case FX_VALUE_BYTES:
		put_bytes(out, value->text, value->count);
		break;
	case FX_VALUE_BIGINT:
	case FX_VALUE_DEVICE:
	case FX_VALUE_LAYOUT:
	case FX_VALUE_MEMORY_FORMAT:
	case FX_VALUE_FUNCTION:
	case FX_VALUE_OPAQUE:
		fx_hash_put_text(out, value->text);
		break;
	case FX_VALUE_UNKNOWN:
		fx_hash_put_text(out, fx_value_why(value));
		break;
	case FX_VALUE_NODE:
		fx_hash_put_interned(out, value->node->name);
		break;
	case FX_VALUE_SLICE:
	case FX_VALUE_TUPLE:
	case FX_VALUE_LIST:
	case FX_VALUE_DICT:
	case FX_VALUE_RANGE:
	case FX_VALUE_SIZE:
	case FX_VALUE_NAMEDTUPLE:
		put_items(out, value->items, fx_value_item_count(value),
			as_text);
		break;
	case FX_VALUE_TENSOR:
		put_tensor(out, value->tensor);
		break;
	case FX_VALUE_SYMBOL:
		put_symbol(out, value);
		break;
	}
}

void
fx_hash_put_value(struct fx_buf *out, const struct fx_value *value,
	bool as_text)
{
	unsigned kind = value->kind;

	if (as_text && kind == FX_VALUE_SIZE)
		kind = FX_VALUE_TUPLE;
	fx_hash_put_byte(out, (unsigned char)letters[kind]);
	put_payload(out, value, as_text);
}
