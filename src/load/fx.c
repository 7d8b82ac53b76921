/* fx.c - a listing, line by line.
 *
 * What a line's arguments say is ambiguous, but printing them must give the
 * line again: whatever does not is read as bare strings, which always do.
 */
#include <config.h>

#include "load/fx.h"

#include <string.h>

#include "base/arena.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/str.h"
#include "ir/graph.h"
#include "ir/value_text.h"
#include "lang/parse.h"
#include "load/fx_value.h"
#include "load/open.h"
#include "load/source.h"

/* A line of the listing being read. */
struct line {
	const char *at;
	const char *end; /* of the statement: continuation lines included */
};

static struct fx_error *
fail(const struct fx_listing *listing, const char *at, const char *message)
{
	size_t begin = (size_t)(at - listing->text);
	struct fx_span span = { begin, begin + 1 };
	struct fx_error *err =
		fx_error_at(fx_error_new(FX_ERR_SYNTAX,
				    "%s (line %d, column %d)", message,
				    fx_span_line(listing->text, begin),
				    fx_span_column(listing->text, begin)),
			listing->text, span);

	/* In the last line, and that one has no end. */
	if (!strchr(at, '\n'))
		return fx_error_hint(err, "is the dump cut short?");
	return err;
}

static bool
skip(struct line *line, const char *word)
{
	size_t length = strlen(word);

	if ((size_t)(line->end - line->at) < length ||
		strncmp(line->at, word, length) != 0)
		return false;
	line->at += length;
	return true;
}

/* The first place of WORD in the rest of the line, or NULL. */
static const char *
find(const struct line *line, const char *word)
{
	return memmem(line->at, (size_t)(line->end - line->at), word,
		strlen(word));
}

/* "[num_users=2] = " after the type; the type's text is what stands before. */
static struct fx_error *
read_type(struct fx_listing *listing, struct line *line,
	struct fx_node_spec *spec, int64_t *users_ret)
{
	const char *users = find(line, "[num_users=");
	const char *older = find(line, "[#users=");
	const char *type = line->at;
	const char *digits;

	if (!listing->dialect)
		listing->dialect = users ? "2.x" : "1.13";
	users = users && (!older || users < older) ? users : older;
	if (!users)
		return fail(listing, line->at,
			"expected \"[num_users=\" or \"[#users=\"");
	if (users > type + 1)
		spec->type = fx_intern_n(type, (size_t)(users - type) - 1);
	digits = users + strcspn(users, "=") + 1;
	line->at = digits + strspn(digits, "0123456789");
	if (!fx_number_parse_int(digits, (size_t)(line->at - digits),
		    users_ret))
		return fail(listing, digits, "expected a number of users");
	if (!skip(line, "] = "))
		return fail(listing, line->at, "expected \"] = \"");
	return NULL;
}

/* "call_module[target=layer1.0]". */
static struct fx_error *
read_target(struct fx_listing *listing, struct line *line,
	struct fx_node_spec *spec)
{
	size_t length = fx_listing_name(line->at);
	const char *word = fx_intern_n(line->at, length);
	const char *close;

	spec->opcode = fx_opcode_find(word);
	if (spec->opcode == FX_OPCODE_COUNT)
		return fail(listing, line->at, "expected an opcode");
	line->at += length;
	if (!skip(line, "[target="))
		return fail(listing, line->at, "expected \"[target=\"");
	close = memchr(line->at, ']', (size_t)(line->end - line->at));
	if (!close)
		return fail(listing, line->at, "expected \"]\"");
	if (close == line->at)
		return fail(listing, close, "expected a target");
	spec->target = fx_intern_n(line->at, (size_t)(close - line->at));
	line->at = close + 1;
	return NULL;
}

/* "(args = (...), kwargs = {...})". */
static struct fx_error *
read_arguments(struct fx_listing *listing, struct line *line,
	struct fx_node_spec *spec)
{
	static const char middle[] = ", kwargs = {";
	struct fx_listing_call call = { .kwargs_end = line->end - 1 };
	const char *at;

	if (line->at == line->end)
		return spec->opcode == FX_OPCODE_GET_ATTR
			       ? NULL
			       : fail(listing, line->at,
					 "expected the arguments");
	if (!skip(line, "(args = ") || line->end[-1] != ')')
		return fail(listing, line->at,
			"expected \"(args = (...), kwargs = {...})\"");
	call.args = line->at;
	while ((at = find(line, middle)) != NULL) {
		call.args_end = at;
		line->at = at + 1;
	}
	if (!call.args_end)
		return fail(listing, call.args, "expected \", kwargs = {\"");
	call.kwargs = call.args_end + sizeof(middle) - 2;
	return fx_listing_arguments(listing, &call, spec);
}

/* "(default=3)", which a placeholder may have. */
static struct fx_error *
read_default(struct fx_listing *listing, struct line *line,
	struct fx_node_spec *spec)
{
	struct fx_value value;

	if (line->at == line->end)
		return NULL;
	if (!skip(line, "(default=") || line->end[-1] != ')')
		return fail(listing, line->at, "expected \"(default=...)\"");
	fx_listing_default(listing, line->at,
		(size_t)(line->end - 1 - line->at), &value);
	spec->args = fx_value_sequence(listing->graph->values, FX_VALUE_TUPLE,
		&value, 1);
	return NULL;
}

/* Remember what the listing says of NODE's users, to compare at the end. */
static void
expect_users(struct fx_listing *listing, struct fx_node *node, int64_t users)
{
	fx_map_set(&listing->users, (uintptr_t)node, (uintptr_t)users + 1);
}

static struct fx_error *
read_node(struct fx_listing *listing, struct line *line)
{
	struct fx_node_spec spec = { 0 };
	size_t length = fx_listing_name(++line->at);
	struct fx_error *err;
	int64_t users = 0;

	if (length == 0)
		return fail(listing, line->at, "expected a name after \"%\"");
	spec.name = fx_intern_n(line->at, length);
	spec.name_is_exact = true;
	if (fx_graph_find(listing->graph, spec.name))
		return fail(listing, line->at, "two nodes have this name");
	if (!fx_str_is_identifier(spec.name) || fx_names_is_reserved(spec.name))
		return fail(listing, line->at, "no node may have this name");
	line->at += length;
	if (!skip(line, " : "))
		return fail(listing, line->at, "expected \" : \"");
	err = read_type(listing, line, &spec, &users);
	if (!err)
		err = read_target(listing, line, &spec);
	if (!err && spec.opcode == FX_OPCODE_PLACEHOLDER)
		err = read_default(listing, line, &spec);
	else if (!err)
		err = read_arguments(listing, line, &spec);
	if (!err)
		expect_users(listing, fx_graph_append(listing->graph, &spec),
			users);
	return err;
}

/* Whether the result at LINE can only be text: it begins no container, which a
 * truncated listing leaves open, and nothing else that reads as a value.
 */
static bool
is_bare_text(const struct line *line)
{
	return line->at < line->end && !strchr("([{'\"%", *line->at);
}

/* A node's name alone may be text too; then the node has one user fewer than
 * it would have.
 */
static bool
names_another_user(const struct fx_listing *listing,
	const struct fx_value *value)
{
	uintptr_t said = 0;

	if (value->kind == FX_VALUE_NODE)
		said = fx_map_get(&listing->users, (uintptr_t)value->node, 0);
	return said && said - 1 == value->node->user_count;
}

static struct fx_error *
read_return(struct fx_listing *listing, struct line *line)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	struct fx_parse_range range = { listing->text, listing->length,
		(size_t)(line->at - listing->text),
		(size_t)(line->end - listing->text) };
	struct fx_node_spec spec = { .opcode = FX_OPCODE_OUTPUT,
		.target = "output" };
	struct fx_value value = fx_value_none();
	struct fx_ast *tree;
	struct fx_error *err;

	err = fx_parse_expression_in(arena, &range, FX_PARSE_PYTHON, &tree,
		NULL);
	if (!err)
		err = fx_value_from_ast(listing->graph->values, listing->graph,
			listing->text, tree, &value);
	if (err && !is_bare_text(line))
		return err;
	if (err || names_another_user(listing, &value))
		fx_listing_default(listing, line->at,
			(size_t)(line->end - line->at), &value);
	fx_error_free(err);
	spec.args = fx_value_sequence(listing->graph->values, FX_VALUE_TUPLE,
		&value, 1);
	fx_graph_append(listing->graph, &spec);
	listing->is_done = true;
	return NULL;
}

static bool
begins_statement(const char *line)
{
	line += strspn(line, " \t");
	return *line == '%' || !strncmp(line, "return ", 7);
}

/* The statement at AT: its line, and the lines after it up to LAST that begin
 * none (a string with newlines).
 */
static struct line
next_line(const char *at, const char *last)
{
	struct line line = { .at = at + strspn(at, " \t") };

	line.end = at + strcspn(at, "\n");
	while (line.end < last && !begins_statement(line.end + 1))
		line.end += 1 + strcspn(line.end + 1, "\n");
	while (line.end > line.at && strchr(" \t\n", line.end[-1]))
		line.end--;
	return line;
}

static struct fx_error *
read_lines(struct fx_listing *listing)
{
	const char *at = listing->text + strspn(listing->text, " \t\n");
	const char *last = listing->text + listing->length;

	while (last > at && strchr(" \t\n", last[-1]))
		last--;

	if (!strncmp(at, "graph(", 6))
		at += strcspn(at, "\n");
	while (!listing->is_done) {
		struct fx_error *err;
		struct line line;

		at += strspn(at, " \t\n");
		if (!*at)
			return fail(listing, at,
				"the listing ends without a return");
		line = next_line(at, last);
		if (*line.at == '%')
			err = read_node(listing, &line);
		else if (skip(&line, "return "))
			err = read_return(listing, &line);
		else
			err = fail(listing, line.at,
				"expected \"%name : ...\" or \"return\"");
		if (err)
			return err;
		at = line.end;
	}
	return NULL;
}

static void
check_users(const struct fx_listing *listing)
{
	struct fx_node *node;

	fx_graph_for_each_node (node, listing->graph) {
		uintptr_t said =
			fx_map_get(&listing->users, (uintptr_t)node, 0);

		if (said == 0 || said - 1 == node->user_count ||
			!listing->input->notices)
			continue;
		fx_buf_addf(listing->input->notices,
			"the listing says that %%%s has %zu users, there are "
			"%u: it was edited or cut\n",
			node->name, (size_t)said - 1, node->user_count);
		return;
	}
}

static void
note_guesses(const struct fx_listing *listing)
{
	if (!listing->input->notices || listing->guess_count == 0)
		return;
	fx_buf_addf(listing->input->notices,
		"a listing drops quotes; %zu argument%s read as text: %s%s\n",
		listing->guess_count, listing->guess_count == 1 ? "" : "s",
		fx_buf_text(&listing->guesses),
		listing->guess_count > 5 ? ", ..." : "");
}

struct fx_error *
fx_load_fx(const struct fx_load_input *input, struct fx_graph **ret)
{
	FX_AUTO_GRAPH struct fx_graph *graph = fx_graph_new(input->serial);
	FX_AUTO_FREE char *text = NULL;
	struct fx_listing listing = { .input = input, .graph = graph };
	struct fx_error *err;

	text = fx_strip_log(input, &listing.length);
	listing.text = text;
	err = read_lines(&listing);
	if (err) {
		err = fx_error_note(err,
			"while reading %s: %zu node%s understood before this",
			fx_load_name(input), graph->node_count,
			graph->node_count == 1 ? "" : "s");
	} else {
		check_users(&listing);
		note_guesses(&listing);
		fx_load_finish(graph, input->notices);
		fx_graph_set_dialect(graph, listing.dialect);
		*ret = FX_TAKE(graph);
	}
	fx_map_deinit(&listing.users);
	fx_buf_deinit(&listing.guesses);
	return err;
}
