/* fuzz_command.c - lines of commands on a small graph.
 *
 * Whatever is typed, fxdb may neither crash nor hang nor leak, and the graph
 * must stay sound.  The shell is restricted: no files, no programs.
 */
#include <config.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/mem.h"
#include "commands/out/out.h"
#include "commands/out/record.h"
#include "commands/shell/cmd.h"
#include "ir/graph.h"
#include "ir/verify.h"
#include "load/open.h"
#include "session/model.h"
#include "session/session.h"

/* Lines of one input; more add time, not coverage. */
#define LINE_LIMIT 40

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char code[] = "import torch\n"
			   "from torch.nn import *\n"
			   "class M(torch.nn.Module):\n"
			   "    def __init__(self):\n"
			   "        super().__init__()\n"
			   "        self.fc1 = Linear(4, 8)\n"
			   "        self.act = ReLU()\n"
			   "    def forward(self, x):\n"
			   "        fc1 = self.fc1(x)\n"
			   "        act = self.act(fc1)\n"
			   "        chunk = torch.chunk(act, 2, 1)\n"
			   "        getitem = chunk[0]\n"
			   "        add = getitem + x\n"
			   "        return (add, chunk)\n";

static void
open_graph(struct fx_session *session)
{
	FX_AUTO_LOADED struct fx_loaded loaded = { 0 };
	struct fx_load_input input = { .text = code,
		.length = strlen(code),
		.serial = fx_session_serial(session) };
	struct fx_error *err = fx_open_text(&input, &loaded);

	fx_assert(!err);
	fx_session_add_graph(session, FX_TAKE(loaded.graph), "m", "load m.py");
}

static void
check_graphs(struct fx_session *session)
{
	size_t i;

	for (i = 0; i < fx_session_model_count(session); i++) {
		struct fx_model *model = fx_session_model_at(session, i);
		struct fx_error *err = fx_verify_error(fx_model_graph(model));

		fx_assert(!err);
	}
}

static void
run_lines(struct cmd_shell *shell, struct out *out, char *text)
{
	char *end;
	int lines;

	for (lines = 0; text && lines < LINE_LIMIT; lines++) {
		struct fx_error *err;

		end = strchr(text, '\n');
		if (end)
			*end++ = '\0';
		err = cmd_run(shell, text, out);
		if (err)
			out_error(out, err);
		fx_error_free(err);
		if (cmd_shell_is_quitting(shell))
			return;
		text = end;
	}
}

/* Completion at every place of the first line too. */
static void
complete(struct cmd_shell *shell, const char *text)
{
	size_t length = strcspn(text, "\n");
	FX_AUTO_FREE char *line = fx_xstrndup(text, length);
	size_t point;

	for (point = 0; point <= length && point < 40; point++) {
		size_t start;
		char **found = cmd_complete(shell, line, point, &start);
		size_t i;

		fx_assert(start <= point);
		for (i = 0; found[i]; i++)
			free(found[i]);
		free(found);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	FX_AUTO_FREE char *text = fx_xstrndup((const char *)data, size);
	FX_AUTO_BUF struct fx_buf said = { 0 };
	struct out_stream stream = out_stream_buffer(&said, true);
	struct fx_session *session = fx_session_new();
	struct cmd_shell *shell = cmd_shell_new(session);
	struct out *out =
		size % 2 ? out_new_plain(&stream) : out_new_json(&stream);

	cmd_shell_restrict(shell);
	open_graph(session);
	complete(shell, text);
	run_lines(shell, out, text);
	check_graphs(session);
	cmd_shell_free(shell);
	out_free(out);
	fx_session_free(session);
	return 0;
}
