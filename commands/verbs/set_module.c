/* set_module.c - set module PATH = nn.X(...): one submodule. */
#include <config.h>

#include "commands/verbs/set.h"

#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "commands/verbs/edit.h"
#include "session/model.h"

/* set module PATH = nn.X(...). */

struct module_edit {
	const char *path;
	const char *text;
	struct cmd_statement statement;
};

static struct fx_error *
module_edit(struct cmd_ctx *ctx, void *data, struct fx_buf *script)
{
	struct module_edit *edit = data;
	struct fx_graph *graph = fx_model_graph(ctx->model);
	FX_AUTO_FREE char *words =
		fx_xasprintf("module %s = %s", edit->path, edit->text);
	FX_AUTO_FREE char *seed = cmd_statement_seed(&edit->statement);

	(void)script;
	cmd_canonical_set(ctx, "what", words);
	cmd_canonical_set(ctx, "seed", seed);
	return cmd_statement_set_module(&edit->statement, graph, edit->path);
}

static FX_NODISCARD struct fx_error *
no_module_made(const char *text)
{
	return fx_error_hint(fx_error_new(FX_ERR_TYPE,
				     "\"%s\" is no module: write nn.X(...)",
				     text),
		"set module layer1.0.relu = nn.GELU()");
}

/* The statement reader makes modules of calls, so the module is called on
 * nothing.
 */
struct fx_error *
cmd_set_module(struct cmd_ctx *ctx, const char *text)
{
	FX_AUTO_FREE char *path = NULL;
	FX_AUTO_FREE char *call = NULL;
	struct module_edit edit = { 0 };
	struct fx_error *err = cmd_set_check(ctx);

	if (!err)
		err = cmd_set_split(text, &path, &edit.text);
	if (err)
		return err;
	edit.path = fx_str_starts(path, "self.") ? path + 5 : path;
	if (!fx_str_starts(edit.text, "nn.") &&
		!fx_str_starts(edit.text, "torch.nn."))
		return no_module_made(edit.text);
	call = fx_xasprintf("%s(None)", edit.text);
	err = cmd_statement_read(ctx, "module", call, &edit.statement);
	/* The call on nothing was not typed. */
	if (err && fx_error_text(err) &&
		fx_error_span(err).end <= strlen(edit.text))
		err = cmd_edit_retell(err, edit.text, fx_error_span(err));
	if (!err && !edit.statement.module_name)
		err = no_module_made(edit.text);
	if (!err)
		err = cmd_edit(ctx, "edit", module_edit, &edit);
	cmd_statement_deinit(&edit.statement);
	return err;
}
