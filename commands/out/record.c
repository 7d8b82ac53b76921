/* record.c - reading items, and the sink that keeps them. */
#include <config.h>

#include "commands/out/record.h"

#include <string.h>

#include "base/mem.h"
#include "commands/out/out.h"

const char *
out_item_key(const struct out_item *item, size_t index, char *mark_ret)
{
	const char *key = out_item_text(item, item->keys);
	char mark;

	while (index--)
		key += strlen(key) + 1;
	mark = *key && strchr("~+123456789", *key) ? *key : '\0';
	if (mark_ret)
		*mark_ret = mark;
	return key + (mark != '\0');
}

const struct out_cell *
out_item_field(const struct out_item *item, const char *key)
{
	const struct out_cell *cell;

	fx_vec_for_each (cell, &item->cells) {
		if (!strcmp(out_item_text(item, cell->key), key))
			return cell;
	}
	return NULL;
}

struct out_recording {
	FX_VEC(struct out_item *) items;
	size_t limit;
	size_t total;
};

struct out_recording *
out_recording_new(void)
{
	return FX_NEW(struct out_recording);
}

void
out_recording_free(struct out_recording *recording)
{
	if (!recording)
		return;
	out_recording_clear(recording);
	fx_vec_deinit(&recording->items);
	free(recording);
}

void
out_recording_clear(struct out_recording *recording)
{
	while (recording->items.count)
		out_item_unref(fx_vec_pop(&recording->items));
}

void
out_recording_set_limit(struct out_recording *recording, size_t limit)
{
	recording->limit = limit;
}

size_t
out_recording_count(const struct out_recording *recording)
{
	return recording->items.count;
}

struct out_item *
out_recording_at(const struct out_recording *recording, size_t index)
{
	return recording->items.items[index];
}

size_t
out_recording_total(const struct out_recording *recording)
{
	return recording->total;
}

static void
drop_oldest(struct out_recording *recording, size_t count)
{
	struct out_item **items = recording->items.items;
	size_t i;

	for (i = 0; i < count; i++)
		out_item_unref(items[i]);
	recording->items.count -= count;
	memmove(items, items + count,
		recording->items.count * sizeof(struct out_item *));
}

static void
record_begin(void *context, const char *command)
{
	(void)context;
	(void)command;
}

/* The oldest quarter goes at once, so that a full recording stays cheap. */
static void
record_item(void *context, struct out_item *item)
{
	struct out_recording *recording = context;

	if (recording->limit && recording->items.count >= recording->limit)
		drop_oldest(recording, recording->limit / 4 + 1);
	fx_vec_push(&recording->items, out_item_ref(item));
	recording->total++;
}

static void
record_end(void *context, bool ok)
{
	(void)context;
	(void)ok;
}

static bool
record_more(void *context)
{
	(void)context;
	return true;
}

static size_t
record_rows(void *context)
{
	(void)context;
	return 0;
}

static void
record_free(void *context)
{
	(void)context;
}

static const struct out_sink record_sink = {
	.begin = record_begin,
	.item = record_item,
	.end = record_end,
	.more = record_more,
	.rows = record_rows,
	.free = record_free,
};

struct out *
out_new_recording(struct out_recording *recording)
{
	return out_new(&record_sink, recording);
}
