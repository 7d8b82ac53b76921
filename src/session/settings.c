/* settings.c - values of settings as text and number, checked when set. */
#include <config.h>

#include "session/settings.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/compiler.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/str.h"

/* What the choices of an INT begin with, of which 0 is no limit. */
#define UNLIMITED "unlimited|"

static const struct fx_setting_info rows[] = {
#define FX_SET(id, name, type, choices, initial, help) \
	[FX_SET_##id] = { name, FX_SETTING_##type, choices, initial, help },
#include "session/settings.def"
};

struct setting {
	char *text;
	int64_t number; /* of a WORD, which of the choices; of a TEXT 0 */
};

struct fx_settings {
	struct setting values[FX_SET_COUNT];
	unsigned version;
};

struct fx_settings *
fx_settings_new(void)
{
	struct fx_settings *settings = FX_NEW(struct fx_settings);

	for (size_t i = 0; i < FX_SET_COUNT; i++) {
		struct fx_error *err =
			fx_settings_set(settings, (int)i, rows[i].initial);

		fx_assert(!err);
	}
	settings->version = 0;
	return settings;
}

void
fx_settings_free(struct fx_settings *settings)
{
	if (!settings)
		return;
	for (size_t i = 0; i < FX_SET_COUNT; i++)
		free(settings->values[i].text);
	free(settings);
}

const struct fx_setting_info *
fx_settings_info(size_t index)
{
	return index < FX_SET_COUNT ? &rows[index] : NULL;
}

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* How many bytes of TEXT spell NAME wholly, or spell a beginning of it (then
 * *WHOLE_RET is false); 0 when neither.  Several blanks count as one.
 */
static size_t
spells(const char *text, const char *name, bool *whole_ret)
{
	size_t i = 0;
	const char *n = name;

	while (*n) {
		bool gap = *n == ' ' || *n == '-';

		if (gap && (is_blank(text[i]) || text[i] == '-')) {
			size_t after = i + 1;

			while (is_blank(text[i]) && is_blank(text[after]))
				after++;
			if (tolower((unsigned char)text[after]) != n[1])
				break;
			i = after;
			n++;
		} else if (tolower((unsigned char)text[i]) == *n) {
			i++;
			n++;
		} else {
			break;
		}
	}
	*whole_ret = !*n;
	/* Only whole words of the text count. */
	return text[i] && !is_blank(text[i]) ? 0 : i;
}

int
fx_settings_match(const char *text, const char **rest_ret)
{
	size_t best = 0;
	int found = -1;
	bool found_whole = false;

	while (is_blank(*text))
		text++;
	for (size_t i = 0; i < FX_SET_COUNT; i++) {
		bool whole;
		size_t length = spells(text, rows[i].name, &whole);

		if (!length || length < best)
			continue;
		if (length == best && found_whole)
			continue;
		if (length == best && !whole && found != -1) {
			found = -2;
			continue;
		}
		found = (int)i;
		best = length;
		found_whole = whole;
	}
	if (rest_ret) {
		text += best;
		while (is_blank(*text))
			text++;
		*rest_ret = text;
	}
	return found;
}

static void
add_choices(const char *choices, struct fx_buf *out)
{
	for (; *choices; choices++)
		if (*choices == '|')
			fx_buf_add(out, ", ");
		else
			fx_buf_add_char(out, *choices);
}

static const char *
shown_choices(const struct fx_setting_info *info, struct fx_buf *out)
{
	switch (info->type) {
	case FX_SETTING_BOOL:
		return "on, off";
	case FX_SETTING_INT:
		return "a number";
	case FX_SETTING_SIZE:
		return "a size as 512M or 2G, or unlimited";
	case FX_SETTING_PARTS:
		fx_buf_add(out, "on, off, or some of ");
		add_choices(info->choices, out);
		return fx_buf_text(out);
	case FX_SETTING_WORD:
		add_choices(info->choices, out);
		return fx_buf_text(out);
	case FX_SETTING_TEXT:
		break;
	}
	return "any text";
}

static struct fx_error *
wrong(const struct fx_setting_info *info, const char *text)
{
	FX_AUTO_BUF struct fx_buf choices = { 0 };
	const char *right = shown_choices(info, &choices);
	const char *dots = strstr(info->choices, "..");

	if (info->type == FX_SETTING_INT && dots) {
		bool may_be_all = fx_str_starts(info->choices, UNLIMITED);
		const char *least =
			info->choices + (may_be_all ? strlen(UNLIMITED) : 0);

		return fx_error_new(FX_ERR_SETTING,
			"\"%s\" takes a number from %.*s to %s%s, not \"%s\"",
			info->name, (int)(dots - least), least, dots + 2,
			may_be_all ? " or unlimited" : "", text);
	}
	return fx_error_new(FX_ERR_SETTING, "\"%s\" takes %s, not \"%s\"",
		info->name, right, text);
}

static bool
parse_bool(const char *text, int64_t *ret)
{
	static const char *const words[2][5] = {
		{ "off", "no", "false", "0", "disable" },
		{ "on", "yes", "true", "1", "enable" },
	};

	for (size_t i = 0; i < 2; i++)
		for (size_t j = 0; j < FX_ARRAY_LEN(words[i]); j++)
			if (fx_str_equal(text, words[i][j])) {
				*ret = (int64_t)i;
				return true;
			}
	/* As in gdb, `set NAME` without a value switches the setting on. */
	*ret = 1;
	return !*text;
}

static bool
parse_int(const char *text, const char *range, int64_t *ret)
{
	const char *dots;
	int64_t least;
	int64_t most;

	/* gdb's word, where 0 is no limit. */
	if (fx_str_starts(range, UNLIMITED)) {
		range += strlen(UNLIMITED);
		if (fx_str_equal(text, "unlimited"))
			text = "0";
	}
	if (!fx_number_parse_int(text, strlen(text), ret))
		return false;
	dots = strstr(range, "..");
	if (!dots)
		return true;
	return fx_number_parse_int(range, (size_t)(dots - range), &least) &&
	       fx_number_parse_int(dots + 2, strlen(dots + 2), &most) &&
	       *ret >= least && *ret <= most;
}

static bool
parse_size(const char *text, int64_t *ret)
{
	static const char units[] = "KMGT";
	size_t length = strlen(text);
	int shift = 0;

	if (fx_str_equal(text, "unlimited")) {
		*ret = 0;
		return true;
	}
	if (length > 1 && tolower((unsigned char)text[length - 1]) == 'b')
		length--;
	if (length > 1) {
		const char *unit =
			strchr(units, toupper((unsigned char)text[length - 1]));

		if (unit) {
			shift = 10 * (int)(unit - units + 1);
			length--;
		}
	}
	if (!fx_number_parse_int(text, length, ret) || *ret < 0)
		return false;
	if (*ret > (INT64_MAX >> shift))
		return false;
	*ret <<= shift;
	return true;
}

static bool
parse_word(const char *text, const char *choices, int64_t *ret)
{
	for (*ret = 0;; ++*ret) {
		size_t length = strcspn(choices, "|");

		if (!strncmp(choices, text, length) && !text[length])
			return true;
		if (!choices[length])
			return false;
		choices += length + 1;
	}
}

/* Words of CHOICES, each with - before it for all but these; or on, or off. */
static bool
parse_parts(const char *text, const char *choices, int64_t *ret)
{
	int64_t all = 1;
	int64_t off;

	for (const char *c = choices; *c; c++)
		all += *c == '|';
	all = (INT64_C(1) << all) - 1;
	if (parse_bool(text, &off)) {
		*ret = off ? all : 0;
		return true;
	}
	*ret = *text == '-' ? all : 0;
	while (*text) {
		size_t length = strcspn(text, " \t");
		bool is_taken_out = *text == '-';
		FX_AUTO_FREE char *word =
			fx_xstrndup(text + is_taken_out, length - is_taken_out);
		int64_t which;

		if (!parse_word(word, choices, &which))
			return false;
		if (is_taken_out)
			*ret &= ~(INT64_C(1) << which);
		else
			*ret |= INT64_C(1) << which;
		text += length + strspn(text + length, " \t");
	}
	return true;
}

/* PARTS in the order of CHOICES; "off" and "on" for none and all. */
static char *
parts_text(int64_t parts, const char *choices)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };
	bool is_all = true;

	for (; *choices; parts >>= 1) {
		size_t length = strcspn(choices, "|");

		is_all &= parts & 1;
		if (parts & 1)
			fx_buf_addf(&text, "%s%.*s", text.length ? " " : "",
				(int)length, choices);
		choices += length + (choices[length] == '|');
	}
	return fx_xstrdup(is_all        ? "on"
			  : text.length ? fx_buf_text(&text)
					: "off");
}

/* Text may stand in quotes, to keep its blanks. */
static char *
unquoted(const char *text)
{
	size_t length = strlen(text);

	if (length >= 2 && (text[0] == '"' || text[0] == '\'') &&
		text[length - 1] == text[0])
		return fx_xstrndup(text + 1, length - 2);
	return fx_xstrdup(text);
}

static bool
parse(const struct fx_setting_info *info, const char *text, int64_t *ret)
{
	*ret = 0;
	switch (info->type) {
	case FX_SETTING_BOOL:
		return parse_bool(text, ret);
	case FX_SETTING_INT:
		return parse_int(text, info->choices, ret);
	case FX_SETTING_SIZE:
		return parse_size(text, ret);
	case FX_SETTING_WORD:
		return parse_word(text, info->choices, ret);
	case FX_SETTING_PARTS: {
		FX_AUTO_FREE char *words = unquoted(text);

		return parse_parts(words, info->choices, ret);
	}
	case FX_SETTING_TEXT:
		break;
	}
	return true;
}

static char *
value_text(const struct fx_setting_info *info, const char *text, int64_t number)
{
	switch (info->type) {
	case FX_SETTING_BOOL:
		return fx_xstrdup(number ? "on" : "off");
	case FX_SETTING_SIZE:
		return fx_xstrdup(number ? text : "unlimited");
	case FX_SETTING_PARTS:
		return parts_text(number, info->choices);
	case FX_SETTING_TEXT:
		return unquoted(text);
	case FX_SETTING_INT:
	case FX_SETTING_WORD:
		break;
	}
	return fx_xstrdup(text);
}

struct fx_error *
fx_settings_set(struct fx_settings *settings, int index, const char *text)
{
	const struct fx_setting_info *info;
	struct setting *value;
	int64_t number;

	fx_assert(index >= 0 && (size_t)index < FX_SET_COUNT);
	info = &rows[index];
	value = &settings->values[index];
	if (!parse(info, text, &number))
		return wrong(info, text);
	free(value->text);
	value->number = number;
	value->text = value_text(info, text, number);
	settings->version++;
	return NULL;
}

struct fx_error *
fx_settings_read_parts(enum fx_setting setting, const char *text, int64_t *ret)
{
	return parse(&rows[setting], text, ret) ? NULL
						: wrong(&rows[setting], text);
}

const char *
fx_settings_text(const struct fx_settings *settings, int index)
{
	fx_assert(index >= 0 && (size_t)index < FX_SET_COUNT);
	return settings->values[index].text;
}

int64_t
fx_settings_int(const struct fx_settings *settings, enum fx_setting setting)
{
	return settings->values[setting].number;
}

unsigned
fx_settings_version(const struct fx_settings *settings)
{
	return settings->version;
}
