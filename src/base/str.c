/* str.c - matching, distance, quoting. */
#include <config.h>

#include "base/str.h"

#include <stdint.h>
#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/utf8.h"

bool
fx_str_starts(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

bool
fx_str_ends(const char *text, const char *suffix)
{
	size_t length = strlen(text);
	size_t wanted = strlen(suffix);

	return length >= wanted &&
	       memcmp(text + length - wanted, suffix, wanted) == 0;
}

bool
fx_str_equal(const char *a, const char *b)
{
	if (!a || !b)
		return a == b;
	return strcmp(a, b) == 0;
}

bool
fx_str_has_word(const char *words, char separator, const char *word,
	size_t length)
{
	while (length && *words) {
		const char *end = strchr(words, separator);
		size_t size = end ? (size_t)(end - words) : strlen(words);

		if (size == length && memcmp(words, word, size) == 0)
			return true;
		words += size + (end != NULL);
	}
	return false;
}

bool
fx_str_is_choice(const char *choices, const char *text)
{
	return fx_str_has_word(choices, '|', text, strlen(text));
}

int
fx_str_compare(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

const char *
fx_str_next_line(const char *text)
{
	text += strcspn(text, "\n");
	return text + (*text == '\n');
}

bool
fx_str_is_below(const char *path, const char *above)
{
	size_t length = strlen(above);

	return !length || (fx_str_starts(path, above) &&
				  (!path[length] || path[length] == '.'));
}

bool
fx_str_has_controls(const char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < ' ' || *text == 0x7f)
			return true;
	return false;
}

static size_t
code_at(const char *text, uint32_t *ret)
{
	return fx_utf8_decode(text, strnlen(text, 4), ret);
}

/* One [set] at PATTERN (after the bracket) against CODE; the place after its
 * closing bracket, or null when it has none and so is no set.
 */
static const char *
match_set(const char *pattern, uint32_t code, bool *ret)
{
	bool is_negated = *pattern == '!' || *pattern == '^';
	const char *p = pattern + is_negated;
	bool found = false;
	uint32_t first;
	uint32_t last;

	for (bool at_start = true; at_start || *p != ']'; at_start = false) {
		if (!*p)
			return NULL;
		p += code_at(p, &first);
		last = first;
		if (p[0] == '-' && p[1] && p[1] != ']')
			p += 1 + code_at(p + 1, &last);
		found |= code >= first && code <= last;
	}
	*ret = found != is_negated;
	return p + 1;
}

/* Match one element of PATTERN, which is not a star, against one character of
 * TEXT.  Returns the place after that element in PATTERN, or NULL.
 */
static const char *
match_one(const char *pattern, const char *text, size_t *used_ret)
{
	uint32_t code;
	uint32_t wanted;
	bool in_set;
	const char *after;

	if (!*text || !*pattern)
		return NULL;
	*used_ret = code_at(text, &code);
	if (*pattern == '?')
		return pattern + 1;
	if (*pattern == '[') {
		after = match_set(pattern + 1, code, &in_set);
		if (after)
			return in_set ? after : NULL;
	}
	after = pattern + code_at(pattern, &wanted);
	/* Bad bytes all decode alike: compare them as they are. */
	if (memcmp(pattern, text,
		    FX_MIN((size_t)(after - pattern), *used_ret)) != 0)
		return NULL;
	return wanted == code ? after : NULL;
}

/* Only the last star is ever retried: whatever an earlier one took, the later
 * one can make up for.
 */
bool
fx_str_glob(const char *pattern, const char *text)
{
	const char *star = NULL;
	const char *star_text = NULL;
	const char *after;
	uint32_t code;
	size_t used;

	while (*text || *pattern) {
		if (*pattern == '*') {
			star = ++pattern;
			star_text = text;
			continue;
		}
		after = match_one(pattern, text, &used);
		if (after) {
			pattern = after;
			text += used;
			continue;
		}
		if (!star || !*star_text)
			return false;
		star_text += code_at(star_text, &code);
		pattern = star;
		text = star_text;
	}
	return true;
}

/* Longer names are compared by their first so many bytes. */
#define LONGEST_COMPARED 96

static int
least(int a, int b, int c)
{
	return FX_MIN(FX_MIN(a, b), c);
}

/* One row of the table of distances of prefixes, from the two above it. */
static void
distance_row(const char *a, const char *b, size_t i,
	int rows[3][LONGEST_COMPARED + 1])
{
	const int *two_up = rows[(i + 1) % 3];
	const int *up = rows[(i + 2) % 3];
	int *row = rows[i % 3];
	size_t length = strnlen(b, LONGEST_COMPARED);

	row[0] = (int)i;
	for (size_t j = 1; j <= length; j++) {
		row[j] = least(up[j] + 1, row[j - 1] + 1,
			up[j - 1] + (a[i - 1] != b[j - 1]));
		if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
			a[i - 2] == b[j - 1])
			row[j] = FX_MIN(row[j], two_up[j - 2] + 1);
	}
}

/* As strcasestr of ASCII, which takes longer to prepare than to look at a name.
 */
static bool
has_folded(const char *text, const char *words)
{
	size_t length = strlen(words);
	char small = *words;
	char large = small >= 'a' && small <= 'z' ? (char)(small - 'a' + 'A')
						  : small;

	if (!length)
		return true;
	for (; *text; text++)
		if ((*text == small || *text == large) &&
			strncasecmp(text + 1, words + 1, length - 1) == 0)
			return true;
	return false;
}

bool
fx_str_has(const char *text, const char *words)
{
	for (const char *at = words; *at; at++)
		if (*at >= 'A' && *at <= 'Z')
			return strstr(text, words);
	return has_folded(text, words);
}

int
fx_str_distance(const char *a, const char *b)
{
	int rows[3][LONGEST_COMPARED + 1];
	size_t a_length = strlen(a);
	size_t b_length = strlen(b);
	size_t a_part = FX_MIN(a_length, (size_t)LONGEST_COMPARED);
	size_t b_part = FX_MIN(b_length, (size_t)LONGEST_COMPARED);
	size_t longer = FX_MAX(a_length - a_part, b_length - b_part);

	for (size_t j = 0; j <= b_part; j++)
		rows[0][j] = (int)j;
	for (size_t i = 1; i <= a_part; i++)
		distance_row(a, b, i, rows);
	return rows[a_part % 3][b_part] +
	       (int)FX_MIN(longer, (size_t)INT32_MAX / 2);
}

void
fx_nearest_init(struct fx_nearest *nearest, const char *wanted)
{
	*nearest = (struct fx_nearest){ .wanted = wanted };
}

/* A third of the name may be wrong, as in relu_19 for rleu_9. */
static int
farthest(const char *wanted)
{
	return (int)(FX_MIN(strlen(wanted), (size_t)LONGEST_COMPARED) + 2) / 3;
}

/* The distance, or more than LIMIT. */
static int
distance_within(const char *wanted, const char *name, int limit)
{
	size_t a = strlen(wanted);
	size_t b = strlen(name);

	if (strcasecmp(wanted, name) == 0)
		return strcmp(wanted, name) != 0;
	if ((a > b ? a - b : b - a) > (size_t)limit)
		return limit + 1;
	return fx_str_distance(wanted, name);
}

void
fx_nearest_offer(struct fx_nearest *nearest, const char *name)
{
	int limit = farthest(nearest->wanted);
	int most = (int)FX_ARRAY_LEN(nearest->names);
	int distance = distance_within(nearest->wanted, name, limit);
	int at = nearest->count;

	if (distance > limit)
		return;
	for (int i = 0; i < nearest->count; i++)
		if (strcmp(nearest->names[i], name) == 0)
			return;
	while (at > 0 && nearest->distances[at - 1] > distance)
		at--;
	if (at == most)
		return;
	nearest->count = FX_MIN(nearest->count + 1, most);
	for (int i = nearest->count - 1; i > at; i--) {
		nearest->names[i] = nearest->names[i - 1];
		nearest->distances[i] = nearest->distances[i - 1];
	}
	nearest->names[at] = name;
	nearest->distances[at] = distance;
}

void
fx_nearest_print(const struct fx_nearest *nearest, struct fx_buf *out)
{
	for (int i = 0; i < nearest->count; i++) {
		if (i)
			fx_buf_add(out, ", ");
		fx_buf_add(out, nearest->names[i]);
	}
}

struct fx_error *
fx_nearest_note(const struct fx_nearest *nearest, struct fx_error *err)
{
	FX_AUTO_BUF struct fx_buf names = { 0 };

	if (!nearest->count)
		return err;
	fx_nearest_print(nearest, &names);
	return fx_error_note(err, "nearest: %s", fx_buf_text(&names));
}
