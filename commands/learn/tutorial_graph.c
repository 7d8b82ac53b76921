/* tutorial_graph.c - the graphs and the file of the lesson that is on.
 *
 * Most lessons open a graph of their own.  A lesson of a file of one's own puts
 * the file into the current folder and follows the current graph, since there
 * the person opens it, and may open it again after mending the file.
 */
#include <config.h>

#include "commands/learn/tutorial.h"

#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "commands/out/out.h"
#include "commands/shell/data_files.h"
#include "commands/shell/shell.h"
#include "ir/graph.h"
#include "session/model.h"
#include "session/session.h"

/* Bytes of a lesson's file. */
#define FILE_LIMIT ((size_t)1 << 16)

static struct fx_model *
find_model(struct cmd_shell *shell, int number)
{
	FX_AUTO_FREE char *name = fx_xasprintf("%d", number);

	return number ? fx_session_find_model(shell->session, name) : NULL;
}

/* Take the current graph for the lesson's if it is of the lesson's class. */
static void
follow(struct cmd_shell *shell)
{
	struct cmd_tutorial *tutorial = shell->tutorial;
	const char *class_name = tutorial->lesson.class_name;
	struct fx_model *model = fx_session_model(shell->session);

	if (!*class_name || !model ||
		fx_model_number(model) < tutorial->first ||
		strcmp(fx_model_graph(model)->class_name, class_name) != 0)
		return;
	tutorial->model = fx_model_number(model);
}

struct fx_model *
cmd_tutorial_model(struct cmd_shell *shell)
{
	follow(shell);
	return find_model(shell, shell->tutorial->model);
}

bool
cmd_tutorial_waits_for_model(const struct cmd_tutorial *tutorial)
{
	return *tutorial->lesson.class_name && !tutorial->model;
}

bool
cmd_tutorial_owns(const struct cmd_shell *shell, const struct fx_model *model)
{
	return shell->tutorial &&
	       shell->tutorial->model == fx_model_number(model);
}

static FX_NODISCARD struct fx_error *
run_silently(struct cmd_shell *shell, const char *line)
{
	FX_AUTO_BUF struct fx_buf said = { 0 };
	struct out_stream stream = out_stream_buffer(&said, false);
	struct out *out = out_new_plain(&stream);
	struct fx_error *err = cmd_run(shell, line, out);

	out_free(out);
	return err;
}

struct fx_error *
cmd_tutorial_answer(struct cmd_shell *shell, const struct cmd_step *step)
{
	struct fx_error *err = run_silently(shell, step->line);

	if (!err || !*step->instead)
		return err;
	fx_error_free(err);
	return run_silently(shell, step->instead);
}

/* --- the file ----------------------------------------------------------- */

static FX_NODISCARD struct fx_error *
copy_file(struct cmd_shell *shell, const char *name)
{
	FX_AUTO_FREE char *path = NULL;
	FX_AUTO_FREE char *text = NULL;
	size_t size;
	struct fx_error *err = cmd_data_files(CMD_BUNDLE_EXAMPLES, name, &path);

	if (!err &&
		(shell->restricted || fx_session_is_read_only(shell->session)))
		err = fx_error_new(FX_ERR_READ_ONLY, "no file is written here");
	if (!err)
		err = fx_file_read(path, FILE_LIMIT, &text, &size);
	if (!err)
		err = fx_file_write(name, text, size);
	return err;
}

/* A file of that name is the person's, who may have mended it. */
static void
put_file(struct cmd_shell *shell, struct out *out, const char *name)
{
	struct fx_error *err = NULL;

	if (access(name, F_OK) == 0) {
		if (out)
			out_line(out, FX_ROLE_NOTE,
				"%s is in this folder already, and stays as "
				"it is.",
				name);
		return;
	}
	err = copy_file(shell, name);
	if (err && out)
		out_line(out, FX_ROLE_NOTE, "%s is not in this folder: %s",
			name, fx_error_message(err));
	else if (out)
		out_line(out, FX_ROLE_NOTE, "%s is in this folder now.", name);
	fx_error_free(err);
}

/* --- opening and closing ------------------------------------------------ */

static FX_NODISCARD struct fx_error *
load_model(struct cmd_shell *shell)
{
	struct cmd_tutorial *tutorial = shell->tutorial;
	FX_AUTO_FREE char *path = NULL;
	FX_AUTO_FREE char *line = NULL;
	struct fx_model *made;
	struct fx_error *err = cmd_data_files(CMD_BUNDLE_EXAMPLES,
		tutorial->lesson.model, &path);

	if (err)
		return err;
	line = fx_xasprintf("load \"%s\" as lesson", path);
	err = run_silently(shell, line);
	if (err)
		return err;
	made = fx_session_model(shell->session);
	tutorial->model = tutorial->first = fx_model_number(made);
	/* A save without a name must not change what lessons begin with. */
	fx_model_set_path(made, NULL);
	/* Without values nothing can be broken, and those steps are left out.
	 */
	if (*tutorial->lesson.breaks)
		fx_error_free(run_silently(shell, tutorial->lesson.breaks));
	return NULL;
}

/* The number that the next graph gets, or less. */
static int
next_number(struct fx_session *session)
{
	int number = 0;

	for (size_t i = 0; i < fx_session_model_count(session); i++) {
		int its = fx_model_number(fx_session_model_at(session, i));

		number = its > number ? its : number;
	}
	return number + 1;
}

struct fx_error *
cmd_tutorial_open(struct cmd_shell *shell, struct out *out)
{
	struct cmd_tutorial *tutorial = shell->tutorial;
	struct fx_model *before = fx_session_model(shell->session);
	struct fx_error *err = NULL;

	tutorial->first = next_number(shell->session);
	if (*tutorial->lesson.model)
		err = load_model(shell);
	else
		put_file(shell, out, tutorial->lesson.file);
	if (!err && before)
		tutorial->before = fx_model_number(before);
	return err;
}

/* The graph that a step of the lesson made under NAME, not the person's. */
static struct fx_model *
find_aside(struct cmd_shell *shell, const char *name)
{
	struct fx_model *model =
		*name ? fx_session_find_model(shell->session, name) : NULL;

	if (!model || fx_model_number(model) < shell->tutorial->first)
		return NULL;
	return model;
}

void
cmd_tutorial_close(struct cmd_shell *shell)
{
	struct cmd_tutorial *tutorial = shell->tutorial;
	struct fx_model *model = cmd_tutorial_model(shell);
	struct fx_model *aside = find_aside(shell, tutorial->lesson.aside);
	struct fx_model *before = find_model(shell, tutorial->before);

	if (model)
		cmd_shell_drop(shell, model);
	if (aside)
		cmd_shell_drop(shell, aside);
	if (before)
		fx_session_switch(shell->session, before);
	tutorial->model = 0;
	tutorial->before = 0;
}
