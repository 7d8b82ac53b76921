/* json.c - a streaming JSON writer. */
#include <config.h>

#include "base/json.h"

#include <math.h>
#include <string.h>

#include "base/buf.h"
#include "base/number.h"
#include "base/utf8.h"

void
fx_json_init(struct fx_json *json, struct fx_buf *out)
{
	*json = (struct fx_json){ .out = out };
}

/* Before a value or a key: the comma, if something stands before it. */
static void
separate(struct fx_json *json)
{
	if (json->needs_comma && !json->after_key)
		fx_buf_add_char(json->out, ',');
	json->needs_comma = true;
	json->after_key = false;
}

static void
begin(struct fx_json *json, char bracket)
{
	separate(json);
	fx_buf_add_char(json->out, bracket);
	json->needs_comma = false;
}

static void
end(struct fx_json *json, char bracket)
{
	fx_buf_add_char(json->out, bracket);
	json->needs_comma = true;
}

void
fx_json_object_begin(struct fx_json *json)
{
	begin(json, '{');
}

void
fx_json_object_end(struct fx_json *json)
{
	end(json, '}');
}

void
fx_json_array_begin(struct fx_json *json)
{
	begin(json, '[');
}

void
fx_json_array_end(struct fx_json *json)
{
	end(json, ']');
}

static bool
is_plain(unsigned char c)
{
	return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

static void
add_control(struct fx_buf *out, unsigned char c)
{
	static const char letters[] = "\"\"\\\\\bb\ff\nn\rr\tt";

	for (size_t i = 0; letters[i]; i += 2) {
		if (letters[i] != (char)c)
			continue;
		fx_buf_add_char(out, '\\');
		fx_buf_add_char(out, letters[i + 1]);
		return;
	}
	fx_buf_addf(out, "\\u%04x", c);
}

/* Append one character of TEXT that is not plain: a control character is
 * escaped, and a bad byte is replaced.  Returns how many bytes of TEXT it
 * takes.
 */
static size_t
add_special(struct fx_buf *out, const char *text, size_t length)
{
	uint32_t code;
	size_t size;

	if ((unsigned char)*text < 0x80) {
		if (*text == 0x7f)
			fx_buf_add_char(out, *text);
		else
			add_control(out, (unsigned char)*text);
		return 1;
	}
	size = fx_utf8_decode(text, length, &code);
	if (size == 1)
		fx_buf_add(out, "\xef\xbf\xbd");
	else
		fx_buf_add_n(out, text, size);
	return size;
}

static void
add_quoted(struct fx_buf *out, const char *text, size_t length)
{
	size_t from = 0;
	size_t at = 0;

	fx_buf_add_char(out, '"');
	while (at < length) {
		if (is_plain((unsigned char)text[at])) {
			at++;
			continue;
		}
		fx_buf_add_n(out, text + from, at - from);
		at += add_special(out, text + at, length - at);
		from = at;
	}
	fx_buf_add_n(out, text + from, at - from);
	fx_buf_add_char(out, '"');
}

void
fx_json_key(struct fx_json *json, const char *key)
{
	separate(json);
	add_quoted(json->out, key, strlen(key));
	fx_buf_add_char(json->out, ':');
	json->after_key = true;
}

void
fx_json_null(struct fx_json *json)
{
	separate(json);
	fx_buf_add(json->out, "null");
}

void
fx_json_bool(struct fx_json *json, bool truth)
{
	separate(json);
	fx_buf_add(json->out, truth ? "true" : "false");
}

void
fx_json_int(struct fx_json *json, int64_t number)
{
	separate(json);
	fx_buf_add_int(json->out, number);
}

void
fx_json_double(struct fx_json *json, double number)
{
	separate(json);
	if (!isfinite(number))
		fx_buf_add_char(json->out, '"');
	fx_number_add_double(json->out, number);
	if (!isfinite(number))
		fx_buf_add_char(json->out, '"');
}

void
fx_json_string(struct fx_json *json, const char *text)
{
	fx_json_string_n(json, text, strlen(text));
}

void
fx_json_string_n(struct fx_json *json, const char *text, size_t length)
{
	separate(json);
	add_quoted(json->out, text, length);
}

void
fx_json_put_bool(struct fx_json *json, const char *key, bool truth)
{
	fx_json_key(json, key);
	fx_json_bool(json, truth);
}

void
fx_json_put_int(struct fx_json *json, const char *key, int64_t number)
{
	fx_json_key(json, key);
	fx_json_int(json, number);
}

void
fx_json_put_text(struct fx_json *json, const char *key, const char *text)
{
	if (!text)
		return;
	fx_json_key(json, key);
	fx_json_string(json, text);
}
