/* json.h - a streaming JSON writer.  Reading is jansson's. */
#ifndef FX_BASE_JSON_H
#define FX_BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fx_buf;

/* Writes JSON to OUT as the calls come, and puts the commas itself.  There is
 * no white space between values, so that one value stays on one line.
 */
struct fx_json {
	struct fx_buf *out;
	bool needs_comma;
	bool after_key;
};

void fx_json_init(struct fx_json *json, struct fx_buf *out);

void fx_json_object_begin(struct fx_json *json);
void fx_json_object_end(struct fx_json *json);
void fx_json_array_begin(struct fx_json *json);
void fx_json_array_end(struct fx_json *json);
void fx_json_key(struct fx_json *json, const char *key);

void fx_json_null(struct fx_json *json);
void fx_json_bool(struct fx_json *json, bool truth);
void fx_json_int(struct fx_json *json, int64_t number);
/* NaN and infinities become the strings "nan", "inf", "-inf". */
void fx_json_double(struct fx_json *json, double number);
/* Bytes that are no UTF-8 become U+FFFD. */
void fx_json_string(struct fx_json *json, const char *text);
void fx_json_string_n(struct fx_json *json, const char *text, size_t length);

/* A key and its value; nothing for a TEXT of NULL. */
void fx_json_put_bool(struct fx_json *json, const char *key, bool truth);
void fx_json_put_int(struct fx_json *json, const char *key, int64_t number);
void fx_json_put_text(struct fx_json *json, const char *key, const char *text);

#endif /* FX_BASE_JSON_H */
