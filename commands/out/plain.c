/* plain.c - the sinks that write text: plain, and for a terminal. */
#include <config.h>

#include "commands/out/out.h"

#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/role.h"
#include "commands/out/record.h"

struct text_sink {
	struct out_stream stream;
	struct out_term term; /* all zero: plain */
	struct fx_buf buf;
	const struct look *look; /* of the file that is laid out for */
	/* Standard output, standard error: asked once a command, as a listing
	 * has hundreds of thousands of pieces.
	 */
	struct look {
		bool is_known;
		bool has_styles;
		size_t width;
	} looks[2];
	bool is_command; /* one runs */
};

static void
forget_looks(struct text_sink *sink)
{
	sink->looks[false].is_known = false;
	sink->looks[true].is_known = false;
}

static void
text_begin(void *context, const char *command)
{
	struct text_sink *sink = context;

	(void)command;
	forget_looks(sink);
	sink->is_command = true;
}

static void
text_end(void *context, bool ok)
{
	struct text_sink *sink = context;

	(void)ok;
	forget_looks(sink);
	sink->is_command = false;
}

/* How standard output, or the ERROR stream, looks now. */
static const struct look *
look_of(struct text_sink *sink, bool error)
{
	const struct out_term *term = &sink->term;
	struct look *look = &sink->looks[error];

	if (look->is_known)
		return look;
	look->is_known = sink->is_command;
	look->has_styles =
		term->has_styles && term->has_styles(term->context, error);
	look->width = term->width ? term->width(term->context, error) : 0;
	return look;
}

/* What two shades above each other are without colours: the one between. */
static const char *
shade_of(enum fx_role role)
{
	static const char *const shades[] = { " ", "\u2591", "\u2592", "\u2593",
		"\u2588" };
	int top = ((int)role - FX_ROLE_HEAT) / FX_HEAT_COUNT;
	int bottom = ((int)role - FX_ROLE_HEAT) % FX_HEAT_COUNT;

	if (top == FX_HEAT_SPECIAL || bottom == FX_HEAT_SPECIAL)
		return "!";
	top = top == FX_HEAT_NONE ? bottom : top;
	return shades[(top + bottom) / 2 * 5 / FX_HEAT_LEVELS];
}

static void
add_piece(void *context, enum fx_role role, const char *text, size_t length)
{
	struct text_sink *sink = context;
	const struct out_term *term = &sink->term;
	const char *style =
		sink->look->has_styles ? term->style(term->context, role) : "";

	/* A log has the lines that a terminal showed. */
	if (role >= FX_ROLE_HEAT && !*style) {
		text = shade_of(role);
		length = strlen(text);
	}
	fx_buf_add(&sink->buf, style);
	fx_buf_add_n(&sink->buf, text, length);
	if (*style)
		fx_buf_add(&sink->buf, term->reset);
}

static void
add_end(void *context)
{
	struct text_sink *sink = context;

	fx_buf_add_char(&sink->buf, '\n');
}

static bool
is_for_errors(const struct out_item *item)
{
	return item->kind == OUT_ITEM_NOTE || item->kind == OUT_ITEM_WARNING ||
	       item->kind == OUT_ITEM_ERROR;
}

static void
text_item(void *context, struct out_item *item)
{
	struct text_sink *sink = context;
	struct out_layout layout = { .context = sink,
		.piece = add_piece,
		.line_end = add_end,
		.ascii = sink->term.ascii };
	bool is_error = is_for_errors(item);

	sink->look = look_of(sink, is_error);
	layout.width = sink->look->width;
	fx_buf_clear(&sink->buf);
	out_item_lay(item, &layout);
	if (sink->buf.length)
		sink->stream.write(sink->stream.context, is_error,
			sink->buf.data, sink->buf.length);
	/* One huge listing shall not stay in memory for ever. */
	if (sink->buf.capacity > 1 << 20)
		fx_buf_deinit(&sink->buf);
}

static bool
text_more(void *context)
{
	struct text_sink *sink = context;

	return sink->stream.more(sink->stream.context);
}

static size_t
text_rows(void *context)
{
	struct text_sink *sink = context;

	return sink->term.rows ? sink->term.rows(sink->term.context) : 0;
}

static void
text_free(void *context)
{
	struct text_sink *sink = context;

	sink->stream.free(sink->stream.context);
	fx_buf_deinit(&sink->buf);
	free(sink);
}

static const struct out_sink text_sink = {
	.begin = text_begin,
	.item = text_item,
	.end = text_end,
	.more = text_more,
	.rows = text_rows,
	.free = text_free,
};

struct out *
out_new_plain(const struct out_stream *stream)
{
	struct text_sink *sink = FX_NEW(struct text_sink);

	sink->stream = *stream;
	return out_new(&text_sink, sink);
}

struct out *
out_new_term(const struct out_stream *stream, const struct out_term *term)
{
	struct text_sink *sink = FX_NEW(struct text_sink);

	sink->stream = *stream;
	sink->term = *term;
	return out_new(&text_sink, sink);
}
