/* out.c - collects what commands say into items and hands them on.
 *
 * Offset 0 of an item's text is the empty string.  The order of a delivery is:
 * the JSON wrapper of the running command if there is one, else the redirect,
 * else the sink; then the tee.
 */
#include <config.h>

#include "commands/out/out.h"

#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/mem.h"
#include "commands/out/private.h"
#include "commands/out/record.h"

struct out *
out_new(const struct out_sink *sink, void *context)
{
	struct out *out = FX_NEW(struct out);

	out->sink = sink;
	out->context = context;
	return out;
}

void
out_free(struct out *out)
{
	if (!out)
		return;
	out_free(out->json);
	out_item_unref(out->item);
	out_item_unref(out->line);
	fx_error_free(out->unsorted);
	out->sink->free(out->context);
	free(out);
}

void
out_tee(struct out *out, struct out *another)
{
	out->tee = another;
}

struct out *
out_redirect(struct out *out, struct out *target)
{
	struct out *earlier = out->target;

	out->target = target;
	return earlier;
}

static bool
is_diagnostic(const struct out_item *item)
{
	return item->kind == OUT_ITEM_NOTE || item->kind == OUT_ITEM_WARNING;
}

/* Only results follow a redirect; notes still reach the user. */
static void
pass_on(struct out *out, struct out_item *item)
{
	if (out->target && !is_diagnostic(item))
		out_deliver(out->target, item);
	else
		out->sink->item(out->context, item);
}

void
out_deliver(struct out *out, struct out_item *item)
{
	bool diagnostic = is_diagnostic(item);

	if (diagnostic && out->quiet_depth)
		return;
	if (out->json && !diagnostic)
		out_deliver(out->json, item);
	else
		pass_on(out, item);
	if (out->tee)
		out_deliver(out->tee, item);
}

static void
json_end(struct out *out)
{
	out_free(FX_TAKE(out->json));
	out->json_depth = 0;
}

void
out_error(struct out *out, const struct fx_error *err)
{
	struct out_item *item = out_item_of_error(err);

	out_finish(out, &out->line);
	out_finish(out, &out->item);
	out_finish(out, &item);
	if (out->json && !out->json_depth)
		json_end(out);
}

/* Commands. */

static void
raw_write(void *context, bool error, const char *text, size_t size)
{
	struct out *out = context;
	struct out_item *item = out_item_of_bytes(OUT_ITEM_RAW, text, size);

	(void)error;
	pass_on(out, item);
	out_item_unref(item);
}

static bool
raw_more(void *context)
{
	struct out *out = context;

	return out->target ? out_more(out->target)
			   : out->sink->more(out->context);
}

static void
raw_free(void *context)
{
	(void)context;
}

/* Whether what OUT gets ends in a JSON sink already. */
static bool
is_json(const struct out *out)
{
	while (out->target)
		out = out->target;
	return out->json || out->sink == out_json_sink();
}

void
out_as_json(struct out *out)
{
	struct out_stream stream = { out, raw_write, raw_more, raw_free };

	if (is_json(out))
		return;
	if (out->json)
		json_end(out);
	out->json = out_new_json(&stream);
	out->json_depth = 0;
}

void
out_be_quiet(struct out *out)
{
	if (!out->quiet_depth)
		out->quiet_depth = out->depth + 1;
}

void
out_command_begin(struct out *out, const char *command)
{
	out->depth++;
	if (out->json) {
		out->json_depth++;
		out_command_begin(out->json, command);
	} else if (out->target) {
		out_command_begin(out->target, command);
	} else {
		out->sink->begin(out->context, command);
	}
}

void
out_command_end(struct out *out, bool ok)
{
	out_finish(out, &out->line);
	out_finish(out, &out->item);
	if (out->quiet_depth >= out->depth)
		out->quiet_depth = 0;
	out->depth--;
	/* What began before JSON was wanted ends where it began. */
	if (out->json_depth) {
		out_command_end(out->json, ok);
		if (!--out->json_depth && ok)
			json_end(out);
	} else if (out->target) {
		out_command_end(out->target, ok);
	} else {
		out->sink->end(out->context, ok);
	}
}

bool
out_more(struct out *out)
{
	if (out->target)
		return out_more(out->target);
	return out->sink->more(out->context);
}

size_t
out_default_rows(struct out *out)
{
	if (out->json)
		return 0;
	if (out->target)
		return out_default_rows(out->target);
	return out->sink->rows(out->context);
}
