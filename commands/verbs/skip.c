/* skip.c - the command skip, and info skip. */
#include <config.h>

#include "session/skip.h"

#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/str.h"
#include "commands/out/out.h"
#include "commands/shell/groups.h"
#include "commands/shell/shell.h"
#include "commands/verbs/show.h"
#include "ir/graph.h"
#include "session/breakpoint.h"
#include "session/position.h"

static struct fx_error *
delete_one(struct cmd_ctx *ctx, int number)
{
	return fx_skip_delete(ctx->session, number);
}

static struct fx_error *
enable_one(struct cmd_ctx *ctx, int number)
{
	return fx_skip_enable(ctx->session, number, true);
}

static struct fx_error *
disable_one(struct cmd_ctx *ctx, int number)
{
	return fx_skip_enable(ctx->session, number, false);
}

/* skip delete 1-3, skip enable: all of them without numbers. */
static const struct verb {
	const char *word;
	struct fx_error *(*act)(struct cmd_ctx *ctx, int number);
} verbs[] = {
	{ "delete", delete_one },
	{ "enable", enable_one },
	{ "disable", disable_one },
};

static const struct verb *
find_verb(const char *word)
{
	for (size_t i = 0; word && i < FX_ARRAY_LEN(verbs); i++)
		if (!strcmp(verbs[i].word, word))
			return &verbs[i];
	return NULL;
}

static FX_NODISCARD struct fx_error *
read_range(const char *text, int64_t *first, int64_t *last)
{
	const char *dash = strchr(text, '-');
	size_t length = dash ? (size_t)(dash - text) : strlen(text);

	if (fx_number_parse_int(text, length, first)) {
		*last = *first;
		if (!dash ||
			fx_number_parse_int(dash + 1, strlen(dash + 1), last))
			return NULL;
	}
	return fx_error_hint(fx_error_new(FX_ERR_USAGE,
				     "expected the number of a skip, got "
				     "\"%s\"",
				     text),
		"info skip lists them");
}

static FX_NODISCARD struct fx_error *
do_all(struct cmd_ctx *ctx, const struct verb *verb, int64_t first,
	int64_t last)
{
	struct fx_error *err = NULL;
	bool is_any = false;

	for (size_t i = fx_skip_count(ctx->session); i-- > 0 && !err;) {
		int number = fx_skip_at(ctx->session, i)->number;

		if (number < first || number > last)
			continue;
		is_any = true;
		err = verb->act(ctx, number);
	}
	if (err || is_any || last == INT32_MAX)
		return err;
	return fx_error_hint(fx_error_new(FX_ERR_NO_NAME,
				     "there is no skip %lld", (long long)first),
		"info skip lists them");
}

static FX_NODISCARD struct fx_error *
do_verb(struct cmd_ctx *ctx, const struct verb *verb)
{
	size_t count = cmd_arg_count(ctx, "where");
	struct fx_error *err = NULL;

	if (count == 1)
		return do_all(ctx, verb, 0, INT32_MAX);
	for (size_t i = 1; i < count && !err; i++) {
		int64_t first;
		int64_t last;

		err = read_range(cmd_arg_text_at(ctx, "where", i), &first,
			&last);
		if (!err)
			err = do_all(ctx, verb, first, last);
	}
	return err;
}

/* The scope in which execution stands, else the node. */
static FX_NODISCARD struct fx_error *
default_place(struct cmd_ctx *ctx, char **ret)
{
	struct fx_node *node;
	const char *scope;
	struct fx_error *err = cmd_here(ctx, &node);

	if (err)
		return fx_error_hint(err, "skip NODE, or skip {in SCOPE}");
	scope = fx_position_scope(ctx->model, node);
	*ret = *scope ? fx_xstrdup(scope) : fx_xasprintf("%%%s", node->name);
	return NULL;
}

static FX_NODISCARD struct fx_error *
add(struct cmd_ctx *ctx, const char *where, bool is_file)
{
	const struct fx_breakpoint *skip;
	struct fx_error *err =
		fx_skip_add(ctx->session, ctx->model, where, is_file, &skip);

	if (err)
		return err;
	out_value_int(ctx->out, "number", skip->number);
	out_value_int(ctx->out, "matches", (int64_t)skip->match_count);
	out_line(ctx->out, FX_ROLE_BREAKPOINT,
		"Skip %d: %s, %zu node%s; step goes through without stopping.",
		skip->number, skip->where, skip->match_count,
		skip->match_count == 1 ? "" : "s");
	return NULL;
}

struct fx_error *
cmd_skip_exec(struct cmd_ctx *ctx)
{
	const char *where = cmd_arg_text(ctx, "where");
	const char *more = cmd_arg_text_at(ctx, "where", 1);
	const struct verb *verb = find_verb(where);
	FX_AUTO_FREE char *place = NULL;
	bool is_file = where && !strcmp(where, "file");
	struct fx_error *err;

	if (verb)
		return do_verb(ctx, verb);
	if (is_file && !more)
		return fx_error_hint(fx_error_new(FX_ERR_USAGE,
					     "skip file: expected the name of "
					     "a file"),
			"skip file net.py");
	if (is_file || (where && more && !strcmp(where, "function")))
		return add(ctx, more, is_file);
	if (more)
		return fx_error_hint(fx_error_new(FX_ERR_USAGE,
					     "skip takes one place, and \"%s\" "
					     "is another",
					     more),
			"skip {%s or %s}", where, more);
	if (where)
		return add(ctx, where, false);
	err = default_place(ctx, &place);
	return err ? err : add(ctx, place, false);
}

void
cmd_add_skips(struct fx_buf *out, struct fx_session *session)
{
	for (size_t i = 0; i < fx_skip_count(session); i++) {
		const struct fx_breakpoint *skip = fx_skip_at(session, i);

		fx_buf_addf(out, "skip %s\n", skip->where);
		if (!skip->is_enabled)
			fx_buf_addf(out, "skip disable %zu\n", i + 1);
	}
}

struct fx_error *
cmd_say_skips(struct cmd_ctx *ctx)
{
	static const char *const keys[] = { "number", "state", "where",
		"nodes" };
	size_t count = fx_skip_count(ctx->session);

	if (!count) {
		out_line(ctx->out, FX_ROLE_PLAIN, "No skips.");
		return NULL;
	}
	out_table_begin(ctx->out, "skips", FX_ARRAY_LEN(keys), keys);
	for (size_t i = 0; i < count; i++) {
		const struct fx_breakpoint *skip = fx_skip_at(ctx->session, i);

		out_cell_int(ctx->out, FX_ROLE_NUMBER, skip->number);
		out_cell(ctx->out, FX_ROLE_PLAIN, "%s%s",
			skip->is_enabled ? "on" : "off",
			skip->is_pending ? ", pending" : "");
		out_cell(ctx->out, FX_ROLE_PLAIN, "%s", skip->where);
		out_cell_int(ctx->out, FX_ROLE_NUMBER,
			(int64_t)skip->match_count);
	}
	out_table_end(ctx->out);
	return NULL;
}
