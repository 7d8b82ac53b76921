/* diff_fields.c - which fields of a changed node differ. */
#include <config.h>

#include "base/buf.h"
#include "base/compiler.h"
#include "base/mem.h"
#include "ir/diff.h"
#include "ir/pair.h"

static void
add_field(struct fx_buf *text, const char *path)
{
	fx_buf_addf(text, "%s%s", text->length ? ", " : "", path);
}

static void add_places(struct fx_buf *text, const struct fx_pairs *pairs,
	const char *path, const struct fx_value *before,
	const struct fx_value *after);

static void
add_item_places(struct fx_buf *text, const struct fx_pairs *pairs,
	const char *path, const struct fx_value *before,
	const struct fx_value *after)
{
	uint32_t most =
		before->count > after->count ? before->count : after->count;

	for (uint32_t i = 0; i < most; i++) {
		FX_AUTO_FREE char *below = fx_xasprintf("%s[%u]", path, i);

		if (i < before->count && i < after->count)
			add_places(text, pairs, below, &before->items[i],
				&after->items[i]);
		else
			add_field(text, below);
	}
}

/* Of the keys of BEFORE; with no PAIRS, those alone that AFTER lacks. */
static void
add_key_places(struct fx_buf *text, const struct fx_pairs *pairs,
	const char *path, const struct fx_value *before,
	const struct fx_value *after)
{
	for (uint32_t i = 0; i < before->count; i++) {
		const struct fx_value *key = &before->items[(size_t)2 * i];
		const struct fx_value *there;
		FX_AUTO_FREE char *below = NULL;

		if (key->kind != FX_VALUE_STRING)
			continue;
		below = fx_xasprintf("%s.%s", path, key->text);
		there = fx_value_dict_get(after, key->text);
		if (!there)
			add_field(text, below);
		else if (pairs)
			add_places(text, pairs, below, key + 1, there);
	}
}

/* Append where BEFORE and AFTER, which stand at PATH, differ. */
static void
add_places(struct fx_buf *text, const struct fx_pairs *pairs, const char *path,
	const struct fx_value *before, const struct fx_value *after)
{
	size_t length = text->length;

	if (fx_pairs_equal(pairs, before, after))
		return;
	if (before->kind == after->kind && fx_value_is_sequence(before)) {
		add_item_places(text, pairs, path, before, after);
	} else if (before->kind == after->kind &&
		   before->kind == FX_VALUE_DICT) {
		add_key_places(text, pairs, path, before, after);
		add_key_places(text, NULL, path, after, before);
	}
	if (text->length == length)
		add_field(text, path);
}

void
fx_change_print_fields(struct fx_buf *text, const struct fx_pairs *pairs,
	const struct fx_change *change)
{
	static const struct {
		unsigned bit;
		const char *word;
	} words[] = { { FX_DIFFERS_NAME, "name" }, { FX_DIFFERS_OPCODE, "op" },
		{ FX_DIFFERS_TARGET, "target" }, { FX_DIFFERS_TYPE, "type" },
		{ FX_DIFFERS_WRAPPED, "wrapped" } };

	for (size_t i = 0; i < FX_ARRAY_LEN(words); i++)
		if (change->differs & words[i].bit)
			add_field(text, words[i].word);
	if (change->differs & FX_DIFFERS_ARGS)
		add_places(text, pairs, "args", &change->before->args,
			&change->after->args);
	if (change->differs & FX_DIFFERS_KWARGS)
		add_places(text, pairs, "kwargs", &change->before->kwargs,
			&change->after->kwargs);
	if (change->has_moved && change->kind != FX_CHANGE_MOVED)
		add_field(text, "place");
}
