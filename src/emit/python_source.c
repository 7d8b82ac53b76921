/* python_source.c - the comments of verbose code (semantics 6.10). */
#include <config.h>

#include "emit/python_private.h"

#include "ir/node.h"
#include "ops/dialect.h"

/* An empty line above, but not (2.x) at the head of the body.  Old versions
 * indent it.
 */
static void
begin_comment(struct fx_coder *c)
{
	if (c->body.length ||
		!fx_dialect_is_newer(c->dialect, FX_DIALECT_STRIPS_HEAD)) {
		if (!fx_dialect_is_newer(c->dialect, FX_DIALECT_STRIPS_BLANKS))
			fx_buf_add_repeat(&c->body, ' ', c->indent);
		fx_buf_add_char(&c->body, '\n');
	}
	fx_buf_add_repeat(&c->body, ' ', c->indent);
}

static bool
is_same_summary(const struct fx_source *a, const struct fx_source *b)
{
	if (a == b)
		return true;
	if (!a || !b || !a->count || !b->count)
		return false;
	return a->frames[0].file == b->frames[0].file &&
	       a->frames[0].line == b->frames[0].line &&
	       a->frames[0].function == b->frames[0].function &&
	       a->frames[0].text == b->frames[0].text;
}

static void
print_frame(struct fx_coder *c, const struct fx_source_frame *frame)
{
	const char *in =
		fx_dialect_text(c->dialect, FX_DIALECT_SOURCE_FUNCTION);

	fx_buf_addf(&c->body, "# File: %s:%d", frame->file, frame->line);
	if (*in && frame->function) {
		fx_buf_add(&c->body, in);
		fx_buf_add(&c->body, frame->function);
	}
	fx_buf_add(&c->body, ", code: ");
	if (frame->text)
		fx_buf_add(&c->body, frame->text);
	fx_buf_add_char(&c->body, '\n');
}

void
fx_code_source(struct fx_coder *c, const struct fx_node *node)
{
	const struct fx_source *source =
		node->source && node->source->count ? node->source : NULL;

	if (c->has_said && is_same_summary(source, c->source))
		return;
	c->has_said = true;
	c->source = source;
	begin_comment(c);
	if (source) {
		print_frame(c, &source->frames[0]);
		return;
	}
	fx_buf_add(&c->body, fx_dialect_text(c->dialect, FX_DIALECT_NO_SOURCE));
	fx_buf_add_char(&c->body, '\n');
}
