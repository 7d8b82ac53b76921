/* doctor.c - fxdb --doctor: what was found on this machine. */
#include <config.h>

#include <langinfo.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "commands/out/out.h"
#include "draw/draw.h"
#include "guest/python.h"
#include "guest/shim.h"
#include "ui/ui.h"

static void
say(struct ui *ui, const char *what, const char *state, const char *remedy)
{
	out_cell(ui->out, FX_ROLE_KEYWORD, "%s", what);
	out_cell(ui->out, FX_ROLE_PLAIN, "%s", state);
	out_cell(ui->out, FX_ROLE_NOTE, "%s", remedy);
}

static void
say_terminal(struct ui *ui)
{
	const char *term = getenv("TERM");
	const char *codeset = nl_langinfo(CODESET);
	bool utf8 = codeset && !strcmp(codeset, "UTF-8");

	say(ui, "terminal",
		isatty(STDOUT_FILENO) ? (term ? term : "TERM is not set")
				      : "standard output is not a terminal",
		"");
	say(ui, "characters", codeset ? codeset : "unknown",
		utf8 ? "" : "--ascii, or a locale with UTF-8");
}

static void
say_graphviz(struct ui *ui)
{
#ifdef FX_WITH_GRAPHVIZ
	FX_AUTO_FREE char *path = fx_draw_program();
	bool is_there = access(path, X_OK) == 0;

	say(ui, "Graphviz", is_there ? path : "fxdb-draw is missing",
		is_there ? "" : "install fxdb again: no drawings without it");
#else
	say(ui, "Graphviz", "not built in: no SVG drawings",
		"install libgraphviz-dev and configure again");
#endif
}

/* IS_NEXT: no Python before it has torch.  The caller frees. */
static char *
python_state(const struct fx_python *python, bool is_next)
{
	if (!python->runs)
		return fx_xasprintf("%s (%s) does not run", python->path,
			python->from);
	return fx_xasprintf("%s (%s): Python %s, torch %s%s", python->path,
		python->from, python->version,
		python->torch ? python->torch : "none",
		python->torch && is_next ? "; trace takes it" : "");
}

/* Print each Python that `trace` would try, and which one it takes. */
static void
say_pythons(struct ui *ui)
{
	FX_AUTO_FREE char *package = fx_python_package();
	struct fx_python *pythons;
	size_t count;
	bool taken = false;

	say(ui, "capture", package ? package : "not built in",
		package ? "" : "install python3-dev and configure again");
	fx_pythons_find(ui->options->python, &pythons, &count);
	fx_pythons_ask(pythons, count);
	for (size_t i = 0; i < count; i++) {
		const struct fx_python *python = &pythons[i];
		FX_AUTO_FREE char *state = python_state(python, !taken);

		say(ui, "Python", state,
			taken || python->torch || i + 1 < count
				? ""
				: "install python3-torch, or --python PATH");
		taken = taken || python->torch;
	}
	fx_pythons_free(pythons, count);
}

/* For fx_shim_describe. */
static void
say_fact(void *context, const char *what, const char *state, const char *remedy)
{
	say(context, what, state, remedy);
}

void
ui_doctor(struct ui *ui)
{
	static const char *const keys[] = { "part", "state", "remedy" };

	out_command_begin(ui->out, "doctor");
	out_table_begin(ui->out, "parts", FX_ARRAY_LEN(keys), keys);
	say(ui, "fxdb", PACKAGE_VERSION, "");
#ifdef FX_WITH_CURSES
	say(ui, "full screen", "built in", "");
#else
	say(ui, "full screen", "not built in",
		"install libncurses-dev and configure again");
#endif
	say_terminal(ui);
	say_graphviz(ui);
	say_pythons(ui);
	fx_shim_describe(say_fact, ui);
	out_table_end(ui->out);
	out_command_end(ui->out, true);
}
