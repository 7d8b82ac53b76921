/* log.c - the session as a script: typed lines, and what they said as
 * comments, so that `source` runs the file again.
 */
#include <config.h>

#include "commands/shell/log.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "commands/out/out.h"
#include "commands/shell/shell.h"

struct cmd_log {
	int file;
	char *path;
	bool at_line_start;
	int error; /* errno of the first write that failed, or 0 */
	struct out *out;
};

static void
write_all(struct cmd_log *log, const char *text, size_t size)
{
	while (size && !log->error) {
		ssize_t n = write(log->file, text, size);

		if (n <= 0) {
			log->error = n < 0 ? errno : EIO;
			return;
		}
		text += n;
		size -= (size_t)n;
	}
}

static void
log_write(void *context, bool error, const char *text, size_t size)
{
	struct cmd_log *log = context;
	FX_AUTO_BUF struct fx_buf buf = { 0 };
	size_t i;

	(void)error;
	for (i = 0; i < size; i++) {
		if (log->at_line_start)
			fx_buf_add(&buf, "# ");
		fx_buf_add_char(&buf, text[i]);
		log->at_line_start = text[i] == '\n';
	}
	write_all(log, fx_buf_text(&buf), buf.length);
}

static bool
log_more(void *context)
{
	(void)context;
	return true;
}

static void
log_free(void *context)
{
	(void)context;
}

struct fx_error *
cmd_log_begin(struct cmd_shell *shell, const char *path)
{
	FX_AUTO_FREE char *full = fx_file_expand(path);
	int file = open(full, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	struct out_stream stream = {
		.write = log_write, .more = log_more, .free = log_free
	};

	if (file < 0)
		return fx_file_error("write", path, errno);
	cmd_log_end(shell);
	shell->log = FX_NEW(struct cmd_log);
	shell->log->file = file;
	shell->log->path = fx_xstrdup(path);
	shell->log->at_line_start = true;
	stream.context = shell->log;
	shell->log->out = out_new_plain(&stream);
	out_tee(shell->last_out, shell->log->out);
	return NULL;
}

void
cmd_log_end(struct cmd_shell *shell)
{
	struct cmd_log *log = FX_TAKE(shell->log);

	if (!log)
		return;
	out_tee(shell->last_out, NULL);
	out_free(log->out);
	close(log->file);
	free(log->path);
	free(log);
}

void
cmd_log_line(struct cmd_shell *shell, const char *line)
{
	struct cmd_log *log = shell->log;

	if (!log->at_line_start)
		write_all(log, "\n", 1);
	write_all(log, line, strlen(line));
	write_all(log, "\n", 1);
	log->at_line_start = true;
}

void
cmd_log_error(struct cmd_shell *shell, const struct fx_error *err)
{
	out_error(shell->log->out, err);
}

struct fx_error *
cmd_log_check(struct cmd_shell *shell)
{
	struct fx_error *err;

	if (!shell->log || !shell->log->error)
		return NULL;
	err = fx_file_error("write", shell->log->path, shell->log->error);
	cmd_log_end(shell);
	return fx_error_note(err, "logging ended");
}

const char *
cmd_log_path(const struct cmd_shell *shell)
{
	return shell->log ? shell->log->path : NULL;
}
