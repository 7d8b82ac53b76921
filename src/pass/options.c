/* options.c - what passes may be told: typed words, by a table of each pass. */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/str.h"
#include "pass/engine.h"

/* The next word of TEXT from *AT on; false at the end. */
static bool
next_word(const char **at, size_t *length_ret)
{
	*at += strspn(*at, " \t");
	*length_ret = strcspn(*at, " \t");
	return *length_ret > 0;
}

bool
fx_pass_option_at(const struct fx_pass *pass, size_t index,
	struct fx_pass_option *ret)
{
	for (size_t i = 0; pass->takes && pass->takes[i].name; i++)
		if (i == index) {
			*ret = pass->takes[i];
			return true;
		}
	return false;
}

/* The option that the LENGTH characters at WORD, NAME or NAME=VALUE, name. */
static bool
find_option(const struct fx_pass *pass, const char *word, size_t length,
	struct fx_pass_option *ret)
{
	const char *equals = memchr(word, '=', length);
	size_t name = equals ? (size_t)(equals - word) : length;

	for (size_t i = 0; fx_pass_option_at(pass, i, ret); i++)
		if (strlen(ret->name) == name && !memcmp(ret->name, word, name))
			return true;
	return false;
}

bool
fx_pass_takes(const struct fx_pass *pass, const char *word)
{
	struct fx_pass_option option;

	return find_option(pass, word, strlen(word), &option);
}

static FX_NODISCARD struct fx_error *
no_option(const struct fx_pass *pass, const char *word)
{
	FX_AUTO_BUF struct fx_buf names = { 0 };
	struct fx_pass_option option;
	struct fx_error *err =
		fx_error_new(FX_ERR_USAGE, "pass %s has no option \"%.*s\"",
			pass->name, (int)strcspn(word, "= \t"), word);

	for (size_t i = 0; fx_pass_option_at(pass, i, &option); i++)
		fx_buf_addf(&names, "%s%s", i ? ", " : "", option.name);
	return fx_error_hint(err, "options of %s: %s", pass->name,
		names.length ? fx_buf_text(&names) : "none");
}

/* Whether the LENGTH characters at WORD are one of CHOICES. */
static bool
is_choice(const char *choices, const char *word, size_t length)
{
	while (choices && *choices) {
		size_t size = strcspn(choices, "|");

		if (size == length && !memcmp(choices, word, length))
			return true;
		choices += size + (choices[size] == '|');
	}
	return false;
}

static FX_NODISCARD struct fx_error *
check_value(const struct fx_pass *pass, const struct fx_pass_option *option,
	const char *value, size_t length)
{
	const char *wanted = NULL;
	int64_t number;

	switch (option->type) {
	case FX_PASS_OPTION_SWITCH:
		if (value && !(length == 2 && !memcmp(value, "on", 2)) &&
			!(length == 3 && !memcmp(value, "off", 3)))
			wanted = "on or off";
		break;
	case FX_PASS_OPTION_INT:
		if (!value || !fx_number_parse_int(value, length, &number) ||
			number < 0)
			wanted = "a number";
		break;
	case FX_PASS_OPTION_TEXT:
		if (!value || !length)
			wanted = "a word";
		if (option->choices &&
			!is_choice(option->choices, value ? value : "", length))
			wanted = option->choices;
		break;
	}
	if (!wanted)
		return NULL;
	return fx_error_new(FX_ERR_USAGE, "option %s of pass %s takes %s",
		option->name, pass->name, wanted);
}

struct fx_error *
fx_pass_check_options(const struct fx_pass *pass, const char *options)
{
	const char *at = options ? options : "";
	size_t length;

	for (; next_word(&at, &length); at += length) {
		const char *equals = memchr(at, '=', length);
		const char *value = equals ? equals + 1 : NULL;
		struct fx_pass_option option;
		struct fx_error *err;

		if (!find_option(pass, at, length, &option))
			return no_option(pass, at);
		err = check_value(pass, &option, value,
			value ? (size_t)(at + length - value) : 0);
		if (err)
			return err;
	}
	return NULL;
}

/* What OPTION was given as last: its value, or "on" for a bare word; the
 * caller's.
 */
static char *
given(const struct fx_pass_ctx *ctx, const char *name)
{
	const char *at = ctx->options ? ctx->options : "";
	struct fx_pass_option option = { .initial = "off" };
	char *found = NULL;
	size_t length;

	for (; next_word(&at, &length); at += length) {
		size_t size = strlen(name);

		if (length < size || memcmp(at, name, size) != 0 ||
			(length > size && at[size] != '='))
			continue;
		free(found);
		found = length > size
				? fx_xstrndup(at + size + 1, length - size - 1)
				: fx_xstrdup("on");
	}
	if (found)
		return found;
	if (ctx->pass)
		(void)find_option(ctx->pass, name, strlen(name), &option);
	return fx_xstrdup(option.initial ? option.initial : "");
}

bool
fx_pass_has_option(const struct fx_pass_ctx *ctx, const char *option)
{
	FX_AUTO_FREE char *text = given(ctx, option);

	return !strcmp(text, "on");
}

int64_t
fx_pass_option_int(const struct fx_pass_ctx *ctx, const char *option)
{
	FX_AUTO_FREE char *text = given(ctx, option);
	int64_t number = 0;

	(void)fx_number_parse_int(text, strlen(text), &number);
	return number;
}

char *
fx_pass_option_text(const struct fx_pass_ctx *ctx, const char *option)
{
	return given(ctx, option);
}
