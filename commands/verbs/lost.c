/* lost.c - the journals that sessions left which died, found and surveyed. */
#include <config.h>

#include "commands/verbs/lost.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "commands/out/out.h"
#include "commands/shell/cmd.h"
#include "commands/shell/recovery.h"

static void
lost_deinit(struct cmd_lost *lost)
{
	if (lost->file >= 0)
		close(lost->file);
	free(lost->folder);
	free(lost->text);
	free(lost->last);
	fx_buf_deinit(&lost->graphs);
}

void
cmd_lost_list_deinit(struct cmd_lost_list *list)
{
	for (size_t i = 0; i < list->items.count; i++)
		lost_deinit(&list->items.items[i]);
	fx_vec_deinit(&list->items);
}

/* --- lines ---------------------------------------------------------------- */

json_t *
cmd_lost_line(const char **at, const char *end)
{
	const char *newline = memchr(*at, '\n', (size_t)(end - *at));
	json_t *object;

	if (!newline)
		return NULL;
	object = json_loadb(*at, (size_t)(newline - *at), 0, NULL);
	*at = newline + 1;
	return object;
}

int64_t
cmd_lost_int(const json_t *object, const char *key)
{
	return json_integer_value(json_object_get(object, key));
}

const char *
cmd_lost_text(const json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}

bool
cmd_lost_skip(const json_t *object, const char **at, const char *end)
{
	int64_t bytes = cmd_lost_int(object, "bytes");

	if (bytes < 0 || bytes > end - *at)
		return false;
	*at += bytes;
	return true;
}

/* Whether OBJECT is a line of a journal, not one of an edit (emit/delta.h). */
static bool
is_known(const json_t *object)
{
	static const char *const numbers[] = { "session", "edit", "open", "now",
		"closed", "done" };

	for (size_t i = 0; i < FX_ARRAY_LEN(numbers); i++)
		if (json_is_integer(json_object_get(object, numbers[i])))
			return true;
	return cmd_lost_text(object, "setup") ||
	       (cmd_lost_int(object, "graph") && cmd_lost_text(object, "file"));
}

/* --- survey --------------------------------------------------------------- */

static void
see_line(struct cmd_lost *lost, const json_t *object, size_t end)
{
	const char *name = cmd_lost_text(object, "name");
	const char *command = cmd_lost_text(object, "command");
	int64_t version = cmd_lost_int(object, "session");

	if (json_object_get(object, "session")) {
		lost->started = cmd_lost_int(object, "started");
		lost->version = version == CMD_RECOVERY_VERSION ? 0 : version;
	}
	if (cmd_lost_text(object, "file") && name) {
		fx_buf_addf(&lost->graphs, "%s%s",
			lost->graphs.length ? ", " : "", name);
		/* As it was loaded is more than nothing. */
		if (!lost->commands)
			lost->length = end;
	}
	if (!json_object_get(object, "done"))
		return;
	lost->length = end;
	lost->commands = cmd_lost_int(object, "done");
	free(lost->last);
	lost->last = command ? fx_xstrdup(command) : NULL;
}

/* Commands that end behind byte AT. */
static size_t
count_behind(const struct cmd_lost *lost, size_t at)
{
	static const char mark[] = "\n{\"done\":";
	const char *end = lost->text + lost->size;
	const char *found = lost->text + at;
	size_t count = 0;

	while ((found = memmem(found, (size_t)(end - found), mark,
			sizeof(mark) - 1))) {
		count++;
		found++;
	}
	return count;
}

/* Go through the journal up to byte LIMIT: what it holds, and where its last
 * command ends.  What a session that was killed did not end writing is no
 * damage.
 */
static void
survey(struct cmd_lost *lost, size_t limit)
{
	const char *end = lost->text + limit;
	const char *at = lost->text;
	bool is_good = true;

	lost->length = 0;
	lost->commands = 0;
	free(lost->last);
	lost->last = NULL;
	fx_buf_clear(&lost->graphs);
	while (is_good && !lost->version && at < end) {
		const char *begin = at;
		json_t *object = cmd_lost_line(&at, end);
		bool is_line = object && is_known(object);

		if (at == begin)
			return;
		is_good = is_line && cmd_lost_skip(object, &at, end);
		if (is_good) {
			see_line(lost, object, (size_t)(at - lost->text));
		} else {
			lost->damage = (size_t)(begin - lost->text);
			lost->behind = count_behind(lost, lost->damage);
			lost->is_damaged = !is_line || lost->behind;
		}
		json_decref(object);
	}
}

void
cmd_lost_cut(struct cmd_lost *lost, size_t at)
{
	survey(lost, at);
	lost->is_damaged = true;
	lost->damage = at;
	lost->behind = count_behind(lost, at);
}

/* --- folders -------------------------------------------------------------- */

/* The session of FOLDER if it is dead: nobody holds its lock. */
static bool
open_lost(const char *folder, struct cmd_lost *ret)
{
	FX_AUTO_FREE char *path = fx_xasprintf("%s/journal", folder);
	struct fx_error *err;

	*ret = (struct cmd_lost){ .folder = fx_xstrdup(folder) };
	ret->file = open(path, O_RDWR | O_APPEND | O_CLOEXEC);
	if (ret->file < 0 || flock(ret->file, LOCK_EX | LOCK_NB)) {
		lost_deinit(ret);
		return false;
	}
	err = fx_file_read(path, 0, &ret->text, &ret->size);
	fx_error_free(err);
	if (!err)
		survey(ret, ret->size);
	if (!err && (ret->commands || ret->is_damaged || ret->version))
		return true;
	lost_deinit(ret);
	return false;
}

void
cmd_lost_find(struct cmd_lost_list *list)
{
	FX_AUTO_FREE char *all = cmd_recovery_folder();
	struct dirent **entries = NULL;
	int count = all ? scandir(all, &entries, NULL, alphasort) : 0;
	struct cmd_lost lost;

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

/* --- the list ------------------------------------------------------------ */

/* That not all of session NUMBER comes back. */
static void
say_state(struct cmd_ctx *ctx, const struct cmd_lost *lost, size_t number)
{
	if (lost->version)
		out_note(ctx->out,
			"%zu is of another fxdb: its journal is of version "
			"%lld, this one reads version %d",
			number, (long long)lost->version, CMD_RECOVERY_VERSION);
	else if (!lost->length)
		out_note(ctx->out,
			"%zu is damaged, with its first command: %s/journal, "
			"byte %zu",
			number, lost->folder, lost->damage);
	else if (!lost->commands)
		out_note(ctx->out,
			"%zu is damaged, with its first command: its graphs "
			"come back as they were before",
			number);
	else if (lost->is_damaged)
		out_note(ctx->out,
			"%zu is damaged: commands behind that are lost: %zu",
			number, lost->behind);
}

void
cmd_lost_say(struct cmd_ctx *ctx, const struct cmd_lost_list *list)
{
	static const char *const heads[] = { "number", "started", "graphs",
		"commands", "last" };

	out_table_begin(ctx->out, "sessions", FX_ARRAY_LEN(heads), heads);
	for (size_t i = 0; i < list->items.count; i++) {
		const struct cmd_lost *lost = &list->items.items[i];
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
	for (size_t i = 0; i < list->items.count; i++)
		say_state(ctx, &list->items.items[i], i + 1);
	if (list->items.count)
		out_note(ctx->out, "recover NUMBER reopens one");
	else
		out_note(ctx->out, "no session died with changes");
}
