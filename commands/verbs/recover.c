/* recover.c - the command recover: sessions that died, listed and reopened. */
#include <config.h>

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/blob.h"
#include "base/file.h"
#include "base/mem.h"
#include "commands/out/out.h"
#include "commands/shell/recovery.h"
#include "commands/shell/shell.h"
#include "commands/verbs/edit.h"
#include "commands/verbs/lost.h"
#include "ir/journal.h"
#include "ir/module.h"
#include "load/delta.h"
#include "load/open.h"
#include "session/model.h"
#include "session/own_code.h"
#include "session/session.h"

/* --- reopening ------------------------------------------------------------ */

/* A graph that comes back. */
struct back {
	struct fx_model *model;
	int number;             /* in the journal */
	FX_VEC(uint32_t) times; /* there and then here, in pairs */
	size_t open; /* where the line of an open transaction stands, or 0 */
};

struct reopening {
	struct cmd_ctx *ctx;
	const struct cmd_lost *lost;
	FX_VEC(struct back) graphs;
	char *setup; /* the last one */
	size_t edits;
	size_t at; /* the line that is being read */
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
	const char *file = cmd_lost_text(object, "file");
	const char *origin = cmd_lost_text(object, "origin");
	struct back back = { .number = (int)cmd_lost_int(object, "graph") };
	FX_AUTO_FREE char *full = NULL;
	struct fx_error *err;

	if (!file || strchr(file, '/'))
		return fx_error_new(FX_ERR_FORMAT,
			"the journal names no file for its graph");
	full = fx_xasprintf("%s/%s", r->lost->folder, file);
	err = fx_open(full, fx_session_serial(r->ctx->session), &loaded);
	if (err)
		return err;
	back.model = fx_session_add_graph(r->ctx->session,
		FX_TAKE(loaded.graph), cmd_lost_text(object, "name"),
		origin ? origin : "recover");
	fx_model_set_path(back.model, cmd_lost_text(object, "path"));
	fx_vec_push(&back.times, (uint32_t)cmd_lost_int(object, "first"));
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
	struct back *back = find_back(r, cmd_lost_int(object, "graph"));
	const char *command = cmd_lost_text(object, "command");
	struct fx_graph *graph;
	struct fx_error *err;

	if (!back)
		return fx_error_new(FX_ERR_FORMAT,
			"the journal edits a graph that it does not have");
	graph = fx_model_graph(back->model);
	fx_journal_begin(graph, command ? command : "");
	err = fx_load_delta(graph, lines, (size_t)cmd_lost_int(object, "bytes"),
		find_storage, r);
	if (err) {
		fx_journal_abort(graph);
		return err;
	}
	fx_journal_describe(graph, cmd_lost_text(object, "script"),
		cmd_lost_text(object, "maker"));
	err = fx_journal_commit(graph, NULL);
	if (err)
		return err;
	fx_vec_push(&back->times, (uint32_t)cmd_lost_int(object, "edit"));
	fx_vec_push(&back->times, fx_journal_now(graph));
	r->edits++;
	return NULL;
}

static FX_NODISCARD struct fx_error *
reopen_now(struct reopening *r, const json_t *object)
{
	struct back *back = find_back(r, cmd_lost_int(object, "graph"));

	if (!back)
		return NULL;
	return fx_journal_goto(fx_model_graph(back->model),
		time_here(back, (uint32_t)cmd_lost_int(object, "now")));
}

static void
reopen_closed(struct reopening *r, const json_t *object)
{
	struct back *back = find_back(r, cmd_lost_int(object, "closed"));

	if (!back)
		return;
	fx_session_drop(r->ctx->session, back->model);
	fx_vec_deinit(&back->times);
	*back = r->graphs.items[--r->graphs.count];
}

/* The last one of a graph stands for all before; it waits until all is there.
 */
static FX_NODISCARD struct fx_error *
see_open(struct reopening *r, const json_t *object, const char **at,
	const char *end)
{
	struct back *back = find_back(r, cmd_lost_int(object, "graph"));

	if (!back || !cmd_lost_skip(object, at, end))
		return fx_error_new(FX_ERR_FORMAT,
			"the journal has a transaction that it cannot have");
	back->open = cmd_lost_int(object, "open") ? r->at : 0;
	return NULL;
}

/* Open the transaction of BACK again, whose line is OBJECT and whose edits are
 * LINES.
 */
static FX_NODISCARD struct fx_error *
open_again(struct reopening *r, const struct back *back, const json_t *object,
	const char *lines)
{
	struct cmd_shell *shell = r->ctx->shell;
	const char *script = cmd_lost_text(object, "script");
	struct fx_error *err =
		fx_model_edit_begin(r->ctx->session, back->model, "begin");

	if (err)
		return err;
	err = fx_load_delta(fx_model_graph(back->model), lines,
		(size_t)cmd_lost_int(object, "bytes"), find_storage, r);
	if (err) {
		fx_model_edit_abort(back->model);
		return err;
	}
	shell->in_transaction = true;
	shell->transaction_model = fx_model_number(back->model);
	fx_buf_clear(&shell->transaction);
	fx_buf_add(&shell->transaction, script ? script : "begin\n");
	fx_model_propagate(back->model);
	out_note(r->ctx->out,
		"%s: the transaction is open again; commit or abort ends it",
		fx_model_name(back->model));
	return NULL;
}

/* What begin opened and nothing ended. */
static void
reopen_transactions(struct reopening *r)
{
	const char *end = r->lost->text + r->lost->length;

	for (size_t i = 0; i < r->graphs.count; i++) {
		const struct back *back = &r->graphs.items[i];
		const char *at = r->lost->text + back->open;
		FX_AUTO_ERROR struct fx_error *err = NULL;
		json_t *object;

		if (!back->open)
			continue;
		object = cmd_lost_line(&at, end);
		err = open_again(r, back, object, at);
		json_decref(object);
		if (err)
			out_warning(r->ctx->out,
				"%s: the edits since begin are lost: %s",
				fx_model_name(back->model),
				fx_error_message(err));
	}
}

static FX_NODISCARD struct fx_error *
reopen_line(struct reopening *r, const json_t *object, const char **at,
	const char *end)
{
	const char *setup = cmd_lost_text(object, "setup");
	const char *lines = *at;

	if (setup) {
		free(r->setup);
		r->setup = fx_xstrdup(setup);
		return NULL;
	}
	if (json_object_get(object, "edit"))
		return cmd_lost_skip(object, at, end)
			       ? reopen_edit(r, object, lines)
			       : fx_error_new(FX_ERR_FORMAT,
					 "the journal is cut short");
	if (json_object_get(object, "open"))
		return see_open(r, object, at, end);
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
		json_t *object;

		r->at = (size_t)(at - r->lost->text);
		object = cmd_lost_line(&at, end);

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

/* Python code of modules was in the process that died. */
static void
say_own_code(struct reopening *r)
{
	for (size_t i = 0; i < r->graphs.count; i++) {
		FX_AUTO_BUF struct fx_buf own_code = { 0 };
		struct fx_model *model = r->graphs.items[i].model;

		fx_model_add_own_code(&own_code, model);
		if (own_code.length)
			out_warning(r->ctx->out,
				"%s: without the Python of %s: running stops "
				"there",
				fx_model_name(model), fx_buf_text(&own_code));
	}
}

/* The journal goes on where its last command ended. */
static void
adopt(struct reopening *r, struct cmd_lost *lost)
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

/* The comments among LINES say what does not come back. */
static void
say_remarks(struct cmd_ctx *ctx, const char *lines)
{
	while (*lines) {
		int length = (int)strcspn(lines, "\n");

		if (!strncmp(lines, "# ", 2))
			out_note(ctx->out, "%.*s", length - 2, lines + 2);
		lines += length + (lines[length] == '\n');
	}
}

/* Commands of the journal that are none of those which stand in one. */
static void
say_refused(struct cmd_ctx *ctx, const char *lines)
{
	while (*lines) {
		int length = (int)strcspn(lines, "\n");

		out_warning(ctx->out, "recover does not run this: %.*s", length,
			lines);
		lines += length + (lines[length] == '\n');
	}
}

/* Run the commands that restore what is not in the graphs.  A command that
 * fails is reported, and the others run all the same.
 */
static FX_NODISCARD struct fx_error *
run_setup(struct reopening *r)
{
	struct cmd_source_options options = { .keep_going = true,
		.is_command = true };
	struct cmd_shell *shell = r->ctx->shell;
	bool was_restricted = shell->restricted;
	FX_AUTO_BUF struct fx_buf refused = { 0 };
	FX_AUTO_FREE char *setup = NULL;
	struct fx_error *err;

	if (!r->setup)
		return NULL;
	setup = cmd_recovery_check(r->setup, &refused);
	/* None of them writes a file or starts a program. */
	shell->restricted = true;
	err = cmd_run_text(shell, NULL, setup, &options, r->ctx->out);
	shell->restricted = was_restricted;
	say_remarks(r->ctx, setup);
	say_refused(r->ctx, fx_buf_text(&refused));
	return err;
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

/* What could not be read is not there. */
static void
forget(struct reopening *r)
{
	for (size_t i = 0; i < r->graphs.count; i++)
		fx_session_drop(r->ctx->session, r->graphs.items[i].model);
	reopening_deinit(r);
	*r = (struct reopening){ .ctx = r->ctx, .lost = r->lost };
}

/* All of LOST, or as much as can be read. */
static FX_NODISCARD struct fx_error *
reopen_whole(struct reopening *r, struct cmd_lost *lost)
{
	struct fx_error *err = reopen_all(r);

	while (err) {
		cmd_lost_cut(lost, r->at);
		forget(r);
		if (!lost->length)
			return err;
		out_warning(r->ctx->out, "%s", fx_error_message(err));
		fx_error_free(err);
		err = reopen_all(r);
	}
	return NULL;
}

/* Whether LOST can be read at all. */
static FX_NODISCARD struct fx_error *
check_readable(const struct cmd_lost *lost)
{
	if (lost->version)
		return fx_error_new(FX_ERR_FORMAT,
			"%s/journal is of version %lld, this fxdb reads "
			"version %d",
			lost->folder, (long long)lost->version,
			CMD_RECOVERY_VERSION);
	if (!lost->length)
		return fx_error_new(FX_ERR_FORMAT,
			"%s/journal is damaged at byte %zu, with its first "
			"command: nothing comes back",
			lost->folder, lost->damage);
	return NULL;
}

static void
say_graphs(struct reopening *r)
{
	for (size_t i = 0; i < r->graphs.count; i++) {
		struct fx_model *model = r->graphs.items[i].model;
		struct fx_graph *graph = fx_model_graph(model);

		out_line(r->ctx->out, FX_ROLE_PLAIN,
			"%s: %zu nodes, edits: %zu", fx_model_name(model),
			graph->node_count, fx_journal_undo_count(graph));
	}
	say_weightless(r);
	say_own_code(r);
}

static FX_NODISCARD struct fx_error *
reopen(struct cmd_ctx *ctx, struct cmd_lost *lost)
{
	FX_AUTO(reopening)
	struct reopening r = { .ctx = ctx, .lost = lost };
	struct fx_error *err = check_readable(lost);

	if (!err)
		err = reopen_whole(&r, lost);
	if (err)
		return fx_error_note(err, "while recovering %s", lost->folder);
	say_graphs(&r);
	adopt(&r, lost);
	reopen_transactions(&r);
	err = run_setup(&r);
	cmd_recovery_resume(ctx->shell);
	if (!err && lost->last)
		out_note(ctx->out, "as it was after: %s", lost->last);
	if (lost->is_damaged && lost->commands)
		out_warning(ctx->out,
			"the journal is damaged behind that command: %zu later "
			"ones are lost",
			lost->behind);
	else if (lost->is_damaged)
		out_warning(ctx->out,
			"the journal is damaged at its first command: the "
			"graphs are as they were before, %zu commands are lost",
			lost->behind);
	return err;
}

/* Keep which session is which: others may take some, or die. */
static void
remember(struct cmd_shell *shell, const struct cmd_lost_list *list)
{
	struct fx_buf text = { 0 };

	for (size_t i = 0; i < list->items.count; i++)
		fx_buf_addf(&text, "%s\n", list->items.items[i].folder);
	free(shell->dead);
	shell->dead = fx_buf_take(&text);
}

/* Session NUMBER as it was listed last: its index in LIST, where it is still
 * there.
 */
static FX_NODISCARD struct fx_error *
find_listed(const struct cmd_shell *shell, const struct cmd_lost_list *list,
	size_t number, size_t *ret)
{
	const char *line = shell->dead;
	size_t length = line ? strcspn(line, "\n") : 0;

	for (size_t i = 1; i < number && length; i++) {
		line += length + 1;
		length = strcspn(line, "\n");
	}
	for (size_t i = 0; i < list->items.count && length; i++) {
		const char *folder = list->items.items[i].folder;

		*ret = i;
		if (strlen(folder) == length && !strncmp(folder, line, length))
			return NULL;
	}
	return fx_error_hint(
		length ? fx_error_new(FX_ERR_NO_NAME,
				 "session %zu of the list is gone: "
				 "another fxdb has reopened it",
				 number)
		       : fx_error_new(FX_ERR_NO_NAME,
				 "no session %zu to recover", number),
		"recover lists them");
}

struct fx_error *
cmd_recover(struct cmd_ctx *ctx)
{
	FX_AUTO(lost_list) struct cmd_lost_list list = { 0 };
	int64_t number = cmd_arg_int(ctx, "number", 0);
	struct fx_error *err;
	size_t index = 0;

	cmd_lost_find(&list);
	if (!number || !ctx->shell->dead)
		remember(ctx->shell, &list);
	if (!number) {
		cmd_lost_say(ctx, &list);
		return NULL;
	}
	err = find_listed(ctx->shell, &list, (size_t)number, &index);
	if (err)
		return err;
	/* It would be taken, and could not be saved. */
	err = fx_session_need_writable(ctx->session);
	if (err)
		return fx_error_hint(err, "start another fxdb to recover in");
	if (ctx->shell->recovery)
		return fx_error_hint(fx_error_new(FX_ERR_USAGE,
					     "this session has edits of its "
					     "own"),
			"start another fxdb to recover in");
	return reopen(ctx, &list.items.items[index]);
}
