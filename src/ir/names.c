/* names.c - unique names, by torch.fx's rules.
 *
 * torch.fx 1.13 probes from the candidate's number upwards for every name,
 * which makes a chain of one operation quadratic.  Here each candidate
 * remembers where its last probe ended: all numbers before that are taken, so
 * the result is the same and a chain is linear.  Newer versions of torch.fx
 * remember the last number of each base name instead, whoever has it, and begin
 * behind that: the numbers are others where names bring numbers of their own.
 *
 * Numbers of more than eighteen digits are kept as part of the base name, and
 * letters outside ASCII count as neither upper nor lower case.
 */
#include <config.h>

#include "ir/names.h"

#include <string.h>

#include "base/buf.h"
#include "base/compiler.h"
#include "base/intern.h"
#include "base/str.h"
#include "ops/dialect.h"

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool
is_lower(char c)
{
	return c >= 'a' && c <= 'z';
}

static bool
is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

void
fx_names_deinit(struct fx_names *names)
{
	fx_map_deinit(&names->taken);
	fx_map_deinit(&names->hints);
}

void
fx_names_set_version(struct fx_names *names, unsigned version)
{
	names->keeps_zeros =
		fx_dialect_is_newer(version, FX_DIALECT_KEEPS_ZEROS);
	names->counts_bases =
		fx_dialect_is_newer(version, FX_DIALECT_COUNTS_BASES);
	names->counts_numbered =
		fx_dialect_is_newer(version, FX_DIALECT_COUNTS_NUMBERED);
}

void
fx_names_set_like(struct fx_names *names, const struct fx_names *like)
{
	names->keeps_zeros = like->keeps_zeros;
	names->counts_bases = like->counts_bases;
	names->counts_numbered = like->counts_numbered;
}

/* What Python's __name__ is for the function TARGET: what stands after the
 * last dot, but OP.OVERLOAD for torch.ops.NAMESPACE.OP.OVERLOAD.
 */
static const char *
function_name(const char *target)
{
	const char *last = strrchr(target, '.');
	const char *operator_name = NULL;
	int dots = 0;

	if (!last)
		return target;
	if (!fx_str_starts(target, "torch.ops."))
		return last + 1;
	for (const char *at = target; *at; at++)
		if (*at == '.' && ++dots == 3)
			operator_name = at + 1;
	return dots >= 4 ? operator_name : last + 1;
}

/* Drop the underscores of a name like __add__. */
static void
strip_dunder(const char **text, size_t *length)
{
	if (*length < 4 || strncmp(*text, "__", 2) != 0 ||
		strncmp(*text + *length - 2, "__", 2) != 0)
		return;
	*text += 2;
	*length -= 4;
}

/* Most names are shorter than this; longer names are built in a buffer. */
#define SHORT_NAME 256

/* TEXT in snake case to OUT, which has room for twice as much; the length. */
static size_t
write_snake_case(char *out, const char *text, size_t length)
{
	size_t at = 0;

	for (size_t i = 0; i < length; i++) {
		bool upper = is_upper(text[i]);

		if (upper && i > 0 && is_lower(text[i - 1]))
			out[at++] = '_';
		out[at++] = upper ? (char)(text[i] - 'A' + 'a') : text[i];
	}
	return at;
}

static const char *
snake_case(const char *text, size_t length)
{
	FX_AUTO_BUF struct fx_buf buf = { 0 };
	char few[SHORT_NAME];

	if (length <= sizeof(few) / 2)
		return fx_intern_n(few, write_snake_case(few, text, length));
	fx_buf_reserve(&buf, 2 * length);
	return fx_intern_n(buf.data, write_snake_case(buf.data, text, length));
}

const char *
fx_names_candidate(enum fx_opcode opcode, const char *target)
{
	bool is_function = opcode == FX_OPCODE_CALL_FUNCTION;
	const char *name = is_function ? function_name(target) : target;
	size_t length = strlen(name);

	if (!is_function)
		strip_dunder(&name, &length);
	return snake_case(name, length);
}

/* Append CANDIDATE with each run of foreign characters as one underscore, and
 * no digit first.
 */
static void
clean(struct fx_buf *buf, const char *candidate)
{
	bool in_run = false;
	char *out;

	if (!*candidate)
		fx_buf_add(buf, "_unnamed"); /* as torch 2 */
	if (is_digit(*candidate))
		fx_buf_add_char(buf, '_');
	fx_buf_reserve(buf, strlen(candidate));
	out = buf->data + buf->length;
	for (const char *at = candidate; *at; at++) {
		bool good = is_digit(*at) || is_lower(*at) || is_upper(*at) ||
			    *at == '_';

		if (good || !in_run)
			*out++ = good ? *at : '_';
		in_run = !good;
	}
	*out = '\0';
	buf->length = (size_t)(out - buf->data);
}

/* A candidate taken apart: BASE_NUMBER, or BASE alone. */
struct candidate {
	const char *whole; /* interned, as it is when it is free */
	size_t base_length;
	uint64_t number;
	bool is_numbered;
};

static struct candidate
split(const char *text, bool keeps_zeros)
{
	FX_AUTO_BUF struct fx_buf buf = { 0 };
	struct candidate c = { 0 };
	size_t end;
	size_t at;

	clean(&buf, text);
	end = at = buf.length;
	while (at > 0 && is_digit(buf.data[at - 1]))
		at--;
	c.base_length = end;
	if (at < end && at > 0 && buf.data[at - 1] == '_') {
		size_t first = at;

		while (first + 1 < end && buf.data[first] == '0')
			first++;
		if (end - first <= 18) {
			c.base_length = at - 1;
			c.is_numbered = true;
			for (size_t i = first; i < end; i++)
				c.number = 10 * c.number +
					   (uint64_t)(buf.data[i] - '0');
			if (!keeps_zeros) {
				fx_buf_truncate(&buf, at);
				fx_buf_add_int(&buf, (long long)c.number);
			}
		}
	}
	c.whole = fx_intern_n(fx_buf_text(&buf), buf.length);
	return c;
}

bool
fx_names_is_everywhere(const char *name)
{
	static const char *const everywhere[] = { "inf", "nan", "NoneType",
		"torch", "device", "fx_pytree", "pytree" };

	for (size_t i = 0; i < FX_ARRAY_LEN(everywhere); i++)
		if (strcmp(everywhere[i], name) == 0)
			return true;
	return false;
}

bool
fx_names_is_reserved(const char *name)
{
	/* Most names have a digit, and no word of Python's has one. */
	return !strpbrk(name, "0123456789") &&
	       (fx_names_is_everywhere(name) || fx_str_is_keyword(name));
}

bool
fx_names_is_illegal(const char *name)
{
	return fx_names_is_reserved(name) ||
	       (!strpbrk(name, "0123456789") && fx_str_is_builtin(name));
}

bool
fx_names_is_taken(const struct fx_names *names, const char *name)
{
	const char *interned = fx_intern_find(name);

	return interned && fx_map_has(&names->taken, (uintptr_t)interned);
}

/* Under which name the next number for C is remembered. */
static const char *
hint_key(const struct fx_names *names, const struct candidate *c)
{
	return names->counts_bases && c->is_numbered
		       ? fx_intern_n(c->whole, c->base_length)
		       : c->whole;
}

/* The first number to try for C, whose name KEY is. */
static uint64_t
first_number(const struct fx_names *names, const struct candidate *c,
	const char *key)
{
	uint64_t initial = c->number + 1;

	if (names->counts_bases && c->is_numbered) {
		if (!names->counts_numbered)
			return initial;
		initial = 1;
	}
	return fx_map_get(&names->hints, (uintptr_t)key, (uintptr_t)initial);
}

/* The first free name for C; *NUMBER_RET is its number. */
static const char *
probe(const struct fx_names *names, const struct candidate *c, const char *key,
	uint64_t *number_ret)
{
	FX_AUTO_BUF struct fx_buf buf = { 0 };
	uint64_t number;
	const char *name;

	*number_ret = c->number;
	if (!fx_map_has(&names->taken, (uintptr_t)c->whole) &&
		!fx_names_is_illegal(c->whole))
		return c->whole;
	number = first_number(names, c, key);
	fx_buf_add_n(&buf, c->whole, c->base_length);
	fx_buf_add_char(&buf, '_');
	for (;; number++) {
		fx_buf_truncate(&buf, c->base_length + 1);
		fx_buf_add_int(&buf, (long long)number);
		name = fx_intern_n(buf.data, buf.length);
		if (!fx_map_has(&names->taken, (uintptr_t)name))
			break;
	}
	*number_ret = number;
	return name;
}

const char *
fx_names_create(struct fx_names *names, const char *candidate)
{
	return fx_names_create_undoable(names, candidate, NULL);
}

const char *
fx_names_create_undoable(struct fx_names *names, const char *candidate,
	struct fx_names_undo *undo_ret)
{
	struct candidate c = split(candidate, names->keeps_zeros);
	const char *key = hint_key(names, &c);
	uint64_t number;
	const char *name = probe(names, &c, key, &number);

	if (undo_ret) {
		undo_ret->candidate = key;
		undo_ret->hint = fx_map_get(&names->hints, (uintptr_t)key, 0);
	}
	if (name != c.whole || (names->counts_bases && c.is_numbered))
		fx_map_set(&names->hints, (uintptr_t)key, number + 1);
	fx_map_set(&names->taken, (uintptr_t)name, 1);
	return name;
}

void
fx_names_swap_hint(struct fx_names *names, struct fx_names_undo *undo)
{
	uintptr_t key = (uintptr_t)undo->candidate;
	uintptr_t now;

	if (!key)
		return;
	now = fx_map_get(&names->hints, key, 0);
	if (undo->hint)
		fx_map_set(&names->hints, key, undo->hint);
	else
		fx_map_erase(&names->hints, key);
	undo->hint = now;
}

void
fx_names_count(struct fx_names *names, const char *name,
	struct fx_names_undo *undo_ret)
{
	struct candidate c;

	if (!names->counts_bases)
		return;
	c = split(name, names->keeps_zeros);
	if (!c.is_numbered)
		return;
	undo_ret->candidate = hint_key(names, &c);
	undo_ret->hint =
		fx_map_get(&names->hints, (uintptr_t)undo_ret->candidate, 0);
	fx_map_set(&names->hints, (uintptr_t)undo_ret->candidate, c.number + 1);
}

bool
fx_names_take(struct fx_names *names, const char *name)
{
	uintptr_t key = (uintptr_t)fx_intern(name);
	struct fx_names_undo undo;

	if (fx_map_has(&names->taken, key))
		return false;
	fx_names_count(names, name, &undo);
	return fx_map_set(&names->taken, key, 1);
}
