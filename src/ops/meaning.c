/* meaning.c - what operations and layers do, in a few plain words. */
#include <config.h>

#include "ops/meaning.h"

#include <ctype.h>
#include <string.h>

#include "base/buf.h"
#include "base/str.h"

static const struct {
	const char *names;
	const char *text;
} meanings[] = {
#define FX_MEANING(names, text) { names, text },
#include "ops/meaning.def"
};

const char *
fx_meaning_word(const char *name, size_t *length_ret)
{
	static const char ops[] = "torch.ops.";
	const char *space = fx_str_starts(name, ops)
				    ? strchr(name + strlen(ops), '.')
				    : NULL;
	const char *dot = strrchr(name, '.');

	if (space)
		name = space + 1;
	else if (dot)
		name = dot + 1;
	*length_ret = strcspn(name, ".");
	return name;
}

void
fx_meaning_add_name(struct fx_buf *out, const char *name)
{
	size_t begin = out->length;
	size_t length;
	size_t i;

	name = fx_meaning_word(name, &length);
	for (i = 0; i < length; i++)
		if (name[i] != '_')
			fx_buf_add_char(out,
				(char)tolower((unsigned char)name[i]));
	if (out->length > begin + 2 && out->data[out->length - 1] == 'd' &&
		strchr("123", out->data[out->length - 2]))
		fx_buf_truncate(out, out->length - 2);
}

const char *
fx_meaning_find(const char *name)
{
	FX_AUTO_BUF struct fx_buf plain = { 0 };

	fx_meaning_add_name(&plain, name);
	for (size_t i = 0; i < FX_ARRAY_LEN(meanings); i++)
		if (fx_str_has_word(meanings[i].names, ' ', fx_buf_text(&plain),
			    plain.length))
			return meanings[i].text;
	return NULL;
}
