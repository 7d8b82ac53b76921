/* dump.c - print an .fxg file in one of torch.fx's forms, for oracle.py.
 *
 * usage: dump python|readable|listing|table FILE
 *	  dump nested FILE	the code of each graph within, after its path
 */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/intern.h"
#include "emit/fx.h"
#include "emit/python.h"
#include "emit/table.h"
#include "ir/graph.h"
#include "ir/module.h"
#include "load/open.h"

static void
print(struct fx_buf *out, struct fx_graph *graph, const char *form)
{
	struct fx_emit_python options = { .exact = true };

	options.verbose = strcmp(form, "readable") == 0;
	if (strcmp(form, "listing") == 0)
		fx_emit_fx(out, graph, NULL);
	else if (strcmp(form, "table") == 0)
		fx_emit_table(out, graph);
	else
		fx_emit_python(out, graph, &options, NULL);
}

static void
print_nested(struct fx_buf *out, struct fx_graph *graph)
{
	struct fx_module_walk *walk = fx_module_walk_new(graph->module, true);
	struct fx_module *module;
	const char *path;

	while (fx_module_walk_next(walk, &module, &path)) {
		if (!module->graph)
			continue;
		fx_buf_addf(out, "\ngraph %s\n", path);
		print(out, module->graph, "python");
	}
	fx_module_walk_free(walk);
}

FX_NODISCARD static struct fx_error *
dump(const char *form, const char *path)
{
	FX_AUTO_BUF struct fx_buf out = { 0 };
	FX_AUTO_LOADED struct fx_loaded loaded = { .graph = NULL };
	struct fx_error *err = fx_open(path, 1, &loaded);

	if (err)
		return err;
	if (strcmp(form, "nested") == 0)
		print_nested(&out, loaded.graph);
	else
		print(&out, loaded.graph, form);
	fwrite(fx_buf_text(&out), 1, out.length, stdout);
	return NULL;
}

int
main(int argc, char **argv)
{
	struct fx_error *err;

	if (argc != 3) {
		fprintf(stderr,
			"usage: dump python|readable|listing|table|nested "
			"FILE\n");
		return EXIT_FAILURE;
	}
	err = dump(argv[1], argv[2]);
	if (err) {
		fprintf(stderr, "%s\n", fx_error_message(err));
		fx_error_free(err);
	}
	fx_intern_shutdown();
	return err ? EXIT_FAILURE : EXIT_SUCCESS;
}
