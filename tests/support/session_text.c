/* session_text.c - a session with a graph read from Python text, for tests. */
#include <config.h>

#include "tests/support/session_text.h"

#include "base/buf.h"
#include "base/intern.h"
#include "session/settings.h"
#include "tests/support/read_text.h"
#include "tests/support/unit.h"

const char fxt_small[] = "def forward(self, x : \"f32[2, 3]\"):\n"
			 "    relu = torch.relu(x);  x = None\n"
			 "    neg = torch.neg(relu)\n"
			 "    add = relu + neg;  relu = neg = None\n"
			 "    mul = add * 2;  add = None\n"
			 "    return mul\n";

const char fxt_two_inputs[] =
	"def forward(self, x : \"f32[2, 3]\", y : \"f32[2, 3]\", "
	"z : \"f32[7, 5]\"):\n"
	"    add = x + y\n"
	"    mul = add * y\n"
	"    return mul\n";

struct fxt_world
fxt_world_new(const char *text)
{
	return fxt_world_prepared(text, NULL);
}

struct fxt_world
fxt_world_prepared(const char *text, void (*prepare)(struct fx_graph *graph))
{
	struct fxt_world world = { .session = fx_session_new() };

	world.graph = fxt_read_graph(text, fx_session_serial(world.session));
	fxt_set(&world, "backend meta");
	if (prepare)
		prepare(world.graph);
	world.model = fx_session_add_graph(world.session, world.graph, "net",
		"load net.py");
	return world;
}

void
fxt_set(struct fxt_world *world, const char *text)
{
	const char *rest;
	int index = fx_settings_match(text, &rest);
	bool ok;

	FXT_IS_FATAL(index, >=, 0);
	ok = fxt_ok(fx_settings_set(fx_session_settings(world->session), index,
		rest));
	CU_ASSERT_FATAL(ok);
}

void
fxt_world_free(struct fxt_world *world)
{
	fx_session_free(world->session);
}

struct fx_node *
fxt_node(struct fxt_world *world, const char *name)
{
	struct fx_node *node = fx_graph_find(world->graph, name);

	FXT_IS_FATAL(node, !=, NULL);
	return node;
}

/* Texts are interned: any number may be held. */
static const char *
keep(struct fx_buf *text)
{
	return fx_intern(fx_buf_text(text));
}

static const char *
error_text(struct fx_error *err)
{
	const char *text = fx_intern_format("error: %s", fx_error_message(err));

	fx_error_free(err);
	return text;
}

static const char *
node_name(void *context, uint64_t id)
{
	struct fxt_world *world = context;
	struct fx_node *node =
		fx_graph_find_id(fx_position_graph(world->model), id);

	return node ? node->name : NULL;
}

const char *
fxt_print(struct fxt_world *world, const char *expression)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };
	FX_AUTO_DATUM struct fx_datum *datum = NULL;
	struct fx_datum_printer printer = {
		.format = "",
		.node_name = node_name,
		.context = world,
	};
	struct fx_error *err = fx_resolve_expression(world->session,
		world->model, expression, false, &datum);

	if (!err)
		err = fx_datum_print(&text, datum, &printer);
	return err ? error_text(err) : keep(&text);
}

const char *
fxt_select(struct fxt_world *world, const char *set)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };
	FX_AUTO_FREE size_t *positions = NULL;
	size_t count = 0;
	struct fx_error *err = fx_resolve_set(world->session, world->model, set,
		&positions, &count);

	if (err)
		return error_text(err);
	for (size_t i = 0; i < count; i++)
		fx_buf_addf(&text, "%s%s", i ? " " : "",
			fx_graph_at(fx_position_graph(world->model),
				positions[i])
				->name);
	return keep(&text);
}

const char *
fxt_states(struct fxt_world *w)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };
	struct fx_node *node;

	fx_graph_for_each_node (node, w->graph)
		fx_buf_add(&text, fx_model_state(w->model, node));
	return keep(&text);
}

const char *
fxt_stop(struct fx_stop *stop)
{
	static const char *const reasons[] = { "step", "breakpoint", "watch",
		"target", "end", "begin", "error", "interrupt" };
	FX_AUTO_BUF struct fx_buf text = { 0 };

	fx_buf_addf(&text, "@%zu %s %s %zu", stop->position,
		stop->node ? stop->node->name : "end", reasons[stop->reason],
		stop->executed);
	fx_stop_deinit(stop);
	return keep(&text);
}

const char *
fxt_start(struct fxt_world *w)
{
	struct fx_stop stop = { .number = 0 };

	CU_ASSERT(fxt_ok(fx_position_start(w->session, w->model, &stop)));
	return fxt_stop(&stop);
}

const char *
fxt_run_to(struct fxt_world *w, struct fx_node *to)
{
	struct fx_stop stop = { .number = 0 };

	CU_ASSERT(fxt_ok(fx_position_run(w->session, w->model, to, &stop)));
	return fxt_stop(&stop);
}

const char *
fxt_move(struct fxt_world *w, enum fx_move how, bool back, size_t count)
{
	struct fx_stop stop = { .number = 0 };

	CU_ASSERT(fxt_ok(fx_position_move(w->session, w->model,
		&(struct fx_movement){ how, back, count }, &stop)));
	return fxt_stop(&stop);
}

const char *
fxt_jump(struct fxt_world *w, struct fx_model *model, size_t position)
{
	struct fx_stop stop = { .number = 0 };

	CU_ASSERT(fxt_ok(fx_position_goto(w->session, model, position, &stop)));
	return fxt_stop(&stop);
}

void
fxt_edit_begin(struct fxt_world *w, const char *command)
{
	CU_ASSERT(fxt_ok(fx_model_edit_begin(w->session, w->model, command)));
}

struct fx_error *
fxt_edit_finish(struct fxt_world *w, bool dry_run, bool force,
	struct fx_edit_report *report)
{
	return fx_model_edit_end(w->model, dry_run, force, report);
}

const char *
fxt_edit_end(struct fxt_world *w)
{
	FX_AUTO_EDIT_REPORT struct fx_edit_report r = { .position = 0 };

	CU_ASSERT(fxt_ok(fxt_edit_finish(w, false, false, &r)));
	return fx_intern_format("+%zu -%zu ~%zu%s undo %zu", r.counts.created,
		r.counts.erased, r.counts.changed,
		r.position_moved ? fx_intern_format(" to @%zu", r.position)
				 : "",
		r.undo_count);
}
