/* script.c - a graph's history as a command file. */
#include <config.h>

#include "emit/script.h"

#include <string.h>

#include "base/buf.h"
#include "base/str.h"
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

#define LEAVE "\ngraph /"

/* The graph within that the last transaction was of: "graph /first", and how
 * long the text was behind it; LENGTH 0: of none.
 */
struct place {
	const char *line;
	size_t length;
	size_t end;
};

/* The line with which SCRIPT, of a transaction in a graph within, enters it. */
static size_t
entering(const char *script)
{
	return fx_str_starts(script, "graph /") && fx_str_ends(script, LEAVE)
		       ? strcspn(script, "\n")
		       : 0;
}

/* SCRIPT; where the last left a graph within and nothing came since, it is
 * left no sooner than that is needed.
 */
static void
add_script(struct fx_buf *out, const char *script, struct place *place)
{
	size_t enters = entering(script);

	if (enters && place->length && place->end == out->length) {
		bool is_same = enters == place->length &&
			       !strncmp(script, place->line, enters);

		fx_buf_truncate(out, out->length - strlen(LEAVE));
		fx_buf_add(out, script + (is_same ? enters + 1 : 0));
	} else {
		fx_buf_add(out, script);
	}
	fx_buf_add_char(out, '\n');
	*place = (struct place){ script, enters, out->length };
}

static void
add_transaction(struct fx_buf *out, const struct fx_transaction *transaction,
	struct place *place)
{
	const char *script = transaction->script;

	if (!script && transaction->id == 0)
		script = transaction->command;
	if (script)
		add_script(out, script, place);
	else if (transaction->command)
		add_comment(out, transaction->command);
}

void
fx_emit_script(struct fx_buf *out, const struct fx_graph *graph,
	fx_emit_script_fn *after, void *context)
{
	uint32_t now = fx_journal_now(graph);
	const struct fx_transaction *origin = fx_journal_get(graph, 0);
	uint32_t id = 0;
	struct place place = { .length = 0 };

	if (origin)
		add_transaction(out, origin, &place);
	if (after)
		after(context, out, 0);
	while (id != now) {
		const struct fx_transaction *transaction;

		id = fx_journal_after(graph, id);
		transaction = id ? fx_journal_get(graph, id) : NULL;
		if (!transaction)
			return;
		add_transaction(out, transaction, &place);
		if (after)
			after(context, out, id);
	}
}
