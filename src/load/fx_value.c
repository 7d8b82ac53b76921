/* fx_value.c - arguments of a listing.
 *
 * A reading is kept only if printing it gives the text again; else the text is
 * split at its commas into nodes and strings, which always prints the same.
 */
#include <config.h>

#include "load/fx_value.h"

#include <string.h>

#include "base/arena.h"
#include "base/intern.h"
#include "base/str.h"
#include "base/vec.h"
#include "emit/fx.h"
#include "ir/graph.h"
#include "ir/value_text.h"
#include "lang/ast.h"
#include "lang/parse.h"

/* Containers in containers are read to this depth. */
#define DEPTH 100
/* A key of a dict ends within so many bytes; each is looked for from its start.
 */
#define KEY_LIMIT 1000
/* Text that looks like a container is read a second time as text, and so is
 * text within it.  This many bytes may be read in vain in one listing.
 */
#define WASTE_LIMIT ((size_t)8 << 20)

/* A cursor in the text of the arguments. */
struct cursor {
	struct fx_listing *listing;
	const char *at;
	const char *end;
	int depth;
	bool is_kwargs; /* keys are names, no guesses */
};

static void read_value(struct cursor *cursor, const char *stops,
	struct fx_value *ret);

static bool
prints_as(const struct fx_value *value, const char *text, size_t length)
{
	FX_AUTO_BUF struct fx_buf out = { 0 };

	fx_value_print_as(&out, value, FX_STYLE_LISTING);
	return out.length == length && !memcmp(out.data, text, length);
}

size_t
fx_listing_name(const char *text)
{
	return strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvw"
			    "xyz0123456789_");
}

static size_t
name_length(const char *at, const char *end)
{
	return FX_MIN(fx_listing_name(at), (size_t)(end - at));
}

static bool
is_device(const char *text, size_t length)
{
	static const char *const types[] = { "cpu", "cuda", "mps", "meta",
		"xpu" };
	size_t i;

	for (i = 0; i < FX_ARRAY_LEN(types); i++) {
		size_t n = strlen(types[i]);

		if (length >= n && !strncmp(text, types[i], n) &&
			(length == n ||
				(text[n] == ':' && length > n + 1 &&
					strspn(text + n + 1, "0123456789") >=
						length - n - 1)))
			return true;
	}
	return false;
}

/* A literal, slice(...) or dtype.  False when it is none. */
static bool
parse_literal(struct fx_listing *listing, const char *text, size_t length,
	struct fx_value *ret)
{
	FX_AUTO_ARENA struct fx_arena *arena = NULL;
	bool with_nodes = length > 6 && !strncmp(text, "slice(", 6);
	struct fx_ast *tree;
	struct fx_error *err;

	if (length == 0 || length > 100000)
		return false;
	arena = fx_arena_new();
	err = fx_parse_expression(arena, text, length, FX_PARSE_PYTHON, &tree);
	if (!err) {
		const char *copy = fx_arena_strndup(arena, text, length);

		err = fx_value_from_ast(listing->graph->values,
			with_nodes ? listing->graph : NULL, copy, tree, ret);
	}
	if (err) {
		fx_error_free(err);
		return false;
	}
	return true;
}

static void
note_guess(struct fx_listing *listing, const char *text, size_t length)
{
	if (listing->guess_count++ >= 5)
		return;
	if (listing->guesses.length > 0)
		fx_buf_add(&listing->guesses, ", ");
	fx_str_python_repr(&listing->guesses, text, FX_MIN(length, (size_t)40));
}

static bool
may_be_literal(const char *text, size_t length)
{
	static const char *const words[] = { "None", "True", "False",
		"Ellipsis", "inf", "nan", "torch.", "slice(", "range(" };
	size_t i;

	if (length == 0)
		return false;
	if (strchr("-0123456789(", *text))
		return true;
	if (*text == 'b' && length > 2 && (text[1] == '\'' || text[1] == '"'))
		return true;
	for (i = 0; i < FX_ARRAY_LEN(words); i++)
		if (length >= strlen(words[i]) &&
			!strncmp(text, words[i], strlen(words[i])))
			return true;
	return false;
}

static void
read_atom(struct fx_listing *listing, const char *text, size_t length,
	struct fx_value *ret)
{
	if (may_be_literal(text, length) &&
		parse_literal(listing, text, length, ret) &&
		prints_as(ret, text, length))
		return;
	if (is_device(text, length)) {
		*ret = fx_value_text(FX_VALUE_DEVICE,
			fx_intern_n(text, length));
		if (prints_as(ret, text, length))
			return;
	}
	if (length > 2 && *text == '<' && text[length - 1] == '>') {
		*ret = fx_value_text(FX_VALUE_OPAQUE,
			fx_intern_n(text, length));
		if (prints_as(ret, text, length))
			return;
	}
	note_guess(listing, text, length);
	*ret = fx_value_string_n(listing->graph->values, text, length);
}

/* %name: a node above, or a string like "%d". */
static bool
read_node(struct cursor *cursor, const char *stops, struct fx_value *ret)
{
	const char *begin = cursor->at + 1;
	size_t length = name_length(begin, cursor->end);
	const char *after = begin + length;
	struct fx_node *node;
	const char *name;

	if (length == 0 || (after < cursor->end && !strchr(stops, *after)))
		return false;
	name = fx_intern_n(begin, length);
	node = fx_graph_find(cursor->listing->graph, name);
	if (!node) {
		if (length > 1 || !strchr("sdfrgi", *name))
			cursor->listing->missing = name;
		return false;
	}
	cursor->at = after;
	*ret = fx_value_node(node);
	return true;
}

/* Whether a value ends before AT.  A comma has a blank behind it, or is that of
 * (x,): others are of a text, "bij,bjk->bik".
 */
static bool
is_stop(const struct cursor *cursor, const char *at, const char *stops)
{
	if (!strchr(stops, *at))
		return false;
	return *at != ',' || at + 1 == cursor->end || at[1] == ' ' ||
	       strchr(stops + 1, at[1]);
}

/* Pass an atom: up to one of STOPS, of which a comma is the first, outside
 * brackets.
 */
static const char *
atom_end(const struct cursor *cursor, const char *stops)
{
	const char *at = cursor->at;
	int open = 0;

	for (; at < cursor->end; at++) {
		if (open == 0 && is_stop(cursor, at, stops))
			break;
		if (strchr("([{", *at))
			open++;
		else if (strchr(")]}", *at) && open > 0)
			open--;
	}
	return at;
}

/* Items up to CLOSE, separated by ", ".  False when they do not end so. */
static bool
read_items(struct cursor *cursor, char close, enum fx_value_kind kind,
	struct fx_value *ret)
{
	char stops[] = { ',', close, '\0' };
	FX_VEC(struct fx_value) items = { 0 };
	struct fx_value item;
	bool good = true;

	cursor->at++;
	while (cursor->at < cursor->end && *cursor->at != close) {
		read_value(cursor, stops, &item);
		fx_vec_push(&items, item);
		if (cursor->at >= cursor->end || *cursor->at != ',')
			break;
		cursor->at++;
		if (cursor->at == cursor->end || *cursor->at != ' ')
			continue;
		cursor->at++;
		/* An empty string is the last: a comma alone has no blank. */
		if (cursor->at < cursor->end && *cursor->at == close) {
			read_value(cursor, stops, &item);
			fx_vec_push(&items, item);
		}
	}
	good = cursor->at < cursor->end && *cursor->at == close;
	cursor->at += good;
	*ret = fx_value_sequence(cursor->listing->graph->values, kind,
		items.items, items.count);
	fx_vec_deinit(&items);
	return good;
}

/* LENGTH bytes as a key; those of kwargs are NAMES. */
static void
read_key(struct cursor *cursor, size_t length, bool names, struct fx_value *ret)
{
	struct fx_arena *arena = cursor->listing->graph->values;

	if (names)
		*ret = fx_value_string_n(arena, cursor->at, length);
	else
		read_atom(cursor->listing, cursor->at, length, ret);
}

static bool
read_dict(struct cursor *cursor, struct fx_value *ret)
{
	FX_VEC(struct fx_value) items = { 0 };
	bool names = cursor->is_kwargs;
	bool good = true;

	cursor->is_kwargs = false;
	cursor->at++;
	while (good && cursor->at < cursor->end && *cursor->at != '}') {
		const char *colon = memmem(cursor->at,
			FX_MIN((size_t)(cursor->end - cursor->at),
				(size_t)KEY_LIMIT),
			": ", 2);
		struct fx_value item;

		good = colon != NULL;
		if (!good)
			break;
		read_key(cursor, (size_t)(colon - cursor->at), names, &item);
		fx_vec_push(&items, item);
		cursor->at = colon + 2;
		read_value(cursor, ",}", &item);
		fx_vec_push(&items, item);
		if (cursor->at < cursor->end && *cursor->at == ',')
			cursor->at += 2;
	}
	good = good && cursor->at < cursor->end && *cursor->at == '}';
	cursor->at += good;
	*ret = fx_value_dict(cursor->listing->graph->values, items.items,
		items.count / 2);
	fx_vec_deinit(&items);
	return good;
}

static bool
read_container(struct cursor *cursor, struct fx_value *ret)
{
	bool good;

	if (cursor->depth == DEPTH)
		return false;
	cursor->depth++;
	if (*cursor->at == '(')
		good = read_items(cursor, ')', FX_VALUE_TUPLE, ret);
	else if (*cursor->at == '[')
		good = read_items(cursor, ']', FX_VALUE_LIST, ret);
	else
		good = read_dict(cursor, ret);
	cursor->depth--;
	return good;
}

/* Read a container that ends at one of STOPS and prints as it stands in the
 * text.  Otherwise undo the reading and return false.
 */
static bool
try_container(struct cursor *cursor, const char *stops, struct fx_value *ret)
{
	struct fx_listing *listing = cursor->listing;
	const char *begin = cursor->at;
	size_t guesses = listing->guess_count;
	size_t written = listing->guesses.length;

	if (listing->wasted > WASTE_LIMIT)
		return false;
	if (read_container(cursor, ret) &&
		(cursor->at == cursor->end || strchr(stops, *cursor->at)) &&
		prints_as(ret, begin, (size_t)(cursor->at - begin)))
		return true;
	listing->wasted += (size_t)(cursor->at - begin);
	listing->guess_count = guesses;
	fx_buf_truncate(&listing->guesses, written);
	cursor->at = begin;
	return false;
}

/* One value, up to one of STOPS. */
static void
read_value(struct cursor *cursor, const char *stops, struct fx_value *ret)
{
	const char *begin = cursor->at;
	bool is_more = begin < cursor->end;

	if (is_more && *begin == '%' && read_node(cursor, stops, ret))
		return;
	if (is_more && strchr("([{", *begin) &&
		try_container(cursor, stops, ret))
		return;
	cursor->at = atom_end(cursor, stops);
	read_atom(cursor->listing, begin, (size_t)(cursor->at - begin), ret);
}

void
fx_listing_default(struct fx_listing *listing, const char *text, size_t length,
	struct fx_value *ret)
{
	FX_AUTO_BUF struct fx_buf out = { 0 };

	if (parse_literal(listing, text, length, ret)) {
		fx_emit_str(&out, ret);
		if (out.length == length && !memcmp(out.data, text, length))
			return;
	}
	read_atom(listing, text, length, ret);
}

/* Return a tuple of the items between the commas of TEXT, which stands in
 * brackets.  An item is a node if it reads as one, else a string.
 */
static struct fx_value
split_strings(struct fx_listing *listing, const char *text, size_t length)
{
	struct fx_arena *arena = listing->graph->values;
	FX_VEC(struct fx_value) items = { 0 };
	const char *end = text + length - 1;
	const char *at = text + 1;
	struct fx_value tuple;

	if (end > at && end[-1] == ',')
		end--;
	while (at <= end) {
		const char *comma = memmem(at, (size_t)(end - at), ", ", 2);
		const char *stop = comma ? comma : end;
		struct cursor piece = { listing, at, stop, 0, false };
		struct fx_value item;

		if (at == stop || *at != '%' || !read_node(&piece, "", &item))
			item = fx_value_string_n(arena, at,
				(size_t)(stop - at));
		fx_vec_push(&items, item);
		at = comma ? comma + 2 : end + 1;
	}
	tuple = fx_value_sequence(arena, FX_VALUE_TUPLE, items.items,
		items.count);
	fx_vec_deinit(&items);
	return tuple;
}

/* Length of the keyword and its colon at TEXT, or 0. */
static size_t
keyword_length(const char *text, const char *end)
{
	size_t length = name_length(text, end);

	if (length == 0 || end - text < (ptrdiff_t)length + 2 ||
		strncmp(text + length, ": ", 2) != 0)
		return 0;
	return length + 2;
}

/* The end of a keyword's value: the last or before ", NEXT: ". */
static const char *
keyword_end(const char *at, const char *end)
{
	for (; at < end; at++)
		if (end - at > 2 && at[0] == ',' && at[1] == ' ' &&
			keyword_length(at + 2, end) > 0)
			break;
	return at;
}

/* TEXT up to END, in braces, as keywords with strings. */
static bool
split_kwargs(struct fx_listing *listing, const char *text, const char *end,
	struct fx_value *ret)
{
	struct fx_arena *arena = listing->graph->values;
	FX_VEC(struct fx_value) items = { 0 };
	bool good = end - text >= 2 && *text == '{' && end[-1] == '}';

	text++;
	end--;
	while (good && text < end) {
		size_t length = keyword_length(text, end);
		const char *stop = keyword_end(text + length, end);
		struct fx_value key = fx_value_string_n(arena, text,
			length > 0 ? length - 2 : 0);

		good = length > 0;
		text += length;
		fx_vec_push(&items, key);
		key = fx_value_string_n(arena, text, (size_t)(stop - text));
		fx_vec_push(&items, key);
		text = stop < end ? stop + 2 : end;
	}
	*ret = fx_value_dict(arena, items.items, items.count / 2);
	fx_vec_deinit(&items);
	return good;
}

static bool
read_kwargs(struct fx_listing *listing, const char *text, const char *end,
	struct fx_value *ret)
{
	struct cursor cursor = { listing, text, end, 0, true };

	return (read_dict(&cursor, ret) && cursor.at == end &&
		       prints_as(ret, text, (size_t)(end - text))) ||
	       split_kwargs(listing, text, end, ret);
}

static struct fx_error *
not_understood(const struct fx_listing *listing,
	const struct fx_listing_call *call)
{
	size_t at = (size_t)(call->args - listing->text);
	int line = fx_span_line(listing->text, at);
	struct fx_span span = { at, (size_t)(call->args_end - listing->text) };
	struct fx_error *err;

	if (listing->missing)
		err = fx_error_new(FX_ERR_NO_NODE,
			"%%%s is not defined above (line %d)", listing->missing,
			line);
	else
		err = fx_error_new(FX_ERR_SYNTAX,
			"these arguments are not understood (line %d)", line);
	return fx_error_at(err, listing->text, span);
}

struct fx_error *
fx_listing_arguments(struct fx_listing *listing,
	const struct fx_listing_call *call, struct fx_node_spec *spec)
{
	size_t length = (size_t)(call->args_end - call->args);
	struct cursor cursor = { listing, call->args, call->args_end, 0,
		false };
	bool good = length >= 2 && *call->args == '(' &&
		    call->args_end[-1] == ')' &&
		    call->kwargs < call->kwargs_end;

	listing->missing = NULL;
	if (good && (!read_container(&cursor, &spec->args) ||
			    cursor.at != cursor.end ||
			    !prints_as(&spec->args, call->args, length)))
		spec->args = split_strings(listing, call->args, length);
	good = good && read_kwargs(listing, call->kwargs, call->kwargs_end,
			       &spec->kwargs);
	if (good && !listing->missing)
		return NULL;
	return not_understood(listing, call);
}
