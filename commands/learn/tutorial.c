/* tutorial.c - lessons that see what the person did.
 *
 * A lesson has a graph of its own.  After each typed line the checks of the
 * step are made; however they came to be true, the step is done.  What is
 * kept between sessions is how many steps are done: going on opens the graph
 * anew and runs their answers, so that the graph is as the step expects it.
 */
#include <config.h>

#include "commands/learn/tutorial.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "commands/learn/help.h"
#include "commands/out/out.h"
#include "commands/shell/groups.h"
#include "commands/shell/shell.h"
#include "session/model.h"
#include "session/position.h"
#include "session/resolve.h"
#include "session/session.h"

/* Bytes of the file that says how far one got. */
#define STATE_LIMIT 100

void
cmd_tutorial_free(struct cmd_tutorial *tutorial)
{
	if (!tutorial)
		return;
	cmd_lesson_deinit(&tutorial->lesson);
	free(tutorial);
}

/* --- how far one got ---------------------------------------------------- */

/* The file is for the next session: that it cannot be written is no error. */
static void
save_state(struct cmd_shell *shell)
{
	const struct cmd_tutorial *tutorial = shell->tutorial;
	FX_AUTO_BUF struct fx_buf text = { 0 };
	FX_AUTO_FREE char *path = NULL;

	if (shell->restricted || fx_session_is_read_only(shell->session))
		return;
	path = fx_file_state("tutorial");
	if (!path)
		return;
	fx_buf_addf(&text, "%zu %zu\n", tutorial->number + 1, tutorial->step);
	fx_error_free(fx_file_write(path, fx_buf_text(&text), text.length));
}

static void
load_state(struct cmd_shell *shell, size_t *number_ret, size_t *step_ret)
{
	FX_AUTO_FREE char *path = NULL;
	FX_AUTO_FREE char *text = NULL;
	struct fx_error *err = NULL;
	size_t size;
	char *rest;

	*number_ret = *step_ret = 0;
	if (shell->tutorial) {
		*number_ret = shell->tutorial->number;
		*step_ret = shell->tutorial->step;
		return;
	}
	path = shell->restricted ? NULL : fx_file_state("tutorial");
	if (path)
		err = fx_file_read(path, STATE_LIMIT, &text, &size);
	fx_error_free(err);
	if (!path || err)
		return;
	*number_ret = strtoul(text, &rest, 10) - 1;
	*step_ret = strtoul(rest, NULL, 10);
	if (*number_ret >= cmd_lesson_count())
		*number_ret = *step_ret = 0;
}

/* --- steps -------------------------------------------------------------- */

static const struct cmd_step *
this_step(const struct cmd_tutorial *tutorial)
{
	return &tutorial->lesson.steps.items[tutorial->step];
}

static bool
is_true(struct cmd_shell *shell, struct fx_model *model, const char *text)
{
	bool truth = false;
	struct fx_error *err =
		fx_resolve_condition(shell->session, model, text, &truth);

	fx_error_free(err);
	return !err && truth;
}

static bool
is_at(const struct fx_model *model, const char *name)
{
	const struct fx_node *node = fx_position_node(model);

	if (!fx_position_is_started(model))
		return false;
	return !strcmp(node ? node->name : "end", name);
}

/* Whether ENTRY is one of NAMES, separated by blanks. */
static bool
is_one_of(const struct cmd_entry *entry, const char *names)
{
	return entry &&
	       fx_str_has_word(names, ' ', entry->name, strlen(entry->name));
}

static bool
holds(struct cmd_shell *shell, struct fx_model *model,
	const struct cmd_check *check)
{
	switch (check->kind) {
	case CMD_CHECK_SAID:
		return cmd_shell_has_said(shell, check->text);
	case CMD_CHECK_UNSAID:
		return !cmd_shell_has_said(shell, check->text);
	case CMD_CHECK_RAN:
		return is_one_of(shell->ran, check->text);
	case CMD_CHECK_AT:
		return is_at(model, check->text);
	case CMD_CHECK_IS:
		return is_true(shell, model, check->text);
	}
	return false;
}

static bool
is_done(struct cmd_shell *shell, struct fx_model *model)
{
	const struct cmd_step *step = this_step(shell->tutorial);
	const struct cmd_check *check;

	fx_vec_for_each (check, &step->checks)
		if (!holds(shell, model, check))
			return false;
	return true;
}

static bool
can_be_done(struct cmd_shell *shell, const struct cmd_step *step)
{
	struct fx_model *model = cmd_tutorial_model(shell);

	return !*step->needs || (model && is_true(shell, model, step->needs));
}

static void
say_step(struct cmd_shell *shell, struct out *out)
{
	const struct cmd_tutorial *tutorial = shell->tutorial;
	const struct cmd_step *step = this_step(tutorial);

	out_line(out, FX_ROLE_PLAIN, "%s", "");
	cmd_say_wrapped(out, step->say, 0);
	out_piece(out, FX_ROLE_MUTED, "[%zu/%zu] ", tutorial->step + 1,
		tutorial->lesson.steps.count);
	out_piece(out, FX_ROLE_HEAD, "%s", step->task);
	out_line_end(out);
}

static void
end_lesson(struct cmd_shell *shell, struct out *out)
{
	struct cmd_tutorial *tutorial = shell->tutorial;

	out_line(out, FX_ROLE_PLAIN, "%s", "");
	cmd_say_wrapped(out, tutorial->lesson.end, 0);
	tutorial->is_on = false;
	tutorial->number = (tutorial->number + 1) % cmd_lesson_count();
	tutorial->step = 0;
	save_state(shell);
}

/* The next step that can be done here, or the end. */
static void
go_on(struct cmd_shell *shell, struct out *out)
{
	struct cmd_tutorial *tutorial = shell->tutorial;
	size_t count = tutorial->lesson.steps.count;

	tutorial->tries = 0;
	while (tutorial->step < count &&
		!can_be_done(shell, this_step(tutorial))) {
		out_line(out, FX_ROLE_NOTE,
			"[%zu/%zu] is left out: it needs values, and there "
			"are none here (fxdb --doctor).",
			tutorial->step + 1, count);
		tutorial->step++;
	}
	if (tutorial->step == count) {
		end_lesson(shell, out);
		return;
	}
	save_state(shell);
	say_step(shell, out);
}

/* WORD is said before what the step taught; "": it taught nothing. */
static void
pass_step(struct cmd_shell *shell, struct out *out, const char *word)
{
	struct cmd_tutorial *tutorial = shell->tutorial;
	FX_AUTO_FREE char *text =
		fx_xasprintf("%s %s", word, this_step(tutorial)->done);

	if (*word)
		cmd_say_wrapped(out, text, 0);
	tutorial->step++;
	go_on(shell, out);
}

/* --- what is seen ------------------------------------------------------- */

/* Whether the last command is a part of an answer, as break before continue. */
static bool
is_on_the_way(struct cmd_shell *shell)
{
	return is_one_of(shell->ran, this_step(shell->tutorial)->way);
}

static bool
is_answer(const struct cmd_step *step, const char *line)
{
	size_t length = strlen(step->line);

	return fx_str_starts(line, step->line) &&
	       line[length + strspn(line + length, " \t")] == '\0';
}

/* Return advice, which the caller frees, after LINE did not complete the step,
 * or failed.
 */
static char *
advice_after(struct cmd_shell *shell, const char *line, bool has_failed)
{
	const struct cmd_tutorial *tutorial = shell->tutorial;
	const struct cmd_step *step = this_step(tutorial);
	struct fx_model *model = cmd_tutorial_model(shell);
	struct fx_node *stop = model && fx_position_is_started(model)
				       ? fx_position_node(model)
				       : NULL;

	if (is_answer(step, line) && stop &&
		fx_model_has_breakpoint(model, stop))
		return fx_xasprintf("the breakpoint at %s stopped it; %s "
				    "again goes on.",
			stop->name, step->line);
	if (is_answer(step, line) && *step->instead && !model)
		return fx_xasprintf("%s is right; where it cannot be done, %s "
				    "leads on.",
			step->line, step->instead);
	if (is_answer(step, line) && has_failed)
		return fx_xasprintf("%s is right, but the graph is no longer "
				    "as the steps before left it (tutorial "
				    "skip makes it so and does it), or the "
				    "error has another reason.",
			step->line);
	if (is_answer(step, line))
		return fx_xasprintf("%s is right, but the graph is no longer "
				    "as the steps before left it; tutorial "
				    "skip makes it so and does it.",
			step->line);
	if (!tutorial->tries)
		return fx_xasprintf("%s", step->hint);
	return fx_xasprintf("%s does it; tutorial skip types it for you.",
		step->line);
}

static struct fx_error *
say_not_yet(struct cmd_shell *shell, struct out *out, const char *line,
	struct fx_error *err)
{
	FX_AUTO_FREE char *text = advice_after(shell, line, err != NULL);

	shell->tutorial->tries++;
	if (err)
		return fx_error_note(err, "lesson: %s", text);
	out_command_begin(out, "tutorial");
	out_line(out, FX_ROLE_NOTE, "Not yet: %s", text);
	out_command_end(out, true);
	return NULL;
}

static void
end_for_want_of_model(struct cmd_shell *shell, struct out *out)
{
	shell->tutorial->is_on = false;
	out_command_begin(out, "tutorial");
	out_line(out, FX_ROLE_NOTE,
		"The lesson's graph is closed; tutorial opens it again.");
	out_command_end(out, true);
}

struct fx_error *
cmd_tutorial_see(struct cmd_shell *shell, struct out *out, const char *line,
	struct fx_error *err)
{
	struct cmd_tutorial *tutorial = shell->tutorial;
	struct fx_model *model;
	bool is_right;
	bool is_aside =
		shell->ran ? (shell->ran->needs & CMD_ASIDE) != 0 : !err;

	if (!tutorial->is_on || is_aside || shell->is_quitting)
		return err;
	model = cmd_tutorial_model(shell);
	if (!model && !cmd_tutorial_waits_for_model(tutorial)) {
		end_for_want_of_model(shell, out);
		return err;
	}
	/* A command that failed did nothing, whatever holds beside it. */
	is_right = !err && model && is_done(shell, model);
	if (!is_right && !err && is_on_the_way(shell))
		return NULL;
	if (!is_right)
		return say_not_yet(shell, out, line, err);
	out_command_begin(out, "tutorial");
	pass_step(shell, out, "Right.");
	out_command_end(out, true);
	return err;
}

/* --- the command -------------------------------------------------------- */

/* Run the answers of the steps before STEP, so that the graph is as those steps
 * leave it.
 */
static FX_NODISCARD struct fx_error *
repeat_steps(struct cmd_shell *shell, size_t step)
{
	struct cmd_tutorial *tutorial = shell->tutorial;
	struct fx_error *err = NULL;

	while (!err && tutorial->step < step) {
		const struct cmd_step *done = this_step(tutorial);

		if (can_be_done(shell, done))
			err = cmd_tutorial_answer(shell, done);
		tutorial->step++;
	}
	return err;
}

static struct fx_error *
begin(struct cmd_ctx *ctx, size_t number, size_t step)
{
	struct cmd_shell *shell = ctx->shell;
	struct cmd_tutorial *tutorial = FX_NEW(struct cmd_tutorial);
	struct fx_error *err;

	if (shell->tutorial)
		cmd_tutorial_close(shell);
	cmd_tutorial_free(shell->tutorial);
	shell->tutorial = tutorial;
	cmd_lesson_read(number, &tutorial->lesson);
	tutorial->number = number;
	if (step >= tutorial->lesson.steps.count)
		step = 0;
	err = cmd_tutorial_open(shell, step ? NULL : ctx->out);
	if (!err)
		err = repeat_steps(shell, step);
	if (err)
		return fx_error_hint(err, "tutorial again begins the lesson "
					  "anew");
	tutorial->is_on = true;
	out_line(ctx->out, FX_ROLE_HEAD, "Lesson %zu: %s", number + 1,
		tutorial->lesson.title);
	if (step)
		out_line(ctx->out, FX_ROLE_PLAIN,
			"It goes on; what the first %zu step%s did is done "
			"again.",
			step, step == 1 ? "" : "s");
	else
		cmd_say_wrapped(ctx->out, tutorial->lesson.says, 0);
	go_on(shell, ctx->out);
	return NULL;
}

static struct fx_error *
resume(struct cmd_ctx *ctx)
{
	size_t number;
	size_t step;

	if (ctx->shell->tutorial && ctx->shell->tutorial->is_on) {
		say_step(ctx->shell, ctx->out);
		return NULL;
	}
	load_state(ctx->shell, &number, &step);
	return begin(ctx, number, step);
}

static struct fx_error *
again(struct cmd_ctx *ctx)
{
	size_t number;
	size_t step;

	load_state(ctx->shell, &number, &step);
	return begin(ctx, number, 0);
}

static struct fx_error *
hint(struct cmd_ctx *ctx)
{
	const struct cmd_step *step = this_step(ctx->shell->tutorial);

	out_line(ctx->out, FX_ROLE_PLAIN, "%s", step->hint);
	out_line(ctx->out, FX_ROLE_PLAIN, "This does it: %s", step->line);
	return NULL;
}

static FX_NODISCARD struct fx_error *
type_line(struct cmd_ctx *ctx, const char *line)
{
	out_line(ctx->out, FX_ROLE_PROMPT, "(fxdb) %s", line);
	return cmd_run(ctx->shell, line, ctx->out);
}

static FX_NODISCARD struct fx_error *
type_answer(struct cmd_ctx *ctx)
{
	const struct cmd_step *step = this_step(ctx->shell->tutorial);
	struct fx_error *err = type_line(ctx, step->line);

	if (!err || !*step->instead)
		return err;
	out_line(ctx->out, FX_ROLE_NOTE, "%s", fx_error_message(err));
	fx_error_free(err);
	return type_line(ctx, step->instead);
}

/* Whether the graph is as this step leaves it, whatever was printed. */
static bool
is_left(struct cmd_shell *shell)
{
	struct fx_model *model = cmd_tutorial_model(shell);
	const struct cmd_check *check;

	fx_vec_for_each (check, &this_step(shell->tutorial)->checks)
		if ((check->kind == CMD_CHECK_AT ||
			    check->kind == CMD_CHECK_IS) &&
			!(model && holds(shell, model, check)))
			return false;
	return true;
}

/* Where one ran ahead the answer may not lead on: then the lesson's graph is
 * made anew, as the steps before leave it.
 */
static struct fx_error *
skip(struct cmd_ctx *ctx)
{
	const struct cmd_tutorial *tutorial = ctx->shell->tutorial;
	struct fx_error *err = type_answer(ctx);

	if (err || !is_left(ctx->shell)) {
		fx_error_free(err);
		err = begin(ctx, tutorial->number, tutorial->step);
		if (!err)
			err = type_answer(ctx);
	}
	/* What stands in the person's file may be mended already. */
	if (err && *ctx->shell->tutorial->lesson.file)
		out_line(ctx->out, FX_ROLE_NOTE, "Left out: %s",
			fx_error_message(err));
	else if (err)
		return fx_error_hint(err, "tutorial again begins the lesson "
					  "anew");
	pass_step(ctx->shell, ctx->out, err ? "" : "Done for you.");
	fx_error_free(err);
	return NULL;
}

static struct fx_error *
stop(struct cmd_ctx *ctx)
{
	ctx->shell->tutorial->is_on = false;
	cmd_tutorial_close(ctx->shell);
	out_line(ctx->out, FX_ROLE_PLAIN,
		"Left at step %zu of lesson %zu; tutorial goes on from there.",
		ctx->shell->tutorial->step + 1,
		ctx->shell->tutorial->number + 1);
	return NULL;
}

static const struct {
	const char *word;
	bool within; /* a lesson that is on */
	struct fx_error *(*act)(struct cmd_ctx *ctx);
} words[] = {
	{ "hint", true, hint },
	{ "skip", true, skip },
	{ "stop", true, stop },
	{ "again", false, again },
	{ "list", false, cmd_lesson_list },
};

static struct fx_error *
run_word(struct cmd_ctx *ctx)
{
	const struct cmd_tutorial *tutorial = ctx->shell->tutorial;
	const char *what = cmd_arg_text(ctx, "what");
	char *rest;
	unsigned long number;

	if (!what)
		return resume(ctx);
	for (size_t i = 0; i < FX_ARRAY_LEN(words); i++) {
		if (strcmp(words[i].word, what) != 0)
			continue;
		if (words[i].within && !(tutorial && tutorial->is_on))
			return fx_error_hint(fx_error_new(FX_ERR_USAGE,
						     "no lesson is on"),
				"tutorial");
		return words[i].act(ctx);
	}
	number = strtoul(what, &rest, 10);
	if (*rest || number < 1 || number > cmd_lesson_count())
		return fx_error_hint(fx_error_new(FX_ERR_USAGE,
					     "there is no lesson \"%s\"", what),
			"tutorial list shows them; hint, skip, stop and again "
			"are for the one that is on");
	return begin(ctx, number - 1, 0);
}

struct fx_error *
cmd_tutorial_exec(struct cmd_ctx *ctx)
{
	struct fx_error *err = run_word(ctx);

	/* Not the answers that it may have run. */
	ctx->shell->ran = ctx->entry;
	return err;
}
