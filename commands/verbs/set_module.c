/* set_module.c - set module PATH = nn.X(...): one submodule. */
#include <config.h>

#include "commands/verbs/set.h"

#include "base/mem.h"
#include "base/str.h"
#include "commands/verbs/edit.h"
#include "session/resolve.h"

/* set module PATH = nn.X(...). */

struct module_edit {
	const char *path;
	const char *text;
	struct fx_fragment fragment;
};

static struct fx_error *
module_edit(struct cmd_ctx *ctx, void *data, struct fx_buf *script)
{
	struct module_edit *edit = data;
	struct cmd_fresh fresh;
	struct fx_graft graft = cmd_edit_graft(ctx, &edit->fragment, &fresh);
	FX_AUTO_FREE char *words =
		fx_xasprintf("module %s = %s", edit->path, edit->text);
	FX_AUTO_FREE char *seed = cmd_edit_seed(&edit->fragment, &fresh);

	(void)script;
	cmd_canonical_set(ctx, "what", words);
	cmd_canonical_set(ctx, "seed", seed);
	return fx_graft_module(&graft, edit->path);
}

struct fx_error *
cmd_set_module(struct cmd_ctx *ctx, const char *text)
{
	FX_AUTO_FREE char *path = NULL;
	struct module_edit edit = { 0 };
	struct fx_error *err = cmd_set_check(ctx);

	if (!err)
		err = cmd_set_split(text, &path, &edit.text);
	if (err)
		return err;
	edit.path = fx_str_starts(path, "self.") ? path + 5 : path;
	err = fx_resolve_layer(ctx->session, ctx->model, edit.text,
		&edit.fragment);
	if (!err)
		err = cmd_edit(ctx, "edit", module_edit, &edit);
	fx_fragment_deinit(&edit.fragment);
	return err;
}
