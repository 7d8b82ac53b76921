/* fxdb-draw.c - the Graphviz helper program: DOT in, a picture out.
 *
 *	fxdb-draw [-K dot|nop2] [-T FORMAT] <graph.dot >graph.svg
 *
 * A program of its own because Graphviz can hang, abort and crash, and because
 * its licence does not mix with Readline's: this links no Readline.  Where
 * possible its plugins are linked in, so that no registry file is needed and
 * the output does not depend on the fonts of the machine.
 */
#include <config.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cgraph.h>
#include <gvc.h>

enum {
	INPUT_MAX = 1 << 30,
};

#ifdef FX_GRAPHVIZ_PRELOADED
extern gvplugin_library_t gvplugin_core_LTX_library;
extern gvplugin_library_t gvplugin_dot_layout_LTX_library;
extern gvplugin_library_t gvplugin_neato_layout_LTX_library;

/* Graphviz's name for its table of linked plugins. */
extern lt_symlist_t lt_preloaded_symbols[];
lt_symlist_t lt_preloaded_symbols[] = {
	{ "gvplugin_dot_layout_LTX_library", &gvplugin_dot_layout_LTX_library },
	{ "gvplugin_neato_layout_LTX_library",
		&gvplugin_neato_layout_LTX_library },
	{ "gvplugin_core_LTX_library", &gvplugin_core_LTX_library },
	{ NULL, NULL },
};
#endif

/* Messages arrive in fragments; the callback takes no user pointer, so the
 * first line is collected here.
 */
static char message[1024];

static int
collect(char *fragment)
{
	size_t used = strlen(message);

	snprintf(message + used, sizeof(message) - used, "%s", fragment);
	return 0;
}

static int
fail(const char *what)
{
	message[strcspn(message, "\n")] = '\0';
	fprintf(stderr, "%s%s%s\n", what, *message ? ": " : "", message);
	return EXIT_FAILURE;
}

/* Do not outlive fxdb, nor take its machine down. */
static void
limit_self(void)
{
	struct rlimit none = { 0, 0 };

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setrlimit(RLIMIT_CORE, &none);
#ifndef FX_SANITIZERS
	{
		struct rlimit memory = { 4UL << 30, 4UL << 30 };

		setrlimit(RLIMIT_AS, &memory);
	}
#endif
}

static char *
read_all(FILE *file)
{
	size_t size = 0;
	size_t capacity = 1 << 16;
	char *text = malloc(capacity + 1);

	while (text && size < INPUT_MAX) {
		size_t got = fread(text + size, 1, capacity - size, file);
		char *larger;

		if (!got)
			break;
		size += got;
		if (size < capacity)
			continue;
		capacity *= 2;
		larger = realloc(text, capacity + 1);
		if (!larger)
			free(text);
		text = larger;
	}
	if (text)
		text[size] = '\0';
	return text;
}

/* The option after WORD, or MISSING. */
static const char *
option(int argc, char **argv, const char *word, const char *missing)
{
	for (int i = 1; i + 1 < argc; i++)
		if (strcmp(argv[i], word) == 0)
			return argv[i + 1];
	return missing;
}

static int
draw(GVC_t *context, const char *text, const char *engine, const char *format)
{
	Agraph_t *graph = agmemread(text);
	char *picture = NULL;
	unsigned length = 0;
	int status = EXIT_SUCCESS;

	if (!graph)
		return fail("the graph cannot be read");
	agreseterrors();
	if (gvLayout(context, graph, engine) != 0 || agerrors() > 0)
		status = fail("no layout");
	else if (gvRenderData(context, graph, format, &picture, &length) != 0)
		status = fail("no picture");
	else if (fwrite(picture, 1, length, stdout) != length ||
		 fflush(stdout) != 0)
		status = fail("the picture cannot be written");
	if (picture)
		gvFreeRenderData(picture);
	gvFreeLayout(context, graph);
	agclose(graph);
	return status;
}

int
main(int argc, char **argv)
{
	const char *engine = option(argc, argv, "-K", "dot");
	const char *format = option(argc, argv, "-T", "svg");
	GVC_t *context;
	char *text;
	int status;

	limit_self();
	agseterrf(collect);
	text = read_all(stdin);
	if (!text)
		return fail("out of memory");
#ifdef FX_GRAPHVIZ_PRELOADED
	context = gvContextPlugins(lt_preloaded_symbols, 0);
#else
	context = gvContext();
#endif
	status = context ? draw(context, text, engine, format)
			 : fail("Graphviz does not start");
	if (context)
		gvFreeContext(context);
	free(text);
	return status;
}
