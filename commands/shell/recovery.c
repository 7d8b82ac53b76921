/* recovery.c - the session journal: what `recover` reopens after a session
 * died.
 *
 * Everything that a command changed is found by looking at the session after
 * it: transactions that are not written yet, where each graph's journal stands,
 * and the setup, whose text is compared with the one written last.
 *
 * A graph is kept as it was before its first edit.  Weights that lie in a file
 * of their own are linked; others are written while nobody types, in pieces
 * that nobody notices.  Until that is done, or where they are too large, they
 * are lost when the session dies, and `recover` says so.
 */
#include <config.h>

#include "commands/shell/recovery.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/blob.h"
#include "base/file.h"
#include "base/intern.h"
#include "base/json.h"
#include "base/mem.h"
#include "commands/out/out.h"
#include "commands/shell/shell.h"
#include "emit/delta.h"
#include "ir/graph.h"
#include "ir/journal.h"
#include "ir/module.h"
#include "session/model.h"
#include "session/session.h"
#include "session/settings.h"

/* Between two times that the disk is waited for. */
#define SYNC_SECONDS 2

/* A graph whose edits are written. */
struct kept {
	int model;      /* its number in the session */
	int number;     /* in the journal */
	size_t records; /* written */
	uint32_t now;
	uint64_t open; /* version of the graph in an open transaction, or 0 */
};

struct cmd_recovery {
	char *folder;
	int file;        /* locked */
	bool has_failed; /* nothing is written any more */
	bool has_told;
	bool is_paused;
	uint64_t limit; /* of weights */
	uint64_t bytes; /* of weights of graphs that nobody edited */
	int numbers;    /* given to graphs */
	size_t done;
	time_t synced;
	FX_VEC(struct kept) models;
	const char *transaction; /* its commands so far, while it is written */
	struct cmd_kept_values values;
	struct cmd_kept_weights weights;
	char *setup;        /* as written last */
	struct fx_buf text; /* of this command */
};

const char *
cmd_recovery_place(const struct cmd_recovery *recovery)
{
	return recovery && !recovery->has_failed ? recovery->folder : NULL;
}

static void
write_text(struct cmd_recovery *r, const char *text, size_t length)
{
	while (length && !r->has_failed) {
		ssize_t written = write(r->file, text, length);

		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0) {
			r->has_failed = true;
			return;
		}
		text += written;
		length -= (size_t)written;
	}
}

static void
line_begin(struct cmd_recovery *r, struct fx_json *json)
{
	fx_json_init(json, &r->text);
	fx_json_object_begin(json);
}

static void
line_end(struct cmd_recovery *r, struct fx_json *json)
{
	fx_json_object_end(json);
	fx_buf_add_char(&r->text, '\n');
}

static void
recovery_free(struct cmd_recovery *r)
{
	if (r->file >= 0)
		close(r->file);
	fx_vec_deinit(&r->models);
	cmd_kept_values_deinit(&r->values);
	cmd_kept_weights_deinit(&r->weights);
	fx_buf_deinit(&r->text);
	free(r->setup);
	free(r->folder);
	free(r);
}

/* A folder of our own, whose name says when. */
static struct cmd_recovery *
recovery_new(const char *all)
{
	struct cmd_recovery *r = FX_NEW(struct cmd_recovery);
	FX_AUTO_FREE char *path = NULL;
	time_t now = time(NULL);
	struct tm when;
	struct fx_json json;
	char text[32];

	(void)strftime(text, sizeof(text), "%Y%m%d-%H%M%S",
		gmtime_r(&now, &when));
	r->folder = fx_xasprintf("%s/%s-%ld", all, text, (long)getpid());
	path = fx_xasprintf("%s/journal", r->folder);
	r->file = mkdir(r->folder, 0700) ? -1
					 : open(path,
						   O_WRONLY | O_CREAT | O_EXCL |
							   O_APPEND | O_CLOEXEC,
						   0600);
	if (r->file < 0 || flock(r->file, LOCK_EX | LOCK_NB)) {
		recovery_free(r);
		return NULL;
	}
	r->synced = now;
	line_begin(r, &json);
	fx_json_put_int(&json, "session", CMD_RECOVERY_VERSION);
	fx_json_put_int(&json, "pid", getpid());
	fx_json_put_int(&json, "started", now);
	line_end(r, &json);
	return r;
}

/* --- graphs --------------------------------------------------------------- */

static struct kept *
find_kept(struct cmd_recovery *r, const struct fx_model *model)
{
	for (size_t i = 0; i < r->models.count; i++)
		if (r->models.items[i].model == fx_model_number(model))
			return &r->models.items[i];
	return NULL;
}

/* Write MODEL as it is now to the recovery folder: the edits recorded from now
 * on start from that file.
 */
static void
keep_model(struct cmd_recovery *r, struct fx_model *model, uint64_t limit)
{
	struct fx_graph *graph = fx_model_graph(model);
	struct kept kept = { .model = fx_model_number(model),
		.number = ++r->numbers,
		.records = fx_journal_count(graph),
		.now = fx_journal_now(graph) };
	FX_AUTO_FREE char *name = fx_xasprintf("g%d.fxg", kept.number);
	FX_AUTO_FREE char *path = fx_xasprintf("%s/%s", r->folder, name);
	FX_AUTO_FREE char *full = fx_model_path(model)
					  ? realpath(fx_model_path(model), NULL)
					  : NULL;
	struct fx_save_later *later = NULL;
	mode_t mask = umask(077);
	struct fx_error *err =
		fx_model_keep(model, r->folder, path, limit, &later);
	struct fx_json json;

	(void)umask(mask);
	if (later)
		fx_vec_push(&r->weights, later);
	r->has_failed = r->has_failed || err;
	fx_error_free(err);
	fx_vec_push(&r->models, kept);
	line_begin(r, &json);
	fx_json_put_int(&json, "graph", kept.number);
	fx_json_put_text(&json, "name", fx_model_name(model));
	fx_json_put_text(&json, "file", name);
	fx_json_put_int(&json, "first", kept.now);
	fx_json_put_text(&json, "path", full);
	fx_json_put_text(&json, "origin", fx_journal_get(graph, 0)->command);
	line_end(r, &json);
}

/* Keep the graphs of SESSION that are not kept yet: EDITED as it is now, and
 * those beside it, which breakpoints and commands name, with their weights as
 * long as all of these stay below the limit of one.
 */
static void
keep_models(struct cmd_recovery *r, struct fx_session *session,
	const struct fx_model *edited)
{
	for (size_t i = 0; i < fx_session_model_count(session); i++) {
		struct fx_model *model = fx_session_model_at(session, i);
		const struct fx_graph *graph = fx_model_graph(model);
		uint64_t size;

		if (r->has_failed || find_kept(r, model))
			continue;
		if (model == edited) {
			keep_model(r, model, r->limit);
		} else if (!fx_journal_is_open(graph)) {
			size = fx_module_bytes(graph->module, NULL);
			if (size <= r->limit - FX_MIN(r->bytes, r->limit))
				r->bytes += size;
			else
				size = 0;
			keep_model(r, model, size);
		}
	}
}

/* The bytes of a new parameter, in a file called after their digest. */
static const char *
key_of(void *context, struct fx_storage *storage)
{
	struct cmd_recovery *r = context;
	FX_AUTO_FREE char *path = NULL;
	struct fx_error *err;
	char key[33];

	if (!storage->blob)
		return NULL;
	fx_hash_text(fx_hash_of(fx_blob_data(storage->blob),
			     fx_blob_size(storage->blob)),
		key);
	path = fx_xasprintf("%s/%s.bytes", r->folder, key);
	if (access(path, R_OK) != 0) {
		err = fx_file_write(path, fx_blob_data(storage->blob),
			fx_blob_size(storage->blob));
		(void)chmod(path, 0600);
		r->has_failed = r->has_failed || err;
		fx_error_free(err);
	}
	return fx_intern(key);
}

static void
add_edit(struct cmd_recovery *r, const struct kept *kept,
	struct fx_graph *graph, uint32_t id)
{
	const struct fx_transaction *t = fx_journal_get(graph, id);
	FX_AUTO_BUF struct fx_buf lines = { 0 };
	struct fx_json json;

	fx_emit_delta(&lines, graph, key_of, r);
	line_begin(r, &json);
	fx_json_put_int(&json, "edit", id);
	fx_json_put_int(&json, "graph", kept->number);
	fx_json_put_int(&json, "bytes", (int64_t)lines.length);
	fx_json_put_text(&json, "command", t->command);
	fx_json_put_text(&json, "script", t->script);
	fx_json_put_text(&json, "maker", t->maker);
	line_end(r, &json);
	fx_buf_add_n(&r->text, fx_buf_text(&lines), lines.length);
}

/* What stands between begin and commit, each time all of it; nothing once that
 * ended.
 */
static void
add_open(struct cmd_recovery *r, struct kept *kept, struct fx_model *model)
{
	struct fx_graph *graph = fx_model_graph(model);
	bool is_open = fx_journal_is_open(graph);
	uint64_t version = is_open ? graph->version : 0;
	FX_AUTO_BUF struct fx_buf lines = { 0 };
	struct fx_json json;

	if (version == kept->open)
		return;
	kept->open = version;
	if (is_open)
		fx_emit_delta(&lines, graph, key_of, r);
	line_begin(r, &json);
	fx_json_put_int(&json, "open", is_open);
	fx_json_put_int(&json, "graph", kept->number);
	fx_json_put_int(&json, "bytes", (int64_t)lines.length);
	fx_json_put_text(&json, "script", is_open ? r->transaction : NULL);
	line_end(r, &json);
	fx_buf_add_n(&r->text, fx_buf_text(&lines), lines.length);
}

/* Transactions that are new, each seen from where it ends; then where the
 * journal stands.
 */
static void
add_edits(struct cmd_recovery *r, struct kept *kept, struct fx_model *model)
{
	struct fx_graph *graph = fx_model_graph(model);
	uint32_t now = fx_journal_now(graph);
	struct fx_error *err = NULL;
	struct fx_json json;

	add_open(r, kept, model);
	if (fx_journal_is_open(graph))
		return;
	for (; kept->records < fx_journal_count(graph) && !err;
		kept->records++) {
		uint32_t id = (uint32_t)kept->records;

		if (fx_journal_now(graph) != id)
			err = fx_journal_goto(graph, id);
		if (!err)
			add_edit(r, kept, graph, id);
		kept->now = id;
	}
	if (!err && fx_journal_now(graph) != now)
		err = fx_journal_goto(graph, now);
	r->has_failed = r->has_failed || err;
	fx_error_free(err);
	if (now == kept->now)
		return;
	kept->now = now;
	line_begin(r, &json);
	fx_json_put_int(&json, "now", now);
	fx_json_put_int(&json, "graph", kept->number);
	line_end(r, &json);
}

static struct fx_model *
find_model(struct fx_session *session, int number)
{
	for (size_t i = 0; i < fx_session_model_count(session); i++)
		if (fx_model_number(fx_session_model_at(session, i)) == number)
			return fx_session_model_at(session, i);
	return NULL;
}

static void
add_graphs(struct cmd_recovery *r, struct fx_session *session)
{
	size_t left = 0;

	for (size_t i = 0; i < r->models.count; i++) {
		struct kept *kept = &r->models.items[i];
		struct fx_model *model = find_model(session, kept->model);
		struct fx_json json;

		if (model) {
			add_edits(r, kept, model);
			r->models.items[left++] = *kept;
			continue;
		}
		line_begin(r, &json);
		fx_json_put_int(&json, "closed", kept->number);
		line_end(r, &json);
	}
	r->models.count = left;
}

/* --- setup ---------------------------------------------------------------- */

static void
add_setup(struct cmd_recovery *r, struct fx_session *session)
{
	FX_VEC(struct fx_model *) models = { 0 };
	FX_AUTO_FREE char *setup = NULL;
	struct fx_json json;

	for (size_t i = 0; i < r->models.count; i++)
		fx_vec_push(&models,
			find_model(session, r->models.items[i].model));
	r->values.folder = r->folder;
	r->values.limit = r->limit;
	setup = cmd_recovery_setup(session, models.items, models.count,
		&r->values);
	fx_vec_deinit(&models);

	if (r->setup && !strcmp(setup, r->setup))
		return;
	line_begin(r, &json);
	fx_json_put_text(&json, "setup", setup);
	line_end(r, &json);
	free(r->setup);
	r->setup = FX_TAKE(setup);
}

/* --- commands ------------------------------------------------------------- */

static int64_t
recover_limit(struct fx_session *session)
{
	return fx_settings_int(fx_session_settings(session),
		FX_SET_RECOVER_LIMIT);
}

static bool
wants_keeping(const struct cmd_shell *shell)
{
	const struct front *front = shell->front;

	return !shell->restricted && front->is_interactive(front->context) &&
	       recover_limit(shell->session) > 0;
}

static struct cmd_recovery *
begin(void)
{
	FX_AUTO_FREE char *all = cmd_recovery_folder();
	struct cmd_recovery *r;

	if (all)
		cmd_recovery_remove_old(all);
	r = all ? recovery_new(all) : NULL;
	if (r)
		return r;
	r = FX_NEW(struct cmd_recovery);
	r->file = -1;
	r->has_failed = true;
	return r;
}

void
cmd_recovery_before_edit(void *context, struct fx_model *model)
{
	struct cmd_shell *shell = context;

	if (!wants_keeping(shell) ||
		(shell->recovery && shell->recovery->is_paused))
		return;
	if (!shell->recovery)
		shell->recovery = begin();
	shell->recovery->limit = (uint64_t)recover_limit(shell->session);
	keep_models(shell->recovery, shell->session, model);
}

/* The disk is waited for now and then, not after each command. */
static void
sync_now_and_then(struct cmd_recovery *r)
{
	time_t now = time(NULL);

	if (now - r->synced < SYNC_SECONDS)
		return;
	r->synced = now;
	(void)fdatasync(r->file);
}

void
cmd_recovery_after(struct cmd_ctx *ctx)
{
	struct cmd_recovery *r = ctx->shell->recovery;
	struct fx_json json;

	if (r->has_told || r->is_paused)
		return;
	r->limit = (uint64_t)recover_limit(ctx->session);
	if (!r->has_failed) {
		if (wants_keeping(ctx->shell))
			keep_models(r, ctx->session, NULL);
		r->transaction = fx_buf_text(&ctx->shell->transaction);
		add_graphs(r, ctx->session);
		add_setup(r, ctx->session);
	}
	if (r->text.length) {
		line_begin(r, &json);
		fx_json_put_int(&json, "done", (int64_t)++r->done);
		fx_json_put_text(&json, "command", ctx->line);
		line_end(r, &json);
		write_text(r, r->text.data, r->text.length);
		fx_buf_clear(&r->text);
		sync_now_and_then(r);
	}
	/* Small ones are there at once. */
	(void)cmd_recovery_work(ctx->shell);
	if (!r->has_failed)
		return;
	r->has_told = true;
	out_note(ctx->out,
		"what this session does cannot be recovered should it die: "
		"its state folder cannot be written");
}

bool
cmd_recovery_has_work(const struct cmd_shell *shell)
{
	const struct cmd_recovery *r = shell->recovery;

	return r && !r->has_failed && r->weights.count;
}

bool
cmd_recovery_work(struct cmd_shell *shell)
{
	struct cmd_recovery *r = shell->recovery;
	struct fx_error *err;

	if (!cmd_recovery_has_work(shell))
		return false;
	err = cmd_kept_weights_go_on(&r->weights);
	r->has_failed = err;
	fx_error_free(err);
	return cmd_recovery_has_work(shell);
}

void
cmd_recovery_end(struct cmd_shell *shell, bool keep)
{
	struct cmd_recovery *r = shell->recovery;

	if (!r)
		return;
	while (keep && cmd_recovery_work(shell))
		;
	if (!keep && r->folder)
		cmd_recovery_remove(r->folder);
	recovery_free(r);
	shell->recovery = NULL;
}

void
cmd_recovery_adopt(struct cmd_shell *shell, const struct cmd_reopened *from)
{
	struct cmd_recovery *r = FX_NEW(struct cmd_recovery);

	r->folder = fx_xstrdup(from->folder);
	r->file = from->file;
	r->done = from->done;
	r->synced = time(NULL);
	r->is_paused = true;
	for (size_t i = 0; i < from->count; i++) {
		const struct cmd_recovered *one = &from->models[i];
		struct fx_graph *graph = fx_model_graph(one->model);
		struct kept kept = { .model = fx_model_number(one->model),
			.number = one->number,
			.records = fx_journal_count(graph),
			.now = fx_journal_now(graph) };

		fx_vec_push(&r->models, kept);
		r->numbers = FX_MAX(r->numbers, kept.number);
	}
	shell->recovery = r;
}

void
cmd_recovery_resume(struct cmd_shell *shell)
{
	if (shell->recovery)
		shell->recovery->is_paused = false;
}
