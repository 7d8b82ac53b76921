/* jsonl_line.c - the usual form of a node's line, without a JSON tree.
 *
 * Building a tree for each of a hundred thousand lines costs more than all the
 * rest of loading.  This reads {"node":"x","op":...} with plain texts and
 * numbers; escapes beyond \" \\ \n, other fields, blanks: it gives up, and
 * jansson reads the line.
 */
#include <config.h>

#include "load/jsonl_private.h"

#include <string.h>

#include "base/arena.h"

struct scanner {
	struct fx_arena *arena;
	const char *at;
	const char *end;
};

static bool
take(struct scanner *s, const char *text)
{
	size_t length = strlen(text);

	if ((size_t)(s->end - s->at) < length ||
		memcmp(s->at, text, length) != 0)
		return false;
	s->at += length;
	return true;
}

/* The end of the string that starts at S->at; NULL when it has escapes other
 * than the plain ones, or control characters.
 */
static const char *
find_end(const struct scanner *s, bool *has_escapes)
{
	const char *c = s->at;

	*has_escapes = false;
	for (; c < s->end && *c != '"'; c++) {
		if ((unsigned char)*c < 0x20)
			return NULL;
		if (*c != '\\')
			continue;
		*has_escapes = true;
		if (++c == s->end || !strchr("\"\\n", *c) || !*c)
			return NULL;
	}
	return c < s->end ? c : NULL;
}

static bool
take_string(struct scanner *s, const char **ret)
{
	bool has_escapes;
	const char *end;
	char *copy;
	size_t length = 0;

	if (!take(s, "\""))
		return false;
	end = find_end(s, &has_escapes);
	if (!end)
		return false;
	copy = fx_arena_strndup(s->arena, s->at, (size_t)(end - s->at));
	for (const char *c = s->at; has_escapes && c < end; c++) {
		if (*c == '\\')
			copy[length++] = *++c == 'n' ? '\n' : *c;
		else
			copy[length++] = *c;
	}
	if (has_escapes)
		copy[length] = '\0';
	*ret = copy;
	s->at = end + 1;
	return true;
}

static bool
take_number(struct scanner *s, int64_t *ret)
{
	const char *start = s->at;

	*ret = 0;
	while (s->at < s->end && *s->at >= '0' && *s->at <= '9' &&
		s->at - start < 10)
		*ret = *ret * 10 + (*s->at++ - '0');
	return s->at > start;
}

/* The field after a comma; false at one that is not known. */
static bool
take_field(struct scanner *s, struct fx_jsonl_node *node)
{
	if (take(s, "\"args\":"))
		return take_string(s, &node->args);
	if (take(s, "\"kwargs\":"))
		return take_string(s, &node->kwargs);
	if (take(s, "\"type\":"))
		return take_string(s, &node->type);
	if (take(s, "\"meta\":"))
		return take_string(s, &node->meta);
	if (take(s, "\"source\":"))
		return take_number(s, &node->source);
	if (take(s, "\"scope\":"))
		return take_number(s, &node->scope);
	node->is_wrapped = true;
	return take(s, "\"wrapped\":true");
}

bool
fx_jsonl_scan_node(struct fx_arena *arena, const char *line, size_t length,
	struct fx_jsonl_node *ret)
{
	struct scanner s = { arena, line, line + length };

	*ret = (struct fx_jsonl_node){ .source = -1, .scope = -1 };
	if (!take(&s, "{\"node\":") || !take_string(&s, &ret->name) ||
		!take(&s, ",\"op\":") || !take_string(&s, &ret->op) ||
		!take(&s, ",\"target\":") || !take_string(&s, &ret->target))
		return false;
	while (take(&s, ","))
		if (!take_field(&s, ret))
			return false;
	return ret->args && take(&s, "}") && s.at == s.end;
}
