/* noted_input.c - the inputs that a graph brings with it. */
#include <config.h>

#include "base/mem.h"
#include "ir/module.h"
#include "ir/note.h"
#include "session/session_private.h"

void
fx_model_take_noted_inputs(struct fx_session *session, struct fx_model *model)
{
	struct fx_node *node;

	fx_graph_for_each_node (node, model->graph) {
		const char *path = fx_graph_note(node, FX_NOTE_INPUT);
		struct fx_error *err = NULL;

		/* A file may say anything: it is no expression. */
		if (path && node->opcode == FX_OPCODE_PLACEHOLDER &&
			fx_module_find_tensor(model->graph->module, path))
			err = fx_model_set_input(session, model, node->target,
				path);
		if (err)
			fx_model_say(model,
				fx_xasprintf("input %s is not given: %s",
					node->target, fx_error_message(err)));
		fx_error_free(err);
	}
}
