/* log.c - the command log: what was run and what it said. */
#include <config.h>

#include "ui/tui/log.h"

#include <stdarg.h>
#include <stdlib.h>

#include "base/mem.h"

enum {
	ENTRIES_MAX = 2000,
	ENTRIES_KEPT = 1500,
};

static void
free_entry(struct tui_log_entry *entry)
{
	free(entry->line);
	if (entry->item)
		out_item_unref(entry->item);
}

void
tui_log_deinit(struct tui_log *log)
{
	for (size_t i = 0; i < log->entries.count; i++)
		free_entry(&log->entries.items[i]);
	fx_vec_deinit(&log->entries);
	tui_text_deinit(&log->text);
}

/* Forget the oldest entries now and then. */
static void
shorten(struct tui_log *log)
{
	size_t extra = log->entries.count - ENTRIES_KEPT;

	for (size_t i = 0; i < extra; i++)
		free_entry(&log->entries.items[i]);
	for (size_t i = extra; i < log->entries.count; i++)
		log->entries.items[i - extra] = log->entries.items[i];
	log->entries.count -= extra;
	log->mark -= FX_MIN(log->mark, extra);
	log->laid = 0;
	tui_text_clear(&log->text);
}

static void
add_entry(struct tui_log *log, struct tui_log_entry entry)
{
	fx_vec_push(&log->entries, entry);
	if (log->entries.count > ENTRIES_MAX)
		shorten(log);
}

void
tui_log_addf(struct tui_log *log, enum fx_role role, const char *format, ...)
{
	struct tui_log_entry entry = { .role = role };
	va_list args;

	va_start(args, format);
	entry.line = fx_xvasprintf(format, args);
	va_end(args);
	add_entry(log, entry);
}

void
tui_log_add_item(struct tui_log *log, struct out_item *item)
{
	if (item->kind != OUT_ITEM_VALUE)
		add_entry(log,
			(struct tui_log_entry){ .item = out_item_ref(item) });
}

void
tui_log_mark(struct tui_log *log)
{
	log->mark = log->entries.count;
}

size_t
tui_log_recent(const struct tui_log *log)
{
	return tui_text_count(&log->text) - log->mark_line;
}

void
tui_log_forget_recent(struct tui_log *log)
{
	tui_log_mark(log);
	log->mark_line = tui_text_count(&log->text);
}

static void
lay_entry(struct tui_log *log, const struct tui_log_entry *entry)
{
	struct out_layout layout = tui_text_layout(&log->text);

	layout.ascii = log->ascii;
	if (entry->item) {
		out_item_lay(entry->item, &layout);
		/* Raw text need not end with a newline. */
		if (log->text.open < log->text.pieces.count)
			tui_text_end_line(&log->text);
		return;
	}
	tui_text_addf(&log->text, entry->role, "%s", entry->line);
	tui_text_end_line(&log->text);
}

void
tui_log_lay(struct tui_log *log, int width)
{
	if (log->text.width != width) {
		log->text.width = width;
		log->laid = 0;
		tui_text_clear(&log->text);
	}
	while (log->laid < log->entries.count) {
		if (log->laid == log->mark)
			log->mark_line = tui_text_count(&log->text);
		lay_entry(log, &log->entries.items[log->laid++]);
	}
}
