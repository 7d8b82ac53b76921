/* overwrite_guard.c - what may be written over. */
#include <config.h>

#include "commands/shell/overwrite_guard.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/map.h"
#include "base/mem.h"
#include "commands/out/out.h"
#include "commands/shell/shell.h"
#include "ir/graph.h"
#include "load/weights_file.h"
#include "session/model.h"
#include "session/session.h"

struct fx_error *
cmd_overwrite_guard_not_written(struct cmd_ctx *ctx)
{
	out_line(ctx->out, FX_ROLE_PLAIN, "Not written.");
	return NULL;
}

/* Whether paths A and B both exist and are the same file. */
static bool
is_same(const char *a, const char *b)
{
	struct stat one;
	struct stat two;

	return stat(a, &one) == 0 && stat(b, &two) == 0 &&
	       one.st_dev == two.st_dev && one.st_ino == two.st_ino;
}

/* The open graph that was read from PATH or saved there, or NULL. */
static struct fx_model *
find_owner(struct fx_session *session, const char *path)
{
	for (size_t i = 0; i < fx_session_model_count(session); i++) {
		struct fx_model *model = fx_session_model_at(session, i);
		const char *own = fx_model_path(model);

		if (own && is_same(own, path))
			return model;
	}
	return NULL;
}

struct fx_error *
cmd_overwrite_guard_allowed(struct cmd_ctx *ctx)
{
	struct fx_error *err = fx_session_need_writable(ctx->session);

	if (!err && ctx->shell->restricted)
		err = fx_error_new(FX_ERR_READ_ONLY,
			"%s: not in a restricted session", ctx->entry->name);
	return err;
}

/* Files that fxdb was told of or wrote. */

static void
deinit_paths(struct cmd_paths *paths)
{
	while (paths->count)
		free(fx_vec_pop(paths));
	fx_vec_deinit(paths);
}

void
cmd_files_deinit(struct cmd_files *files)
{
	deinit_paths(&files->traced);
	deinit_paths(&files->loaded);
	deinit_paths(&files->written);
}

static bool
is_among(const struct cmd_paths *paths, const char *path)
{
	char *const *one;

	fx_vec_for_each (one, paths)
		if (is_same(*one, path))
			return true;
	return false;
}

/* By its full name: the file that is there may be another one later. */
static void
add_path(struct cmd_paths *paths, const char *path)
{
	char *full = realpath(path, NULL);

	if (full && !is_among(paths, full))
		fx_vec_push(paths, full);
	else
		free(full);
}

void
cmd_overwrite_guard_written(struct cmd_ctx *ctx, const char *path)
{
	FX_AUTO_FREE char *full = fx_file_expand(path);

	add_path(&ctx->shell->files.written, full);
}

void
cmd_overwrite_guard_loaded(struct cmd_ctx *ctx, const char *path)
{
	FX_AUTO_FREE char *full = fx_file_expand(path);

	add_path(&ctx->shell->files.loaded, full);
}

char *
cmd_spec_file(const char *spec)
{
	const char *end = strstr(spec, ".py:");

	return fx_xstrndup(spec, end ? (size_t)(end - spec) + 3 : 0);
}

void
cmd_overwrite_guard_traced(struct cmd_ctx *ctx, const char *spec)
{
	FX_AUTO_FREE char *file = cmd_spec_file(spec);
	FX_AUTO_FREE char *full = fx_file_expand(file);

	add_path(&ctx->shell->files.traced, full);
}

/* Whether a node of GRAPH was made by a line of PATH. */
static bool
is_source_of(struct fx_graph *graph, const char *path)
{
	FX_AUTO_MAP struct fx_map seen = { 0 };
	struct fx_node *node;

	fx_graph_for_each_node (node, graph) {
		for (size_t i = 0; node->source && i < node->source->count;
			i++) {
			const char *file = node->source->frames[i].file;

			if (file && fx_map_set(&seen, (uintptr_t)file, 1) &&
				is_same(file, path))
				return true;
		}
	}
	return false;
}

static FX_NODISCARD struct fx_error *
check_source(struct cmd_ctx *ctx, const char *path, const char *full)
{
	bool found = is_among(&ctx->shell->files.traced, full);
	struct stat status;

	if (stat(full, &status) != 0)
		return NULL;
	for (size_t i = 0; !found && i < fx_session_model_count(ctx->session);
		i++)
		found = is_source_of(
			fx_model_graph(fx_session_model_at(ctx->session, i)),
			full);
	if (!found)
		return NULL;
	return fx_error_hint(fx_error_new(FX_ERR_USAGE,
				     "%s is the source of a model and stays as "
				     "it is",
				     path),
		"give another name");
}

static FX_NODISCARD struct fx_error *
need_force(struct fx_error *err_taken)
{
	return fx_error_hint(err_taken, "-f writes over it");
}

struct fx_error *
cmd_overwrite_guard_check(struct cmd_ctx *ctx, const char *path)
{
	FX_AUTO_FREE char *full = fx_file_expand(path);
	struct fx_model *owner = find_owner(ctx->session, full);
	struct fx_error *err = check_source(ctx, path, full);

	if (err || cmd_flag(ctx, "force"))
		return err;
	if (owner)
		return need_force(fx_error_new(FX_ERR_USAGE,
			"%s holds the graph %s", path, fx_model_name(owner)));
	if (fx_weights_file_is_graph(full) ||
		is_among(&ctx->shell->files.loaded, full))
		return need_force(fx_error_new(FX_ERR_USAGE, "%s holds a graph",
			path));
	return NULL;
}

struct fx_error *
cmd_overwrite_guard_check_save(struct cmd_ctx *ctx, const char *path)
{
	FX_AUTO_FREE char *full = fx_file_expand(path);
	struct fx_error *err = check_source(ctx, path, full);

	if (err || cmd_flag(ctx, "force") || find_owner(ctx->session, full) ||
		!is_among(&ctx->shell->files.loaded, full))
		return err;
	return need_force(fx_error_new(FX_ERR_USAGE,
		"%s holds a graph in another form", path));
}

bool
cmd_overwrite_guard_may_replace(struct cmd_ctx *ctx, const char *path)
{
	FX_AUTO_FREE char *full = fx_file_expand(path);
	FX_AUTO_FREE char *question = NULL;
	const char *own = ctx->model ? fx_model_path(ctx->model) : NULL;
	struct stat status;

	if (!ctx->front->is_interactive(ctx->front->context) ||
		cmd_flag(ctx, "force") || stat(full, &status) != 0 ||
		!S_ISREG(status.st_mode) || (own && is_same(own, full)) ||
		is_among(&ctx->shell->files.written, full))
		return true;
	question = fx_xasprintf("%s is there already. Write over it?", path);
	return cmd_confirm(ctx, question);
}
