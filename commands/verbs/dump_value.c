/* dump_value.c - writing a tensor to a file. */
#include <config.h>

#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "commands/out/out.h"
#include "commands/shell/front.h"
#include "commands/shell/groups.h"
#include "commands/shell/overwrite_guard.h"
#include "commands/shell/shell.h"
#include "run/datum.h"
#include "run/tensor_file.h"
#include "run/ticker.h"
#include "run/values.h"

struct source {
	const struct fx_datum *tensor;
	struct fx_ticker ticker;
};

static struct fx_error *
give(void *context, uint64_t first, size_t count, void *bytes)
{
	struct source *source = context;

	if (fx_ticker_poll(&source->ticker))
		return fx_error_new(FX_ERR_INTERRUPTED,
			"interrupted; no file is written");
	return fx_values_read(source->tensor, first, count, bytes);
}

static struct fx_error *
write_tensor(struct cmd_ctx *ctx, struct fx_datum *tensor, const char *path)
{
	struct source source = { .tensor = tensor };
	struct fx_npy array = { .rank = 0 };
	struct fx_extent extent;
	FX_AUTO_BUF struct fx_buf shape = { 0 };
	struct fx_error *err = fx_extent_of(tensor, &extent);

	/* Before a file is begun. */
	if (!err)
		err = fx_values_read(tensor, 0, 0, NULL);
	if (err)
		return err;
	array.dtype = extent.dtype;
	array.rank = extent.rank;
	array.count = extent.count;
	memcpy(array.sizes, extent.sizes, sizeof(array.sizes));
	fx_ticker_init(&source.ticker, ctx->front->tick, ctx->front->context);
	err = fx_tensor_file_write(path, &array, give, &source);
	if (err)
		return err;
	fx_extent_print(&shape, &extent);
	out_value_text(ctx->out, "file", path);
	out_line(ctx->out, FX_ROLE_PLAIN, "%s: %s%s", path,
		fx_dtype_info(extent.dtype)->short_name, fx_buf_text(&shape));
	return NULL;
}

/* Where the file begins in "x[0] x.npy" or "x[0] \"my x.npy\"". */
static const char *
find_file(const char *text, size_t *length_ret)
{
	size_t length = strlen(text);
	bool is_quoted = length && text[length - 1] == '"';
	const char *at = text + length - is_quoted;

	while (at > text && at[-1] != (is_quoted ? '"' : ' '))
		at--;
	*length_ret = (size_t)(text + length - is_quoted - at);
	return at;
}

/* Whether PATH ends as a format that can be written. */
static bool
is_tensor_file(const char *path)
{
	const char *ending;

	for (size_t i = 0; (ending = fx_tensor_file_ending(i)); i++)
		if (fx_str_ends(path, ending))
			return true;
	return false;
}

/* Return the error for TEXT, which does not end in a file, or is only a file.
 * OUTPUT is the file that -o names, or NULL; -o takes text, not values.
 */
static struct fx_error *
no_file(const char *text, const char *output)
{
	bool has_file = text && is_tensor_file(text);
	bool is_word = text && !has_file && !strpbrk(text, " /\"'()[]{}");
	const char *tensor = text && !has_file ? text : "x";
	const char *quote = output && strchr(output, ' ') ? "\"" : "";
	struct fx_error *err = fx_error_new(FX_ERR_USAGE,
		"dump value: expected a tensor and a file that ends in .npy, "
		".safetensors or .csv");

	if (output && is_tensor_file(output))
		return fx_error_hint(err, "dump value %s %s%s%s", tensor, quote,
			output, quote);
	return fx_error_hint(err, "dump value %s %s.npy", tensor,
		is_word ? text : "x");
}

/* The file is the last word. */
struct fx_error *
cmd_dump_value(struct cmd_ctx *ctx, const char *text)
{
	size_t length = 0;
	const char *output = cmd_flag(ctx, "output");
	const char *file = text ? find_file(text, &length) : NULL;
	FX_AUTO_FREE char *name = file ? fx_xstrndup(file, length) : NULL;
	FX_AUTO_FREE char *expression = NULL;
	FX_AUTO_FREE char *path = NULL;
	FX_AUTO_DATUM struct fx_datum *datum = NULL;
	struct fx_error *err = cmd_overwrite_guard_allowed(ctx);

	if (err)
		return err;
	if (output || !name || !is_tensor_file(name) || file - text < 2)
		return no_file(text, output);
	expression = fx_xstrndup(text, (size_t)(file - text - 1));
	path = fx_file_expand(name);
	err = cmd_evaluate(ctx, expression, &datum);
	if (!err)
		err = cmd_overwrite_guard_check(ctx, path);
	if (err)
		return err;
	if (!cmd_overwrite_guard_may_replace(ctx, path))
		return cmd_overwrite_guard_not_written(ctx);
	err = write_tensor(ctx, datum, path);
	if (!err)
		cmd_overwrite_guard_written(ctx, path);
	return err;
}
