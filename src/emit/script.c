/* script.c - a graph's history as a command file. */
#include <config.h>

#include "emit/script.h"

#include <string.h>

#include "base/buf.h"
#include "ir/journal.h"

/* A comment ends with its line, so further lines become comments too. */
static void
add_comment(struct fx_buf *out, const char *text)
{
	fx_buf_add(out, "# not scriptable: ");
	while (*text) {
		size_t length = strcspn(text, "\n");

		fx_buf_add_n(out, text, length);
		text += length;
		if (*text == '\n') {
			fx_buf_add(out, "\n#   ");
			text++;
		}
	}
	fx_buf_add_char(out, '\n');
}

static void
add_transaction(struct fx_buf *out, const struct fx_transaction *transaction)
{
	const char *script = transaction->script;

	if (!script && transaction->id == 0)
		script = transaction->command;
	if (script) {
		fx_buf_add(out, script);
		fx_buf_add_char(out, '\n');
	} else if (transaction->command) {
		add_comment(out, transaction->command);
	}
}

void
fx_emit_script(struct fx_buf *out, const struct fx_graph *graph,
	fx_emit_script_fn *after, void *context)
{
	uint32_t now = fx_journal_now(graph);
	const struct fx_transaction *origin = fx_journal_get(graph, 0);
	uint32_t id = 0;

	if (origin)
		add_transaction(out, origin);
	if (after)
		after(context, out, 0);
	while (id != now) {
		const struct fx_transaction *transaction;

		id = fx_journal_after(graph, id);
		transaction = id ? fx_journal_get(graph, id) : NULL;
		if (!transaction)
			return;
		add_transaction(out, transaction);
		if (after)
			after(context, out, id);
	}
}
