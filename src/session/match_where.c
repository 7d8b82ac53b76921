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
	const struct fx_match_where *where = context;
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
		if (!*ret)
			break;
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

struct fx_error *
fx_model_find_matches(struct fx_session *session, struct fx_model *model,
	const struct fx_rule *rule, bool overlaps, struct fx_matches **ret)
{
	FX_AUTO_MATCH_WHERE struct fx_match_where *where = NULL;
	struct deciding deciding = { .session = session };
	struct fx_match_filter filter = { .tick = is_interrupted,
		.context = &deciding,
		.overlaps = overlaps };
	struct fx_error *err = NULL;

	if (rule->where)
		err = fx_match_where_new(session, model, rule->pattern,
			rule->where, &where);
	if (err)
		return err;
	deciding.where = where;
	if (where)
		filter.holds = holds;
	return fx_matches_find(fx_position_graph(model), rule->pattern, &filter,
		ret);
}
