/* fold_sequence.c - Python's sequences: length, subscripts, iteration, + and *.
 */
#include <config.h>

#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "ir/fold_private.h"
#include "ir/size.h"
#include "ir/tensor_meta.h"
#include "ir/value_text.h"

static struct fx_error *
too_long(void)
{
	return fx_error_new(FX_ERR_LIMIT,
		"a sequence would have more than %d items", FX_FOLD_ITEM_LIMIT);
}

static struct fx_value
join_texts(struct fx_arena *arena, const struct fx_value *a,
	const struct fx_value *b)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };

	fx_buf_add_n(&text, a->text, a->count);
	fx_buf_add_n(&text, b->text, b->count);
	return a->kind == FX_VALUE_STRING
		       ? fx_value_string_n(arena, fx_buf_text(&text),
				 text.length)
		       : fx_value_bytes(arena, fx_buf_text(&text), text.length);
}

bool
fx_fold_concat(struct fx_arena *arena, const struct fx_value *a,
	const struct fx_value *b, struct fx_value *ret, struct fx_error **err)
{
	bool are_texts =
		(a->kind == FX_VALUE_STRING || a->kind == FX_VALUE_BYTES) &&
		a->kind == b->kind;
	bool are_lists = a->kind == FX_VALUE_LIST && b->kind == FX_VALUE_LIST;
	struct fx_value *items;

	if (!are_texts && !are_lists &&
		!(fx_fold_is_tuple(a) && fx_fold_is_tuple(b)))
		return false;
	if ((uint64_t)a->count + b->count > FX_FOLD_ITEM_LIMIT) {
		*err = too_long();
		return true;
	}
	if (are_texts) {
		*ret = join_texts(arena, a, b);
		return true;
	}
	items = FX_ARENA_ARRAY(arena, struct fx_value,
		(size_t)a->count + b->count);
	for (uint32_t i = 0; i < a->count; i++)
		items[i] = a->items[i];
	for (uint32_t i = 0; i < b->count; i++)
		items[a->count + i] = b->items[i];
	*ret = fx_value_sequence(arena, (enum fx_value_kind)a->kind, items,
		(size_t)a->count + b->count);
	return true;
}

static struct fx_value
repeat_text(struct fx_arena *arena, const struct fx_value *text, int64_t times)
{
	FX_AUTO_BUF struct fx_buf all = { 0 };

	for (int64_t i = 0; i < times; i++)
		fx_buf_add_n(&all, text->text, text->count);
	return text->kind == FX_VALUE_STRING
		       ? fx_value_string_n(arena, fx_buf_text(&all), all.length)
		       : fx_value_bytes(arena, fx_buf_text(&all), all.length);
}

bool
fx_fold_repeat(struct fx_arena *arena, const struct fx_value *a,
	const struct fx_value *b, struct fx_value *ret, struct fx_error **err)
{
	bool is_text;
	fx_wide times;
	struct fx_value *items;

	if (!fx_value_is_sequence(a) && a->kind != FX_VALUE_STRING &&
		a->kind != FX_VALUE_BYTES) {
		const struct fx_value *swapped = a;

		a = b;
		b = swapped;
	}
	is_text = a->kind == FX_VALUE_STRING || a->kind == FX_VALUE_BYTES;
	if (!is_text && !fx_value_is_sequence(a))
		return false;
	if (b->kind == FX_VALUE_SYMBOL || b->kind == FX_VALUE_UNKNOWN) {
		*ret = fx_fold_unknown("a sequence of unknown length");
		return true;
	}
	if (b->kind == FX_VALUE_BIGINT)
		times = *b->text == '-' ? -1 : INT64_MAX;
	else if (!fx_fold_wide(b, &times))
		return false;
	times = times < 0 || a->count == 0 ? 0 : times;
	if (times > 0 && times > FX_FOLD_ITEM_LIMIT / a->count) {
		*err = too_long();
		return true;
	}
	if (is_text) {
		*ret = repeat_text(arena, a, (int64_t)times);
		return true;
	}
	items = FX_ARENA_ARRAY(arena, struct fx_value,
		a->count * (size_t)times);
	for (size_t i = 0; i < a->count * (size_t)times; i++)
		items[i] = a->items[i % a->count];
	*ret = fx_value_sequence(arena, (enum fx_value_kind)a->kind, items,
		a->count * (size_t)times);
	return true;
}

static bool
begins_character(char c)
{
	return ((unsigned char)c & 0xc0) != 0x80;
}

/* The number of code points of a STRING. */
static int64_t
string_length(const struct fx_value *value)
{
	int64_t length = 0;

	for (uint32_t i = 0; i < value->count; i++)
		length += begins_character(value->text[i]);
	return length;
}

/* Where each of the LENGTH code points of STRING begins, and its end. */
static const uint32_t *
character_starts(struct fx_arena *arena, const struct fx_value *string,
	size_t length)
{
	uint32_t *starts = FX_ARENA_ARRAY(arena, uint32_t, length + 1);
	size_t at = 0;

	for (uint32_t i = 0; i < string->count; i++)
		if (begins_character(string->text[i]))
			starts[at++] = i;
	starts[at] = string->count;
	return starts;
}

bool
fx_fold_range_length(const struct fx_value *range, int64_t *ret)
{
	fx_wide start;
	fx_wide stop;
	fx_wide step;
	fx_wide length = 0;

	if (!fx_fold_wide(&range->items[0], &start) ||
		!fx_fold_wide(&range->items[1], &stop) ||
		!fx_fold_wide(&range->items[2], &step) || step == 0)
		return false;
	if (step > 0 && stop > start)
		length = (stop - start + step - 1) / step;
	else if (step < 0 && start > stop)
		length = (start - stop - step - 1) / -step;
	*ret = (int64_t)FX_MIN(length, INT64_MAX);
	return true;
}

/* range(N) and range(0, N) have N numbers (a size is not negative). */
static struct fx_value
symbolic_range_length(struct fx_arena *arena, const struct fx_value *range)
{
	const struct fx_value *step = &range->items[2];

	if (step->kind != FX_VALUE_INT || step->integer <= 0)
		return fx_fold_some("int");
	return fx_size_max(arena, fx_value_int(0),
		fx_size_floordiv(arena,
			fx_size_add(arena,
				fx_size_sub(arena, range->items[1],
					range->items[0]),
				fx_value_int(step->integer - 1)),
			*step));
}

struct fx_error *
fx_fold_length(struct fx_arena *arena, const struct fx_value *value,
	struct fx_value *ret)
{
	int64_t length;

	switch ((enum fx_value_kind)value->kind) {
	case FX_VALUE_STRING:
		*ret = fx_value_int(string_length(value));
		return NULL;
	case FX_VALUE_BYTES:
	case FX_VALUE_TUPLE:
	case FX_VALUE_LIST:
	case FX_VALUE_SIZE:
	case FX_VALUE_DICT:
	case FX_VALUE_NAMEDTUPLE:
		*ret = fx_value_int(value->count);
		return NULL;
	case FX_VALUE_RANGE:
		*ret = fx_fold_range_length(value, &length)
			       ? fx_value_int(length)
			       : symbolic_range_length(arena, value);
		return NULL;
	case FX_VALUE_TENSOR:
		if (value->tensor->has_shape && value->tensor->rank == 0)
			return fx_error_new(FX_ERR_TYPE,
				"len() of a tensor without dimensions");
		*ret = value->tensor->has_shape ? value->tensor->sizes[0]
						: fx_fold_some("int");
		return NULL;
	case FX_VALUE_UNKNOWN:
		*ret = fx_fold_some("int");
		return NULL;
	default:
		return fx_error_new(FX_ERR_TYPE, "a \"%s\" has no len()",
			fx_value_kind_name(value->kind));
	}
}

/* An int of a slice, clamped to what any length can matter. */
static struct fx_error *
slice_part(const struct fx_value *part, int64_t absent, int64_t *ret)
{
	const int64_t far = INT64_MAX / 4;
	fx_wide number;

	if (part->kind == FX_VALUE_NONE) {
		*ret = absent;
		return NULL;
	}
	if (part->kind == FX_VALUE_BIGINT) {
		*ret = part->text[0] == '-' ? -far : far;
		return NULL;
	}
	if (!fx_fold_wide(part, &number))
		return fx_error_new(FX_ERR_TYPE,
			"slice indices must be integers or None, not \"%s\"",
			fx_value_kind_name(part->kind));
	*ret = number > far ? far : number < -far ? -far : (int64_t)number;
	return NULL;
}

static int64_t
clamp(int64_t number, int64_t low, int64_t high)
{
	return number < low ? low : number > high ? high : number;
}

struct fx_error *
fx_fold_slice_range(const struct fx_value *slice, int64_t length,
	struct fx_slice_range *ret)
{
	const int64_t absent = INT64_MIN;
	int64_t step;
	int64_t start = 0;
	int64_t stop = 0;
	struct fx_error *err = slice_part(&slice->items[2], 1, &step);
	int64_t low;
	int64_t high;

	if (!err)
		err = slice_part(&slice->items[0], absent, &start);
	if (!err)
		err = slice_part(&slice->items[1], absent, &stop);
	if (err)
		return err;
	if (step == 0)
		return fx_error_new(FX_ERR_VALUE,
			"the step of a slice cannot be zero");
	low = step > 0 ? 0 : -1;
	high = step > 0 ? length : length - 1;
	if (start == absent)
		start = step > 0 ? low : high;
	else
		start = clamp(start < 0 ? start + length : start, low, high);
	if (stop == absent)
		stop = step > 0 ? high : low;
	else
		stop = clamp(stop < 0 ? stop + length : stop, low, high);
	ret->start = start;
	ret->step = step;
	ret->count =
		step > 0 ? (stop > start ? (stop - start - 1) / step + 1 : 0)
			 : (start > stop ? (start - stop - 1) / -step + 1 : 0);
	return NULL;
}

static struct fx_error *
out_of_range(const struct fx_value *index, int64_t length, const char *what)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };

	fx_value_print_as(&text, index, FX_STYLE_CODE);
	return fx_error_new(FX_ERR_RANGE,
		"index %s is out of range: the %s has %lld items",
		fx_buf_text(&text), what, (long long)length);
}

/* INDEX counted from the front; RANGE when it is outside LENGTH. */
static struct fx_error *
place(const struct fx_value *index, int64_t length, const char *what,
	int64_t *ret)
{
	fx_wide number;

	if (!fx_fold_wide(index, &number))
		return fx_error_new(FX_ERR_TYPE,
			"%s indices must be integers or slices, not \"%s\"",
			what, fx_value_kind_name(index->kind));
	if (number < -(fx_wide)length || number >= length)
		return out_of_range(index, length, what);
	*ret = (int64_t)(number < 0 ? number + length : number);
	return NULL;
}

static struct fx_error *
slice_sequence(struct fx_arena *arena, const struct fx_value *value,
	const struct fx_value *slice, struct fx_value *ret)
{
	struct fx_slice_range range;
	struct fx_value *items;
	struct fx_error *err = fx_fold_slice_range(slice, value->count, &range);

	if (err)
		return err;
	items = FX_ARENA_ARRAY(arena, struct fx_value, (size_t)range.count);
	for (int64_t i = 0; i < range.count; i++)
		items[i] = value->items[range.start + i * range.step];
	*ret = fx_value_sequence(arena, (enum fx_value_kind)value->kind, items,
		(size_t)range.count);
	return NULL;
}

/* The INDEXth code point of STRING as a string. */
static struct fx_value
character(struct fx_arena *arena, const struct fx_value *string, int64_t index)
{
	const char *text = string->text;
	const char *end = text + string->count;
	size_t size = 1;

	for (; text < end; text++)
		if (begins_character(*text) && index-- == 0)
			break;
	while (text + size < end && !begins_character(text[size]))
		size++;
	return fx_value_string_n(arena, text, size);
}

static struct fx_error *
slice_string(struct fx_arena *arena, const struct fx_value *string,
	const struct fx_value *slice, struct fx_value *ret)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };
	int64_t length = string_length(string);
	const uint32_t *starts;
	struct fx_slice_range range;
	struct fx_error *err = fx_fold_slice_range(slice, length, &range);

	if (err)
		return err;
	starts = character_starts(arena, string, (size_t)length);
	for (int64_t i = 0; i < range.count; i++) {
		const uint32_t *one = starts + range.start + i * range.step;

		fx_buf_add_n(&text, string->text + one[0], one[1] - one[0]);
	}
	*ret = fx_value_string_n(arena, fx_buf_text(&text), text.length);
	return NULL;
}

static struct fx_error *
dict_item(const struct fx_value *dict, const struct fx_value *key,
	struct fx_value *ret)
{
	for (uint32_t i = 0; i < dict->count; i++) {
		enum fx_tristate equal =
			fx_fold_equal(&dict->items[2 * i], key);

		if (equal == FX_FALSE)
			continue;
		*ret = equal == FX_TRUE
			       ? dict->items[2 * i + 1]
			       : fx_fold_unknown("a key that is not known");
		return NULL;
	}
	if (key->kind == FX_VALUE_STRING)
		return fx_error_new(FX_ERR_RANGE, "the dict has no key \"%s\"",
			key->text);
	return fx_error_new(FX_ERR_RANGE, "the dict has no such key");
}

static struct fx_error *
range_item(struct fx_arena *arena, const struct fx_value *range,
	const struct fx_value *index, struct fx_value *ret)
{
	int64_t length;
	int64_t at;
	struct fx_error *err;

	if (!fx_fold_range_length(range, &length) ||
		index->kind == FX_VALUE_SLICE) {
		*ret = fx_fold_unknown("a part of a range");
		return NULL;
	}
	err = place(index, length, "range", &at);
	if (err)
		return err;
	*ret = fx_size_add(arena, range->items[0],
		fx_size_mul(arena, range->items[2], fx_value_int(at)));
	return NULL;
}

static struct fx_error *
sequence_item(struct fx_arena *arena, const struct fx_value *value,
	const struct fx_value *index, struct fx_value *ret)
{
	const char *what = fx_value_kind_name(value->kind);
	int64_t at;
	struct fx_error *err;

	if (index->kind == FX_VALUE_SLICE)
		return slice_sequence(arena, value, index, ret);
	err = place(index, value->count, what, &at);
	if (!err)
		*ret = value->items[at];
	return err;
}

/* Of a text: strings of a character, or the numbers that bytes are. */
static struct fx_error *
iterate_text(struct fx_arena *arena, const struct fx_value *text,
	const struct fx_value **items_ret, size_t *count_ret)
{
	bool is_bytes = text->kind == FX_VALUE_BYTES;
	size_t count = is_bytes ? text->count : (size_t)string_length(text);
	const uint32_t *starts;
	struct fx_value *items;

	if (count > FX_FOLD_ITEM_LIMIT)
		return too_long();
	starts = is_bytes ? NULL : character_starts(arena, text, count);
	items = FX_ARENA_ARRAY(arena, struct fx_value, count);
	for (size_t i = 0; i < count; i++)
		items[i] = is_bytes ? fx_value_int((unsigned char)text->text[i])
				    : fx_value_string_n(arena,
					      text->text + starts[i],
					      starts[i + 1] - starts[i]);
	*items_ret = items;
	*count_ret = count;
	return NULL;
}

/* A number, or bytes again for a slice. */
static struct fx_error *
bytes_item(struct fx_arena *arena, const struct fx_value *bytes,
	const struct fx_value *index, struct fx_value *ret)
{
	FX_AUTO_BUF struct fx_buf part = { 0 };
	struct fx_value numbers = { .kind = FX_VALUE_LIST };
	size_t count;
	struct fx_error *err =
		iterate_text(arena, bytes, &numbers.items, &count);

	numbers.count = (uint32_t)count;
	if (!err)
		err = sequence_item(arena, &numbers, index, ret);
	if (err || ret->kind != FX_VALUE_LIST)
		return err;
	for (size_t i = 0; i < ret->count; i++)
		fx_buf_add_char(&part, (char)ret->items[i].integer);
	*ret = fx_value_bytes(arena, fx_buf_text(&part), part.length);
	return NULL;
}

struct fx_error *
fx_fold_subscript(struct fx_arena *arena, const struct fx_value *value,
	const struct fx_value *index, struct fx_value *ret)
{
	bool has_unknown = fx_fold_has(index, FX_VALUE_UNKNOWN) ||
			   fx_fold_has(index, FX_VALUE_SYMBOL);
	int64_t at;
	struct fx_error *err;

	if (value->kind == FX_VALUE_TENSOR || value->kind == FX_VALUE_HELD)
		return fx_error_new(FX_ERR_UNSUPPORTED,
			"a subscript of a tensor needs a backend");
	if (value->kind == FX_VALUE_DICT)
		return dict_item(value, index, ret);
	if (value->kind == FX_VALUE_UNKNOWN || has_unknown) {
		*ret = value->kind == FX_VALUE_UNKNOWN
			       ? *value
			       : fx_fold_unknown("an index that is not known");
		return NULL;
	}
	if (fx_value_is_sequence(value))
		return sequence_item(arena, value, index, ret);
	if (value->kind == FX_VALUE_NAMEDTUPLE) {
		struct fx_value fields = fx_fold_fields(value);

		return sequence_item(arena, &fields, index, ret);
	}
	if (value->kind == FX_VALUE_RANGE)
		return range_item(arena, value, index, ret);
	if (value->kind == FX_VALUE_BYTES)
		return bytes_item(arena, value, index, ret);
	if (value->kind != FX_VALUE_STRING)
		return fx_error_new(FX_ERR_TYPE,
			"a \"%s\" cannot be subscripted",
			fx_value_kind_name(value->kind));
	if (index->kind == FX_VALUE_SLICE)
		return slice_string(arena, value, index, ret);
	err = place(index, string_length(value), "str", &at);
	if (!err)
		*ret = character(arena, value, at);
	return err;
}

static struct fx_error *
iterate_range(struct fx_arena *arena, const struct fx_value *range,
	const struct fx_value **items_ret, size_t *count_ret)
{
	struct fx_value *items;
	int64_t length;

	if (!fx_fold_range_length(range, &length))
		return fx_error_new(FX_ERR_UNSUPPORTED,
			"the length of the range is not known");
	if (length > FX_FOLD_ITEM_LIMIT)
		return too_long();
	items = FX_ARENA_ARRAY(arena, struct fx_value, (size_t)length);
	for (int64_t i = 0; i < length; i++)
		items[i] = fx_size_add(arena, range->items[0],
			fx_size_mul(arena, range->items[2], fx_value_int(i)));
	*items_ret = items;
	*count_ret = (size_t)length;
	return NULL;
}

struct fx_error *
fx_fold_iterate(struct fx_arena *arena, const struct fx_value *value,
	const struct fx_value **items_ret, size_t *count_ret)
{
	struct fx_value *items;
	size_t count = value->count;

	if (fx_value_is_sequence(value) || value->kind == FX_VALUE_NAMEDTUPLE) {
		*items_ret =
			value->items + (value->kind == FX_VALUE_NAMEDTUPLE);
		*count_ret = count;
		return NULL;
	}
	if (value->kind == FX_VALUE_RANGE)
		return iterate_range(arena, value, items_ret, count_ret);
	if (value->kind == FX_VALUE_STRING || value->kind == FX_VALUE_BYTES)
		return iterate_text(arena, value, items_ret, count_ret);
	if (value->kind == FX_VALUE_TENSOR || value->kind == FX_VALUE_HELD)
		return fx_error_hint(fx_error_new(FX_ERR_UNSUPPORTED,
					     "the rows of a tensor are not "
					     "gone through one by one"),
			"torch.sum, torch.amax and their like take all of it");
	if (value->kind == FX_VALUE_UNKNOWN)
		return fx_error_new(FX_ERR_UNSUPPORTED,
			"what is iterated over is not known");
	if (value->kind != FX_VALUE_DICT)
		return fx_error_new(FX_ERR_TYPE,
			"a \"%s\" cannot be iterated over",
			fx_value_kind_name(value->kind));
	items = FX_ARENA_ARRAY(arena, struct fx_value, count);
	for (size_t i = 0; i < count; i++)
		items[i] = value->items[2 * i];
	*items_ret = items;
	*count_ret = count;
	return NULL;
}
