/* dump_value.c - writing tensors to a file. */
#include <config.h>

#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "commands/shell/groups.h"
#include "commands/shell/overwrite_guard.h"
#include "commands/shell/shell.h"
#include "commands/verbs/write_tensors.h"
#include "run/datum.h"
#include "run/tensor_file.h"

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

/* "x x.npy" for "x x.txt": a file with another ending.  NULL when TEXT does not
 * end in such a word, or that belongs to an expression.
 */
static char *
other_ending(const char *text)
{
	const char *file = text ? strrchr(text, ' ') : NULL;
	const char *dot = file ? strrchr(file, '.') : NULL;

	if (!dot || strpbrk(file, "()[]{}\"'") || file == text ||
		strchr("+-*/%@<>=|&", file[-1]))
		return NULL;
	return fx_xasprintf("%.*s.npy", (int)(dot - text), text);
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
	FX_AUTO_FREE char *other = has_file ? NULL : other_ending(text);
	struct fx_error *err = fx_error_new(FX_ERR_USAGE,
		"dump value: expected a tensor and a file that ends in .npy, "
		".npz, .safetensors or .csv");

	if (output && is_tensor_file(output))
		return fx_error_hint(err, "dump value %s %s%s%s", tensor, quote,
			output, quote);
	if (other)
		return fx_error_hint(err, "dump value %s", other);
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
	err = cmd_write_tensors(ctx, datum, path);
	if (!err)
		cmd_overwrite_guard_written(ctx, path);
	return err;
}
