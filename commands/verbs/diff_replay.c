/* diff_replay.c - diff --script: the lines are typed once more, before anybody
 * else types them, in a session that nobody sees.
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/tick.h"
#include "commands/out/out.h"
#include "commands/out/record.h"
#include "commands/shell/cmd.h"
#include "commands/verbs/diff.h"
#include "emit/edits.h"
#include "ir/clone.h"
#include "ir/diff.h"
#include "ir/graph.h"
#include "session/model.h"
#include "session/session.h"

struct replay {
	struct fx_session *session;
	struct cmd_shell *shell;
	struct out_recording *recording;
	struct out *out;
};

static void
begin(struct replay *replay, const struct fx_graph *before)
{
	replay->session = fx_session_new();
	replay->shell = cmd_shell_new(replay->session);
	cmd_shell_restrict(replay->shell);
	replay->recording = out_recording_new();
	replay->out = out_new_recording(replay->recording);
	fx_session_add_graph(replay->session,
		fx_graph_clone(before, fx_session_serial(replay->session),
			NULL),
		"replay", "diff --script");
}

static void
end(struct replay *replay)
{
	out_free(replay->out);
	out_recording_free(replay->recording);
	cmd_shell_free(replay->shell);
	fx_session_free(replay->session);
}

/* Type the lines of TEXT until one is refused, *REFUSED_RET; its error. */
static struct fx_error *
type_lines(struct replay *replay, const char *text, const struct fx_tick *tick,
	const char **refused_ret)
{
	struct fx_error *err = NULL;

	while (*text && !err && !fx_tick_is_pressed(tick)) {
		const char *next = fx_str_next_line(text);
		size_t length = strcspn(text, "\n");
		FX_AUTO_FREE char *line = fx_xstrndup(text, length);

		err = cmd_run(replay->shell, line, replay->out);
		out_recording_clear(replay->recording);
		*refused_ret = text;
		text = next;
	}
	return err;
}

/* Without libtorch nobody knows what numbers a line gives. */
static bool
computes(struct replay *replay)
{
	struct fx_error *err = cmd_run(replay->shell,
		"assert torch.ones(()).item() == 1", replay->out);
	bool has_failed = err != NULL;

	fx_error_free(err);
	return !has_failed;
}

/* Whether all modules of AFTER are there, with their values. */
static bool
has_modules(const struct fx_graph *made, const struct fx_graph *after)
{
	struct fx_module_change *rows;
	size_t count;
	bool has_all = true;

	fx_module_diff(made->module, after->module, &rows, &count);
	for (size_t i = 0; i < count; i++)
		has_all &= rows[i].kind == FX_CHANGE_REMOVED;
	free(rows);
	return has_all;
}

static bool
is_made(const struct replay *replay, const struct fx_graph *after)
{
	const struct fx_graph *made =
		fx_model_graph(fx_session_model(replay->session));

	return fx_edits_read_same(made, after) && has_modules(made, after);
}

bool
cmd_diff_replay(struct fx_buf *text, const struct fx_graph *before,
	const struct fx_graph *after, const struct fx_tick *tick, bool is_said)
{
	struct replay replay;
	const char *refused = NULL;
	struct fx_error *err;
	bool is_good;

	begin(&replay, before);
	err = type_lines(&replay, fx_buf_text(text), tick, &refused);
	if (err && !computes(&replay)) {
		fx_error_free(err);
		end(&replay);
		return true;
	}
	is_good = !err && (!is_said || is_made(&replay, after));
	if (err) {
		FX_AUTO_FREE char *line =
			fx_xstrndup(refused, strcspn(refused, "\n"));

		fx_buf_addf(text, "# refused: %s: %s\n", line,
			fx_error_message(err));
	} else if (!is_good && !fx_tick_is_pressed(tick)) {
		fx_buf_add(text, "# these lines do not make that graph\n");
	}
	fx_error_free(err);
	end(&replay);
	return is_good;
}
