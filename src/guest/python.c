/* python.c - which Python traces: the user's own. */
#include <config.h>

#include "guest/python.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/vec.h"
#include "guest/process.h"

#define ASK_TIMEOUT_MS 20000

/* Prints Python's version and torch's, or "-" without importing torch. */
static const char question[] =
	"import sys, importlib.util as u\n"
	"s = u.find_spec('torch')\n"
	"v = '-'\n"
	"if s:\n"
	"    v = '?'\n"
	"    try:\n"
	"        import os, re\n"
	"        p = os.path.join(os.path.dirname(s.origin), 'version.py')\n"
	"        m = re.search(r\"__version__ = '([^']+)'\", open(p).read())\n"
	"        v = m.group(1) if m else '?'\n"
	"    except Exception: pass\n"
	"print('%d.%d.%d' % sys.version_info[:3], v)\n";

struct fx_python_vec {
	struct fx_python *items;
	size_t count;
	size_t capacity;
};

static void
ask(struct fx_python *python)
{
	const char *argv[] = { python->path, "-c", question, NULL };
	FX_AUTO_FREE char *text = NULL;
	FX_AUTO_ERROR struct fx_error *err =
		fx_process_output(argv, ASK_TIMEOUT_MS, &text);
	char *blank, *end;

	if (err)
		return;
	blank = strchr(text, ' ');
	end = strchr(text, '\n');
	if (!blank || !end || blank > end)
		return;
	*end = 0;
	python->runs = true;
	python->version = fx_xstrndup(text, (size_t)(blank - text));
	if (strcmp(blank + 1, "-") != 0)
		python->torch = fx_xstrdup(blank + 1);
}

static void
add(struct fx_python_vec *pythons, char *path_taken, const char *from)
{
	struct fx_python python = { .path = path_taken, .from = from };

	for (size_t i = 0; path_taken && i < pythons->count; i++)
		if (strcmp(pythons->items[i].path, path_taken) == 0) {
			free(path_taken);
			return;
		}
	if (path_taken)
		fx_vec_push(pythons, python);
}

void
fx_pythons_find(const char *wanted, struct fx_python **ret, size_t *count_ret)
{
	struct fx_python_vec pythons = { 0 };
	const char *environment = getenv("VIRTUAL_ENV");

	if (wanted) {
		add(&pythons, fx_xstrdup(wanted), "--python");
	} else {
		if (environment && *environment)
			add(&pythons,
				fx_xasprintf("%s/bin/python", environment),
				"$VIRTUAL_ENV");
		add(&pythons, fx_process_find("python3"), "PATH");
		add(&pythons, fx_xstrdup("/usr/bin/python3"), "the system");
	}
	*ret = pythons.items;
	*count_ret = pythons.count;
}

void
fx_pythons_ask(struct fx_python *pythons, size_t count)
{
	for (size_t i = 0; i < count; i++)
		ask(&pythons[i]);
}

void
fx_pythons_free(struct fx_python *pythons, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		free(pythons[i].path);
		free(pythons[i].version);
		free(pythons[i].torch);
	}
	free(pythons);
}

/* Return FOLDER_TAKEN if the package in it has its compiled extension; else
 * free it and return NULL.
 */
static char *
if_complete(char *folder_taken)
{
	FX_AUTO_FREE char *folder = folder_taken;
	FX_AUTO_FREE char *probe = NULL;

	if (!folder)
		return NULL;
	probe = fx_xasprintf("%s/fxdb/_capture.abi3.so", folder);
	return access(probe, R_OK) == 0 ? FX_TAKE(folder) : NULL;
}

char *
fx_python_package(void)
{
	char *folder = if_complete(fx_file_beside_program("src/capture"));

	if (!folder) /* as scripts/wheel lays it out */
		folder = if_complete(fx_file_beside_program("../../.."));
	return folder ? folder
		      : if_complete(fx_file_installed(FX_PKGLIBEXECDIR));
}
