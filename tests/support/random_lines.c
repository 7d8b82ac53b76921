/* random_lines.c - a session that commands are typed into, and random ones that
 * edit its graph.
 */
#include <config.h>

#include "tests/support/random_lines.h"

#include "base/buf.h"
#include "base/compiler.h"
#include "base/vec.h"
#include "commands/out/out.h"
#include "commands/out/record.h"
#include "commands/shell/cmd.h"
#include "ir/graph.h"
#include "session/model.h"
#include "session/nested.h"
#include "session/position.h"
#include "session/session.h"

struct fxt_seat
fxt_seat_new(void)
{
	struct fxt_seat seat = { .session = fx_session_new() };

	seat.shell = cmd_shell_new(seat.session);
	seat.recording = out_recording_new();
	seat.out = out_new_recording(seat.recording);
	return seat;
}

void
fxt_seat_free(struct fxt_seat *seat)
{
	out_free(seat->out);
	out_recording_free(seat->recording);
	cmd_shell_free(seat->shell);
	fx_session_free(seat->session);
}

struct fx_graph *
fxt_seat_graph(const struct fxt_seat *seat)
{
	return fx_model_graph(fx_session_model(seat->session));
}

struct fx_graph *
fxt_seat_position(const struct fxt_seat *seat)
{
	return fx_position_graph(fx_session_model(seat->session));
}

struct fx_error *
fxt_seat_type(struct fxt_seat *seat, const char *line)
{
	struct fx_error *err = cmd_run(seat->shell, line, seat->out);

	out_recording_clear(seat->recording);
	return err;
}

/* --- random commands ----------------------------------------------------- */

static const char *
any_node(struct fxt_seat *seat, struct fxt_random *random)
{
	struct fx_graph *graph = fxt_seat_position(seat);
	size_t at = fxt_random_below(random, graph->node_count);

	return fx_graph_at(graph, at)->name;
}

static void
add_expression(struct fxt_seat *seat, struct fxt_random *random,
	struct fx_buf *out)
{
	const char *a = any_node(seat, random);
	const char *b = any_node(seat, random);

	switch (fxt_random_below(random, 8)) {
	case 0:
		fx_buf_addf(out, "torch.relu(%%%s)", a);
		break;
	case 1:
		fx_buf_addf(out, "%%%s + %%%s", a, b);
		break;
	case 2:
		fx_buf_addf(out, "torch.add(torch.neg(%%%s), %%%s, alpha=2)", a,
			b);
		break;
	case 3:
		fx_buf_addf(out, "%%%s.view(-1, 3)", a);
		break;
	case 4:
		fx_buf_addf(out, "nn.Dropout(0.5)(%%%s)", a);
		break;
	case 5:
		fx_buf_addf(out, "torch.cat([%%%s, %%%s], dim=0)", a, b);
		break;
	case 6:
		fx_buf_addf(out, "%%%s[0, 1:3, ...]", a);
		break;
	default:
		fx_buf_addf(out, "%%%s.shape", a);
		break;
	}
}

static void
add_insert(struct fxt_seat *seat, struct fxt_random *random, struct fx_buf *out)
{
	static const char *const names[] = { "y", "z", "relu_7", "y_1" };

	fx_buf_addf(out, "insert %s %%%s : ",
		fxt_random_chance(random, 70) ? "after" : "before",
		any_node(seat, random));
	if (fxt_random_chance(random, 50))
		fx_buf_addf(out, "%s = ",
			names[fxt_random_below(random, FX_ARRAY_LEN(names))]);
	add_expression(seat, random, out);
	if (fxt_random_chance(random, 40))
		fx_buf_add(out, " --splice");
	if (fxt_random_chance(random, 40))
		fx_buf_add(out, " --fresh");
}

static void
add_set(struct fxt_seat *seat, struct fxt_random *random, struct fx_buf *out)
{
	const char *name = any_node(seat, random);

	switch (fxt_random_below(random, 4)) {
	case 0:
		fx_buf_addf(out, "set %%%s.args[%zu] = ", name,
			fxt_random_below(random, 3));
		if (fxt_random_chance(random, 50))
			fx_buf_addf(out, "%%%s", any_node(seat, random));
		else
			fx_buf_add(out, "(1, 'a b', None)");
		break;
	case 1:
		fx_buf_addf(out, "set %%%s.target = torch.mul", name);
		break;
	case 2:
		fx_buf_addf(out, "set %%%s.kwargs.dim = -1", name);
		break;
	default:
		fx_buf_addf(out, "set %%%s.name = n%zu", name,
			fxt_random_below(random, 30));
		break;
	}
}

void
fxt_line_add(struct fxt_seat *seat, struct fxt_random *random,
	struct fx_buf *out)
{
	bool is_empty = !fxt_seat_position(seat)->node_count;
	size_t kind = is_empty ? 17 : fxt_random_below(random, 20);

	if (kind < 6)
		add_insert(seat, random, out);
	else if (kind < 8)
		fx_buf_addf(out, "erase %%%s --to %%%s", any_node(seat, random),
			any_node(seat, random));
	else if (kind == 8)
		fx_buf_add(out, "erase {users=0 and op!=output}");
	else if (kind == 9)
		fx_buf_addf(out, "rauw %%%s %%%s", any_node(seat, random),
			any_node(seat, random));
	else if (kind == 10)
		fx_buf_addf(out, "rename %%%s r%zu", any_node(seat, random),
			fxt_random_below(random, 30));
	else if (kind == 11)
		fx_buf_addf(out, "move %%%s %s %%%s", any_node(seat, random),
			fxt_random_chance(random, 50) ? "before" : "after",
			any_node(seat, random));
	else if (kind < 15)
		add_set(seat, random, out);
	else if (kind == 15)
		fx_buf_addf(out, "set module m%zu = nn.GELU()",
			fxt_random_below(random, 3));
	else if (kind == 16)
		fx_buf_add(out, "pass run dce");
	else if (kind == 17)
		fx_buf_addf(out, "undo %zu", 1 + fxt_random_below(random, 3));
	else if (kind == 18)
		fx_buf_add(out, "redo");
	else {
		fx_buf_addf(out, "replace %%%s = ", any_node(seat, random));
		add_expression(seat, random, out);
	}
	if (kind < 17 && kind != 16 && fxt_random_chance(random, 70))
		fx_buf_add(out, " -f");
}

/* Go to the graph itself, or to one nested in it. */
void
fxt_line_add_way(struct fxt_seat *seat, struct fxt_random *random,
	struct fx_buf *out)
{
	const struct fx_model *model = fx_session_model(seat->session);
	struct fx_nested_graphs graphs;
	size_t at;

	fx_model_nested(model, &graphs);
	at = fxt_random_below(random, graphs.count + 1);
	fx_buf_addf(out, "graph /%s",
		at < graphs.count ? fx_model_graph_path(model, graphs.items[at])
				  : "");
	fx_vec_deinit(&graphs);
}

/* Up to four nodes that stand together. */
void
fxt_line_add_outline(struct fxt_seat *seat, struct fxt_random *random,
	struct fx_buf *out)
{
	struct fx_graph *graph = fxt_seat_position(seat);
	size_t first = fxt_random_below(random, graph->node_count + 1);
	size_t last = first + fxt_random_below(random, 4);

	fx_buf_add(out, "outline {");
	for (size_t i = first; i <= last && i < graph->node_count; i++)
		fx_buf_addf(out, "%sname=%s", i > first ? " or " : "",
			fx_graph_at(graph, i)->name);
	fx_buf_add_char(out, '}');
	if (fxt_random_chance(random, 30))
		fx_buf_addf(out, " as part%zu", fxt_random_below(random, 5));
}

/* In the graph or one nested in it. */
void
fxt_line_add_nested(struct fxt_seat *seat, struct fxt_random *random,
	struct fx_buf *out)
{
	size_t kind = fxt_random_below(random, 10);

	if (kind < 3)
		fxt_line_add_way(seat, random, out);
	else if (kind < 4)
		fxt_line_add_outline(seat, random, out);
	else if (kind < 5 && fxt_seat_position(seat)->node_count)
		fx_buf_addf(out, "inline %%%s", any_node(seat, random));
	else
		fxt_line_add(seat, random, out);
}

/* Of what random graphs and random commands make. */
static const char *const rules[] = {
	"torch.relu(x) => torch.neg(torch.relu(x))",
	"torch.relu(x) => x.clamp(min=0)",
	"torch.relu(x) => nn.GELU()(x)",
	"torch.neg(x) => x",
	"-x => torch.neg(x)",
	"a + b => torch.sub(a, b)",
	"a + b => torch.add(b, a)",
	"a * b => torch.add(torch.mul(a, b), a)",
	"torch.add(a, b, ...) => a + b",
	"torch.add(torch.neg(a), b, alpha=2) => torch.sub(b, a)",
	"torch.relu(torch.add(a, b)) => torch.relu(a) + torch.relu(b)",
	"torch.cat([a, b], dim=c) => torch.cat([b, a], dim=c)",
	"x.view(-1, 3) => torch.reshape(x, (-1, 3))",
	"nn.Dropout(x) => x",
	"nn.Dropout(x) => F.dropout(x, 0.5)",
	"F.dropout(x, ...) => x",
	"(torch.relu(x), torch.neg(x)) => (torch.neg(x), torch.relu(x))",
};

static const char *const ways[] = { "", "", "", " -f", " --fx", " --fixpoint" };

void
fxt_line_add_rewrite(struct fxt_seat *seat, struct fxt_random *random,
	struct fx_buf *out)
{
	if (fxt_random_chance(random, 60)) {
		fxt_line_add_nested(seat, random, out);
		return;
	}
	fx_buf_addf(out, "rewrite %s%s",
		rules[fxt_random_below(random, FX_ARRAY_LEN(rules))],
		ways[fxt_random_below(random, FX_ARRAY_LEN(ways))]);
}
