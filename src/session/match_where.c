/* match_where.c - the condition over what a pattern binds. */
#include <config.h>

#include "session/match_where.h"

#include <stdlib.h>
#include <string.h>

#include "base/bitset.h"
#include "base/buf.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/vec.h"
#include "ir/match.h"
#include "ir/value_text.h"
#include "lang/lex.h"
#include "pass/rules.h"
#include "session/capture.h"
#include "session/model.h"
#include "session/position.h"
#include "session/resolve.h"

/* A name of the pattern in the text of a part. */
struct mention {
	size_t begin;
	size_t end;
	size_t slot;
};

struct part {
	char *text;
	FX_VEC(struct mention) mentions;
	struct fx_bitset nodes; /* low halves of ids, where nothing is mentioned
				 */
};

struct fx_match_where {
	struct fx_session *session;
	struct fx_model *model;
	const struct fx_pattern *pattern;
	FX_VEC(struct part) parts;
	char *failed; /* the part that was false last, with what it is about */
};

static void
find_mentions(const struct fx_pattern *pattern, struct part *part)
{
	struct fx_lexer lexer;
	struct fx_token token;
	bool is_step = false;

	fx_lexer_init(&lexer, part->text, strlen(part->text),
		FX_LEX_DESIGNATORS);
	while ((token = fx_lexer_next(&lexer)).kind != FX_TOKEN_END) {
		size_t length = token.end - token.begin;
		bool is_called = fx_lexer_peek(&lexer) == '(';
		struct mention found = { token.begin, token.end, 0 };

		if (token.kind == FX_TOKEN_NAME && !is_step && !is_called) {
			FX_AUTO_FREE char *name =
				fx_xstrndup(part->text + token.begin, length);

			found.slot = fx_pattern_slot(pattern, name);
		}
		if (found.slot)
			fx_vec_push(&part->mentions, found);
		is_step = length == 1 && part->text[token.begin] == '.';
	}
}

/* ERR in a condition without a name of PATTERN: those that there are. */
static struct fx_error *
note_names(struct fx_error *err, const struct fx_pattern *pattern)
{
	FX_AUTO_BUF struct fx_buf names = { 0 };

	for (size_t i = 1; i < fx_pattern_slot_count(pattern); i++)
		if (fx_pattern_name(pattern, i))
			fx_buf_addf(&names, "%s%s", names.length ? ", " : "",
				fx_pattern_name(pattern, i));
	return names.length ? fx_error_note(err, "names of the pattern: %s",
				      fx_buf_text(&names))
			    : err;
}

static struct fx_error *
add_part(struct fx_match_where *where, const char *text, size_t length)
{
	struct fx_graph *graph = fx_position_graph(where->model);
	FX_AUTO_FREE size_t *positions = NULL;
	struct part part = { .text = fx_xstrndup(text, length) };
	struct fx_error *err = NULL;
	size_t count = 0;

	if (strspn(part.text, " \t\n") == length) {
		free(part.text);
		return fx_error_new(FX_ERR_SYNTAX,
			"where: expected a condition on both sides of \"and\"");
	}
	find_mentions(where->pattern, &part);
	if (!part.mentions.count) {
		err = fx_resolve_set_quietly(where->session, where->model,
			part.text, &positions, &count);
		if (err && fx_error_code(err) == FX_ERR_SYNTAX)
			err = note_names(err, where->pattern);
	}
	for (size_t i = 0; !err && i < count; i++)
		fx_bitset_add(&part.nodes,
			(uint32_t)fx_graph_at(graph, positions[i])->id);
	fx_vec_push(&where->parts, part);
	return err;
}

/* Divide TEXT at each `and` outside brackets. */
static struct fx_error *
divide(struct fx_match_where *where, const char *text)
{
	struct fx_lexer lexer;
	struct fx_token token;
	struct fx_error *err = NULL;
	size_t begin = 0;

	fx_lexer_init(&lexer, text, strlen(text), FX_LEX_DESIGNATORS);
	while (!err && (token = fx_lexer_next(&lexer)).kind != FX_TOKEN_END) {
		if (lexer.depth || !fx_token_is(&token, text, "and"))
			continue;
		err = add_part(where, text + begin, token.begin - begin);
		begin = token.end;
	}
	return err ? err : add_part(where, text + begin, strlen(text) - begin);
}

struct fx_error *
fx_match_where_new(struct fx_session *session, struct fx_model *model,
	const struct fx_pattern *pattern, const char *text,
	struct fx_match_where **ret)
{
	struct fx_match_where *where = FX_NEW(struct fx_match_where);
	struct fx_error *err;

	where->session = session;
	where->model = model;
	where->pattern = pattern;
	err = divide(where, text);
	if (err)
		fx_match_where_free(where);
	else
		*ret = where;
	return err;
}

void
fx_match_where_free(struct fx_match_where *where)
{
	struct part *part;

	if (!where)
		return;
	fx_vec_for_each (part, &where->parts) {
		free(part->text);
		fx_vec_deinit(&part->mentions);
		fx_bitset_deinit(&part->nodes);
	}
	fx_vec_deinit(&where->parts);
	free(where->failed);
	free(where);
}

/* PART with what the match has for the names. */
static void
fill_in(const struct part *part, const struct fx_value *values,
	struct fx_buf *out)
{
	const struct mention *mention;
	size_t at = 0;

	fx_vec_for_each (mention, &part->mentions) {
		const struct fx_value *value = &values[mention->slot];

		fx_buf_add_n(out, part->text + at, mention->begin - at);
		if (value->kind == FX_VALUE_NODE) {
			fx_buf_addf(out, "%%%s", value->node->name);
		} else {
			fx_buf_add_char(out, '(');
			fx_value_print_as(out, value, FX_STYLE_CODE);
			fx_buf_add_char(out, ')');
		}
		at = mention->end;
	}
	fx_buf_add(out, part->text + at);
}

struct fx_error *
fx_match_where_holds(void *context, const struct fx_value *values, bool *ret)
{
	struct fx_match_where *where = context;
	size_t root = fx_pattern_output(where->pattern, 0);
	const struct part *part;

	*ret = true;
	fx_vec_for_each (part, &where->parts) {
		FX_AUTO_BUF struct fx_buf text = { 0 };
		struct fx_error *err;

		if (!part->mentions.count) {
			*ret = fx_bitset_has(&part->nodes,
				(uint32_t)values[root].node->id);
		} else {
			fill_in(part, values, &text);
			err = fx_resolve_condition(where->session, where->model,
				fx_buf_text(&text), ret);
			if (err)
				return err;
		}
		if (!*ret) {
			free(where->failed);
			where->failed = fx_xstrdup(part->mentions.count
							   ? fx_buf_text(&text)
							   : part->text);
			break;
		}
	}
	return NULL;
}

/* --- with a rule --------------------------------------------------------- */

/* What decides beside the pattern: the condition, if there is one, and Ctrl-C.
 */
struct deciding {
	struct fx_session *session;
	struct fx_match_where *where;
};

static bool
is_interrupted(void *context)
{
	const struct deciding *deciding = context;

	return fx_session_is_pressed(deciding->session);
}

static struct fx_error *
holds(void *context, const struct fx_value *values, bool *ret)
{
	const struct deciding *deciding = context;

	/* A condition may look at all of the graph. */
	if (fx_session_is_pressed(deciding->session))
		return fx_error_new(FX_ERR_INTERRUPTED,
			"the search was interrupted; nothing changed");
	return fx_match_where_holds(deciding->where, values, ret);
}

/* The matches of RULE as FILTER says; the condition is the caller's. */
FX_NODISCARD static struct fx_error *
find_matches(struct deciding *deciding, struct fx_model *model,
	const struct fx_rule *rule, struct fx_match_filter *filter,
	struct fx_matches **ret)
{
	struct fx_error *err = NULL;

	filter->tick = is_interrupted;
	filter->context = deciding;
	if (rule->where)
		err = fx_match_where_new(deciding->session, model,
			rule->pattern, rule->where, &deciding->where);
	if (err)
		return err;
	if (deciding->where)
		filter->holds = holds;
	return fx_matches_find(fx_position_graph(model), rule->pattern, filter,
		ret);
}

struct fx_error *
fx_model_find_matches(struct fx_session *session, struct fx_model *model,
	const struct fx_rule *rule, bool overlaps, struct fx_matches **ret)
{
	struct deciding deciding = { .session = session };
	struct fx_match_filter filter = { .overlaps = overlaps };
	struct fx_error *err =
		find_matches(&deciding, model, rule, &filter, ret);

	fx_match_where_free(deciding.where);
	return err;
}

/* --- why not ------------------------------------------------------------- */

/* The condition is false of the match that ends in NODE. */
FX_NODISCARD static struct fx_error *
why_false(struct fx_session *session, struct fx_model *model,
	const struct fx_rule *rule, struct fx_node *node, struct fx_buf *ret)
{
	FX_AUTO_MATCHES struct fx_matches *matches = NULL;
	struct deciding deciding = { .session = session };
	struct fx_match_filter filter = { .overlaps = true, .at = node };
	struct fx_error *err =
		find_matches(&deciding, model, rule, &filter, &matches);

	if (!err && !fx_matches_count(matches) && deciding.where &&
		deciding.where->failed)
		fx_buf_addf(ret, "%s is false",
			deciding.where->failed +
				strspn(deciding.where->failed, " \t\n"));
	fx_match_where_free(deciding.where);
	return err;
}

/* The first operation that two matches of PATTERN have in common, or NULL. */
static const struct fx_node *
common_node(const struct fx_pattern *pattern, const struct fx_value *one,
	const struct fx_value *other)
{
	size_t a, b;

	for (size_t i = 0; (a = fx_pattern_operation(pattern, i)); i++)
		for (size_t k = 0; (b = fx_pattern_operation(pattern, k)); k++)
			if (one[a].node == other[b].node)
				return one[a].node;
	return NULL;
}

/* RULE fits at NODE by itself: unless it is applied there, the match that has
 * one of the operations.
 */
FX_NODISCARD static struct fx_error *
why_taken(struct fx_session *session, struct fx_model *model,
	const struct fx_rule *rule, struct fx_node *node, struct fx_buf *ret)
{
	FX_AUTO_MATCHES struct fx_matches *all = NULL;
	FX_AUTO_MATCHES struct fx_matches *here = NULL;
	struct deciding deciding = { .session = session };
	struct fx_match_filter filter = { .overlaps = true, .at = node };
	size_t root = fx_pattern_output(rule->pattern, 0);
	struct fx_error *err =
		fx_model_find_matches(session, model, rule, false, &all);

	if (!err)
		err = find_matches(&deciding, model, rule, &filter, &here);
	fx_match_where_free(deciding.where);
	for (size_t i = 0;
		!err && fx_matches_count(here) && i < fx_matches_count(all);
		i++) {
		const struct fx_value *other = fx_matches_at(all, i);
		const struct fx_node *shared = common_node(rule->pattern,
			fx_matches_at(here, 0), other);

		if (!shared)
			continue;
		if (other[root].node != fx_matches_at(here, 0)[root].node)
			fx_buf_addf(ret,
				"%%%s belongs to the match at %%%s already",
				shared->name, other[root].node->name);
		break;
	}
	return err;
}

struct fx_error *
fx_model_why_not(struct fx_session *session, struct fx_model *model,
	const struct fx_rule *rule, struct fx_node *node, struct fx_buf *ret)
{
	struct fx_error *err = NULL;

	if (fx_match_why_not(rule->pattern, node, ret))
		return NULL;
	if (rule->where)
		err = why_false(session, model, rule, node, ret);
	if (!err && !ret->length)
		err = why_taken(session, model, rule, node, ret);
	return err;
}
