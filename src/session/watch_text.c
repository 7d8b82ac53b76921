/* watch_text.c - watches as they are typed. */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/str.h"
#include "base/vec.h"
#include "ir/graph.h"
#include "ir/module.h"
#include "lang/parse.h"
#include "session/watch_private.h"

/* What follows the word; none of them is more than a node and three words. */
enum takes {
	NOTHING,
	RANGE,
	PATTERN,
	DTYPE,
	EXPRESSION,
	MEMORY,
};

static const struct row {
	const char *word;
	enum takes takes;
} rows[] = {
#define FX_WATCH(id, word, takes) [FX_WATCH_##id] = { word, takes },
#include "session/watch.def"
};

const char *
fx_watch_word(enum fx_watch_kind kind)
{
	return rows[kind].word;
}

enum fx_dtype
fx_watch_dtype(const char *name)
{
	enum fx_dtype dtype = fx_dtype_find_short(name);

	if (fx_str_starts(name, "torch."))
		name += strlen("torch.");
	return dtype ? dtype : fx_dtype_find(name);
}

/* --- words -----------------------------------------------------------------
 */

#define WORD_LIMIT 5

struct words {
	char *items[WORD_LIMIT];
	size_t count;
	size_t next;
};

static void
words_deinit(struct words *words)
{
	for (size_t i = 0; i < words->count; i++)
		free(words->items[i]);
}
FX_DEFINE_DEINIT(words, struct words, words_deinit);

/* The words of TEXT; what stands in brackets is one.  What does not fit stays
 * in the last one.
 */
static void
split(struct words *words, const char *text)
{
	const char *begin = text + strspn(text, " \t");
	int depth = 0;

	for (const char *at = begin; *begin; at++) {
		bool is_blank = *at == ' ' || *at == '\t';

		depth += *at && strchr("([{", *at) ? 1 : 0;
		depth -= *at && strchr(")]}", *at) ? 1 : 0;
		if (*at && (!is_blank || depth > 0 ||
				   words->count == WORD_LIMIT - 1))
			continue;
		words->items[words->count++] =
			fx_xstrndup(begin, (size_t)(at - begin));
		begin = at + strspn(at, " \t");
		at = begin - (*begin != 0);
	}
}

static size_t
left(const struct words *words)
{
	return words->count - words->next;
}

static char *
next(struct words *words)
{
	return left(words) ? words->items[words->next++] : NULL;
}

/* --- reading ---------------------------------------------------------------
 */

static FX_NODISCARD struct fx_error *
wrong(const struct row *row, const char *expected, const char *example)
{
	return fx_error_hint(fx_error_new(FX_ERR_USAGE, "watch %s: expected %s",
				     row->word, expected),
		"watch %s", example);
}

static struct fx_error *
read_range(const struct row *row, struct words *words, struct fx_watch *ret)
{
	const char *low = next(words);
	const char *high = next(words);

	if (!low || !high || left(words) ||
		!fx_number_parse_double(low, strlen(low), &ret->low) ||
		!fx_number_parse_double(high, strlen(high), &ret->high))
		return wrong(row, "two numbers, maybe after a node",
			"range fc -50 50");
	if (!(ret->low <= ret->high))
		return fx_error_new(FX_ERR_RANGE,
			"watch range: %s is more than %s", low, high);
	ret->text = fx_xasprintf("%s %s", low, high);
	return NULL;
}

static void
read_not(struct words *words, struct fx_watch *ret)
{
	if (left(words) && fx_str_equal(words->items[words->next], "not")) {
		ret->is_not = true;
		words->next++;
	}
}

static bool
is_pattern(const char *text)
{
	size_t length = strlen(text);

	return *text == '[' && text[length - 1] == ']' &&
	       strspn(text + 1, "0123456789*, ") == length - 2;
}

static struct fx_error *
read_pattern(const struct row *row, struct words *words, struct fx_watch *ret)
{
	const char *pattern;

	read_not(words, ret);
	pattern = next(words);
	if (!pattern || left(words) || !is_pattern(pattern))
		return wrong(row,
			"a shape such as [1,*,768], maybe after a node",
			"shape fc [1,*]");
	ret->text = fx_xstrdup(pattern);
	return NULL;
}

static struct fx_error *
read_dtype(const struct row *row, struct words *words, struct fx_watch *ret)
{
	const char *name;

	read_not(words, ret);
	name = next(words);
	if (!name || left(words) || !fx_watch_dtype(name))
		return wrong(row, "a dtype such as f16, maybe after a node",
			"dtype f16");
	ret->text = fx_xstrdup(name);
	return NULL;
}

/* A node first, unless what stands there is the beginning of what follows. */
static bool
has_node(const struct row *row, const struct words *words)
{
	const char *word = left(words) ? words->items[words->next] : NULL;

	switch (row->takes) {
	case NOTHING:
		return left(words) == 1;
	case RANGE:
		return left(words) == 3;
	case PATTERN:
		return word && *word != '[' && !fx_str_equal(word, "not");
	case DTYPE:
		return left(words) > 1 && !fx_str_equal(word, "not");
	case EXPRESSION:
	case MEMORY:
		break;
	}
	return false;
}

static struct fx_error *
read_words(const struct row *row, struct words *words, struct fx_watch *ret,
	char **where_ret)
{
	if (has_node(row, words))
		*where_ret = fx_xstrdup(next(words));
	switch (row->takes) {
	case RANGE:
		return read_range(row, words, ret);
	case PATTERN:
		return read_pattern(row, words, ret);
	case DTYPE:
		return read_dtype(row, words, ret);
	case NOTHING:
		if (!left(words))
			return NULL;
		break;
	case EXPRESSION:
	case MEMORY:
		break;
	}
	return wrong(row, "nothing more than a node", row->word);
}

static struct fx_error *
read_memory(struct fx_session *session, struct fx_model *model,
	const char *text, struct fx_watch *ret, char **where_ret)
{
	const char *path = fx_str_starts(text, "self.") ? text + 5 : text;
	struct fx_node *node;
	struct fx_error *err = fx_resolve_node(session, model, text, &node);

	if (!err) {
		*where_ret = fx_xasprintf("%%%s", node->name);
		return NULL;
	}
	if (fx_module_find_tensor(model->graph->module, path)) {
		fx_error_free(err);
		ret->text = fx_xstrdup(path);
		ret->is_path = true;
		return NULL;
	}
	if (fx_error_hint_text(err) || !strpbrk(text, "([<>=+-*/ "))
		return err;
	return fx_error_hint(err,
		"watch expr %s stops after a node where that is true", text);
}

/* That it can be read is seen now. */
static struct fx_error *
check_expression(const char *text)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	struct fx_ast *tree;

	return fx_parse_expression(arena, text, strlen(text),
		FX_PARSE_DESIGNATORS | FX_PARSE_EQUAL_COMPARES, &tree);
}

struct fx_error *
fx_watch_parse(struct fx_session *session, struct fx_model *model,
	const char *text, struct fx_watch *ret, char **where_ret)
{
	FX_AUTO(words) struct words words = { .count = 0 };
	const char *word;

	*ret = (struct fx_watch){ .kind = FX_WATCH_bytes };
	*where_ret = NULL;
	split(&words, text);
	word = next(&words);
	for (int i = 0; word && i < FX_WATCH_COUNT; i++) {
		if (!*rows[i].word || !fx_str_equal(word, rows[i].word))
			continue;
		ret->kind = (enum fx_watch_kind)i;
		if (rows[i].takes != EXPRESSION)
			return read_words(&rows[i], &words, ret, where_ret);
		if (!left(&words))
			return wrong(&rows[i], "an expression",
				"expr std($v) < 1e-6");
		text += strspn(text, " \t") + strlen(word);
		ret->text = fx_xstrdup(text + strspn(text, " \t"));
		return check_expression(ret->text);
	}
	return read_memory(session, model, text, ret, where_ret);
}

/* --- writing ---------------------------------------------------------------
 */

void
fx_watch_print(struct fx_buf *out, const struct fx_watch *watch,
	const char *where)
{
	const struct row *row = &rows[watch->kind];
	bool is_set = *where == '{';

	fx_buf_add(out, row->word);
	if (*where && !is_set)
		fx_buf_addf(out, "%s%s", *row->word ? " " : "", where);
	if (watch->text)
		fx_buf_addf(out, "%s%s%s", *row->word ? " " : "",
			watch->is_not ? "not " : "", watch->text);
	if (is_set)
		fx_buf_addf(out, " where %s", where);
}
