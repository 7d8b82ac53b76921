/* recover.c - the command recover: sessions that died, listed and reopened. */
#include <config.h>

#include <dirent.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "base/blob.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "commands/out/out.h"
#include "commands/shell/recovery.h"
#include "commands/shell/shell.h"
#include "commands/verbs/edit.h"
#include "ir/graph.h"
#include "ir/journal.h"
#include "ir/module.h"
#include "load/delta.h"
#include "load/open.h"
#include "session/model.h"
#include "session/session.h"

/* A session's journal, as far as whole commands reach. */
struct lost {
	char *folder;
	int file; /* locked; -1: not */
	char *text;
	size_t length;
	int64_t started;
	int64_t commands;
	char *last; /* command */
	struct fx_buf graphs;
};

struct lost_list {
	FX_VEC(struct lost) items;
};

static void
lost_deinit(struct lost *lost)
{
	if (lost->file >= 0)
		close(lost->file);
	free(lost->folder);
	free(lost->text);
	free(lost->last);
	fx_buf_deinit(&lost->graphs);
}

static void
list_deinit(struct lost_list *list)
{
	for (size_t i = 0; i < list->items.count; i++)
		lost_deinit(&list->items.items[i]);
	fx_vec_deinit(&list->items);
}
FX_DEFINE_DEINIT(lost_list, struct lost_list, list_deinit);

/* The line at *AT as an object, the caller's, and *AT behind it; NULL when it
 * is none or has no end.
 */
static json_t *
next_line(const char **at, const char *end)
{
	const char *newline = memchr(*at, '\n', (size_t)(end - *at));
	json_t *object;

	if (!newline)
		return NULL;
	object = json_loadb(*at, (size_t)(newline - *at), 0, NULL);
	*at = newline + 1;
	return object;
}

static int64_t
int_of(const json_t *object, const char *key)
{
	return json_integer_value(json_object_get(object, key));
}

static const char *
text_of(const json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}

/* The lines of a transaction follow its own. */
static bool
skip_edit(const json_t *object, const char **at, const char *end)
{
	int64_t bytes = int_of(object, "bytes");

	if (!json_object_get(object, "edit"))
		return true;
	if (bytes < 0 || bytes > end - *at)
		return false;
	*at += bytes;
	return true;
}

/* Go through the journal: what it holds, and where its last command ends. */
static void
survey(struct lost *lost)
{
	const char *end = lost->text + lost->length;
	const char *at = lost->text;
	size_t whole = 0;
	json_t *object;

	while (at < end && (object = next_line(&at, end))) {
		const char *name = text_of(object, "name");
		bool good = skip_edit(object, &at, end);

		if (json_object_get(object, "session"))
			lost->started = int_of(object, "started");
		if (json_object_get(object, "graph") && name)
			fx_buf_addf(&lost->graphs, "%s%s",
				lost->graphs.length ? ", " : "", name);
		if (json_object_get(object, "done")) {
			const char *command = text_of(object, "command");

			whole = (size_t)(at - lost->text);
			lost->commands = int_of(object, "done");
			free(lost->last);
			lost->last = command ? fx_xstrdup(command) : NULL;
		}
		json_decref(object);
		if (!good)
			break;
	}
	lost->length = whole;
}

/* The session of FOLDER if it is dead: nobody holds its lock. */
static bool
open_lost(const char *folder, struct lost *ret)
{
	FX_AUTO_FREE char *path = fx_xasprintf("%s/journal", folder);
	struct fx_error *err;

	*ret = (struct lost){ .folder = fx_xstrdup(folder) };
	ret->file = open(path, O_RDWR | O_APPEND | O_CLOEXEC);
	if (ret->file < 0 || flock(ret->file, LOCK_EX | LOCK_NB)) {
		lost_deinit(ret);
		return false;
	}
	err = fx_file_read(path, 0, &ret->text, &ret->length);
	fx_error_free(err);
	if (!err)
		survey(ret);
	if (!err && ret->commands)
		return true;
	lost_deinit(ret);
	return false;
}

/* The newest first. */
static void
find_lost(struct lost_list *list)
{
	FX_AUTO_FREE char *all = cmd_recovery_folder();
	struct dirent **entries = NULL;
	int count = all ? scandir(all, &entries, NULL, alphasort) : 0;
	struct lost lost;

	while (count-- > 0) {
		FX_AUTO_FREE char *folder =
			fx_xasprintf("%s/%s", all, entries[count]->d_name);

		if (entries[count]->d_name[0] != '.' &&
			open_lost(folder, &lost))
			fx_vec_push(&list->items, lost);
		free(entries[count]);
	}
	free(entries);
}

static void
list_lost(struct cmd_ctx *ctx, const struct lost_list *list)
{
	static const char *const heads[] = { "number", "started", "graphs",
		"commands", "last" };

	out_table_begin(ctx->out, "sessions", FX_ARRAY_LEN(heads), heads);
	for (size_t i = 0; i < list->items.count; i++) {
		const struct lost *lost = &list->items.items[i];
		time_t started = (time_t)lost->started;
		struct tm when;
		char text[40];

		(void)strftime(text, sizeof(text), "%Y-%m-%d %H:%M",
			localtime_r(&started, &when));
		out_cell_int(ctx->out, FX_ROLE_NUMBER, (int64_t)i + 1);
		out_cell(ctx->out, FX_ROLE_PLAIN, "%s", text);
		out_cell(ctx->out, FX_ROLE_PLAIN, "%s",
			fx_buf_text(&lost->graphs));
		out_cell_int(ctx->out, FX_ROLE_NUMBER, lost->commands);
		out_cell(ctx->out, FX_ROLE_PLAIN, "%s",
			lost->last ? lost->last : "");
	}
	out_table_end(ctx->out);
	if (list->items.count)
		out_note(ctx->out, "recover NUMBER reopens one");
	else
		out_note(ctx->out, "no session died with changes");
}

/* --- reopening ------------------------------------------------------------ */

/* A graph that comes back. */
struct back {
	struct fx_model *model;
	int number;             /* in the journal */
	FX_VEC(uint32_t) times; /* there and then here, in pairs */
};

struct reopening {
	struct cmd_ctx *ctx;
	const struct lost *lost;
	FX_VEC(struct back) graphs;
	char *setup; /* the last one */
	size_t edits;
};

static struct back *
find_back(struct reopening *r, int64_t number)
{
	for (size_t i = 0; i < r->graphs.count; i++)
		if (r->graphs.items[i].number == number)
			return &r->graphs.items[i];
	return NULL;
}

static struct fx_storage *
find_storage(void *context, const char *key)
{
	const struct reopening *r = context;
	FX_AUTO_FREE char *path =
		fx_xasprintf("%s/%s.bytes", r->lost->folder, key);
	struct fx_blob *blob = NULL;
	char *bytes = NULL;
	size_t size;
	struct fx_error *err;

	if (strchr(key, '/'))
		return NULL;
	err = fx_file_read(path, 0, &bytes, &size);
	if (!err)
		err = fx_blob_new(size, &blob);
	if (!err)
		memcpy(fx_blob_data(blob), bytes, size);
	free(bytes);
	fx_error_free(err);
	return blob ? fx_storage_new(blob) : NULL;
}

/* Open the file of a lost graph, which holds the graph as it was before its
 * first recorded edit.
 */
static FX_NODISCARD struct fx_error *
reopen_graph(struct reopening *r, const json_t *object)
{
	FX_AUTO_LOADED struct fx_loaded loaded = { .graph = NULL };
	const char *file = text_of(object, "file");
	const char *origin = text_of(object, "origin");
	struct back back = { .number = (int)int_of(object, "graph") };
	FX_AUTO_FREE char *full = NULL;
	struct fx_error *err;

	if (!file || strchr(file, '/'))
		return fx_error_new(FX_ERR_FORMAT,
			"the journal names no file for its graph");
	full = fx_xasprintf("%s/%s", r->lost->folder, file);
	err = fx_open(full, fx_session_serial(r->ctx->session), &loaded);
	if (err)
		return err;
	back.model =
		fx_session_add_graph(r->ctx->session, FX_TAKE(loaded.graph),
			text_of(object, "name"), origin ? origin : "recover");
	fx_model_set_path(back.model, text_of(object, "path"));
	fx_vec_push(&back.times, (uint32_t)int_of(object, "first"));
	fx_vec_push(&back.times, 0);
	fx_vec_push(&r->graphs, back);
	return NULL;
}

/* What TIME of the journal is here; 0 when it is not known. */
static uint32_t
time_here(const struct back *back, uint32_t time)
{
	for (size_t i = 0; i + 1 < back->times.count; i += 2)
		if (back->times.items[i] == time)
			return back->times.items[i + 1];
	return 0;
}

static FX_NODISCARD struct fx_error *
reopen_edit(struct reopening *r, const json_t *object, const char *lines)
{
	struct back *back = find_back(r, int_of(object, "graph"));
	const char *command = text_of(object, "command");
	struct fx_graph *graph;
	struct fx_error *err;

	if (!back)
		return fx_error_new(FX_ERR_FORMAT,
			"the journal edits a graph that it does not have");
	graph = fx_model_graph(back->model);
	fx_journal_begin(graph, command ? command : "");
	err = fx_load_delta(graph, lines, (size_t)int_of(object, "bytes"),
		find_storage, r);
	if (err) {
		fx_journal_abort(graph);
		return err;
	}
	fx_journal_describe(graph, text_of(object, "script"),
		text_of(object, "maker"));
	err = fx_journal_commit(graph, NULL);
	if (err)
		return err;
	fx_vec_push(&back->times, (uint32_t)int_of(object, "edit"));
	fx_vec_push(&back->times, fx_journal_now(graph));
	r->edits++;
	return NULL;
}

static FX_NODISCARD struct fx_error *
reopen_now(struct reopening *r, const json_t *object)
{
	struct back *back = find_back(r, int_of(object, "graph"));

	if (!back)
		return NULL;
	return fx_journal_goto(fx_model_graph(back->model),
		time_here(back, (uint32_t)int_of(object, "now")));
}

static void
reopen_closed(struct reopening *r, const json_t *object)
{
	struct back *back = find_back(r, int_of(object, "closed"));

	if (!back)
		return;
	fx_session_drop(r->ctx->session, back->model);
	fx_vec_deinit(&back->times);
	*back = r->graphs.items[--r->graphs.count];
}

static FX_NODISCARD struct fx_error *
reopen_line(struct reopening *r, const json_t *object, const char **at,
	const char *end)
{
	const char *setup = text_of(object, "setup");
	const char *lines = *at;

	if (setup) {
		free(r->setup);
		r->setup = fx_xstrdup(setup);
		return NULL;
	}
	if (json_object_get(object, "edit"))
		return skip_edit(object, at, end)
			       ? reopen_edit(r, object, lines)
			       : fx_error_new(FX_ERR_FORMAT,
					 "the journal is cut short");
	if (json_object_get(object, "now"))
		return reopen_now(r, object);
	if (json_object_get(object, "closed")) {
		reopen_closed(r, object);
		return NULL;
	}
	return json_object_get(object, "file") ? reopen_graph(r, object) : NULL;
}

static FX_NODISCARD struct fx_error *
reopen_all(struct reopening *r)
{
	const char *end = r->lost->text + r->lost->length;
	const char *at = r->lost->text;
	struct fx_error *err = NULL;

	while (at < end && !err) {
		json_t *object = next_line(&at, end);

		if (!object)
			return fx_error_new(FX_ERR_FORMAT,
				"the journal has a line that is no object");
		err = reopen_line(r, object, &at, end);
		json_decref(object);
	}
	for (size_t i = 0; i < r->graphs.count && !err; i++)
		fx_model_propagate(r->graphs.items[i].model);
	return err;
}

/* Names of tensors that had values and have none now. */
static void
say_weightless(struct reopening *r)
{
	for (size_t i = 0; i < r->graphs.count; i++) {
		struct fx_model *model = r->graphs.items[i].model;
		size_t count = fx_model_count_weightless(model);

		if (count)
			out_note(r->ctx->out,
				"%s: the values of %zu parameters and buffers "
				"are lost: they were only in the process that "
				"died",
				fx_model_name(model), count);
	}
}

/* The journal goes on where its last command ended. */
static void
adopt(struct reopening *r, struct lost *lost)
{
	FX_VEC(struct cmd_recovered) models = { 0 };

	for (size_t i = 0; i < r->graphs.count; i++) {
		struct cmd_recovered one = { r->graphs.items[i].model,
			r->graphs.items[i].number };

		fx_vec_push(&models, one);
	}
	if (ftruncate(lost->file, (off_t)lost->length) == 0) {
		struct cmd_reopened from = { .folder = lost->folder,
			.file = lost->file,
			.done = (size_t)lost->commands,
			.models = models.items,
			.count = models.count };

		cmd_recovery_adopt(r->ctx->shell, &from);
		lost->file = -1;
	}
	fx_vec_deinit(&models);
}

/* Run the commands that restore what is not in the graphs.  A command that
 * fails is reported, and the others run all the same.
 */
static FX_NODISCARD struct fx_error *
run_setup(struct reopening *r)
{
	struct cmd_source_options options = { .keep_going = true,
		.is_command = true };

	if (!r->setup)
		return NULL;
	return cmd_run_text(r->ctx->shell, NULL, r->setup, &options,
		r->ctx->out);
}

static void
reopening_deinit(struct reopening *r)
{
	for (size_t i = 0; i < r->graphs.count; i++)
		fx_vec_deinit(&r->graphs.items[i].times);
	fx_vec_deinit(&r->graphs);
	free(r->setup);
}
FX_DEFINE_DEINIT(reopening, struct reopening, reopening_deinit);

static FX_NODISCARD struct fx_error *
reopen(struct cmd_ctx *ctx, struct lost *lost)
{
	FX_AUTO(reopening)
	struct reopening r = { .ctx = ctx, .lost = lost };
	struct fx_error *err = reopen_all(&r);

	if (err) {
		for (size_t i = 0; i < r.graphs.count; i++)
			fx_session_drop(ctx->session, r.graphs.items[i].model);
		return fx_error_note(err, "while recovering %s", lost->folder);
	}
	for (size_t i = 0; i < r.graphs.count; i++)
		out_line(ctx->out, FX_ROLE_PLAIN, "%s: %zu nodes, edits: %zu",
			fx_model_name(r.graphs.items[i].model),
			fx_model_graph(r.graphs.items[i].model)->node_count,
			fx_journal_undo_count(fx_model_graph(r.graphs.items[i]
								     .model)));
	say_weightless(&r);
	err = run_setup(&r);
	adopt(&r, lost);
	if (!err && lost->last)
		out_note(ctx->out, "as it was after: %s", lost->last);
	return err;
}

struct fx_error *
cmd_recover(struct cmd_ctx *ctx)
{
	FX_AUTO(lost_list) struct lost_list list = { 0 };
	int64_t number = cmd_arg_int(ctx, "number", 0);

	find_lost(&list);
	if (!number) {
		list_lost(ctx, &list);
		return NULL;
	}
	if ((size_t)number > list.items.count)
		return fx_error_hint(fx_error_new(FX_ERR_NO_NAME,
					     "no session %lld to recover",
					     (long long)number),
			"recover lists them");
	if (ctx->shell->recovery)
		return fx_error_hint(fx_error_new(FX_ERR_USAGE,
					     "this session has edits of its "
					     "own"),
			"start another fxdb to recover in");
	return reopen(ctx, &list.items.items[number - 1]);
}
