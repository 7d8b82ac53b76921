/* torch_side.c - graphs of a few lines on one backend. */
#include <config.h>

#include "tests/support/torch_side.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/str.h"
#include "guest/shim.h"
#include "ir/graph.h"
#include "ir/tensor_meta.h"
#include "run/backend.h"
#include "run/interp.h"
#include "tests/support/read_text.h"
#include "tests/support/unit.h"

bool
fxt_has_torch(void)
{
	const char *folder = getenv("FXDB_SHIMS");
	FX_AUTO_FREE char *path =
		fx_xasprintf("%s/fxdb-torch-" FX_LIBTORCH_VERSION ".so",
			folder ? folder : ".");

	return access(path, R_OK) == 0;
}

struct fx_backend *
fxt_torch_new(void)
{
	struct fx_backend *backend = NULL;

	CU_ASSERT_FATAL(fxt_ok(fx_backend_torch_new(NULL, &backend)));
	return backend;
}

struct fx_graph *
fxt_side_load(const char *params, const char *body)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };

	fx_buf_addf(&text, "def forward(self, %s):\n", params);
	for (const char *line = body; *line;) {
		size_t length = strcspn(line, "\n");

		fx_buf_addf(&text, "    %.*s\n", (int)length, line);
		line += length + (line[length] == '\n');
	}
	return fxt_read_graph(fx_buf_text(&text), 1);
}

struct fx_error *
fxt_side_give(void *context, struct fx_node *node, struct fx_datum **ret)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	struct fxt_side *side = context;
	size_t length = strcspn(side->inputs, " ");
	struct fx_value meta;
	struct fx_error *err =
		fx_tensor_meta_parse(arena, side->inputs, length, &meta);

	(void)node;
	CU_ASSERT_FATAL(fxt_ok(err));
	side->inputs += length + (side->inputs[length] == ' ');
	return side->backend->ops->generate(side->backend, meta.tensor, 7, ret);
}

struct fx_error *
fxt_side_run(struct fxt_side *side, struct fx_graph *graph, const char *inputs)
{
	const struct fx_observer hook = { .records = true };
	struct fx_interp interp = {
		.graph = graph,
		.backend = side->backend,
		.env = &side->env,
		.plans = &side->plans,
		.input = fxt_side_give,
		.input_context = side,
		.observers = &hook,
		.observer_count = 1,
		.next = fx_graph_first(graph),
	};

	side->inputs = inputs;
	fx_plans_init(&side->plans, side->backend);
	return fx_interp_run(&interp, NULL);
}

void
fxt_side_deinit(struct fxt_side *side)
{
	fx_env_deinit(&side->env);
	fx_plans_deinit(&side->plans);
	fx_backend_free(side->backend);
}
