/* test_run.c - data, plans, the interpreter, two backends, nested graphs. */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/intern.h"
#include "base/mem.h"
#include "ir/fold.h"
#include "ir/module.h"
#include "ir/tensor_meta.h"
#include "ir/value_text.h"
#include "load/python.h"
#include "run/backend.h"
#include "run/interp.h"
#include "run/ticker.h"
#include "session/breakpoint.h"
#include "session/resolve.h"
#include "tests/support/append.h"
#include "tests/support/random_graph.h"
#include "tests/support/read_text.h"
#include "tests/support/replay_backend.h"
#include "tests/support/session_text.h"
#include "tests/support/unit.h"

/* --- data --------------------------------------------------------------- */

static const char *
shown(const struct fx_datum *datum, const char *format)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };
	struct fx_datum_printer printer = { .format = format };
	struct fx_error *err = fx_datum_print(&text, datum, &printer);

	if (err) {
		const char *message =
			fx_intern_format("error: %s", fx_error_message(err));

		fx_error_free(err);
		return message;
	}
	return fx_intern(fx_buf_text(&text));
}

static struct fx_datum *
datum_of(const char *text)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	struct fx_value value = fxt_read_value(arena, text);

	return fx_datum_from_value(&value);
}

static void
data_print_as_python_does(void)
{
	static const char *const texts[] = { "None", "True", "-3", "1.5",
		"'a\\n'", "b'x'", "(1, 2)", "(1,)", "[1, [2]]",
		"{'a': 1, 'b': (2,)}", "torch.float32", "(1+2j)", "...",
		"123456789012345678901234567890" };

	for (size_t i = 0; i < FX_ARRAY_LEN(texts); i++) {
		FX_AUTO_DATUM struct fx_datum *datum = datum_of(texts[i]);

		if (!strcmp(texts[i], "..."))
			continue;
		FXT_SAME(shown(datum, ""), texts[i]);
	}
}

static void
formats_show_integers_and_refuse_what_is_unknown(void)
{
	FX_AUTO_DATUM struct fx_datum *datum = datum_of("[255, -8]");

	FXT_SAME(shown(datum, "x"), "[0xff, -0x8]");
	FXT_SAME(shown(datum, "o"), "[0o377, -0o10]");
	FXT_SAME(shown(datum, "t"), "[0b11111111, -0b1000]");
	FXT_SAME(shown(datum, "d"), "[255, -8]");
	FXT_IS(strstr(shown(datum, "q"), "unknown format"), !=, NULL);
	FXT_IS(strstr(shown(datum, "xx"), "unknown format"), !=, NULL);
}

static struct fx_datum *
tensor(const char *text)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	struct fx_value value = fx_value_none();

	CU_ASSERT(fxt_ok(fx_tensor_meta_parse(arena, text, strlen(text),
		&value)));
	return fx_datum_from_value(&value);
}

static void
a_tensor_keeps_its_metadata_alive(void)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	FX_AUTO_DATUM struct fx_datum *plain = tensor("f32[2, 3]");
	FX_AUTO_DATUM struct fx_datum *symbolic = tensor("i64[N, 2*N]");
	struct fx_value value = fx_datum_to_value(arena, symbolic);

	FXT_SAME(shown(plain, ""), "f32[2,3]");
	FXT_SAME(shown(symbolic, ""), "i64[N,2*N]");
	FXT_SAME(shown(symbolic, "s"), "i64[N, 2*N]");
	FXT_IS(strstr(shown(plain, "v"), "no values"), !=, NULL);
	FXT_EQ(value.kind, FX_VALUE_TENSOR);
	CU_ASSERT(fx_datum_has_tensor(plain));
	FXT_EQ(fx_kind_of(plain).rank, 2);
	FXT_EQ(fx_kind_of(plain).dtype, FX_DTYPE_F32);
}

static void
values_survive_the_way_through_data(void)
{
	struct fxt_random random = fxt_random_seed(1);

	for (int i = 0; i < 3000; i++) {
		FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
		struct fx_value value =
			fxt_random_value(&random, arena, 3, false);
		FX_AUTO_DATUM struct fx_datum *datum =
			fx_datum_from_value(&value);
		struct fx_value back = fx_datum_to_value(arena, datum);

		CU_ASSERT(fx_value_equal(&value, &back));
		CU_ASSERT(fx_fold_equal(&datum->value, &datum->value) ==
				  FX_TRUE ||
			  strstr(shown(datum, ""), "nan") != NULL);
	}
}

static void
equality_and_truth_are_pythons(void)
{
	static const struct {
		const char *a;
		const char *b;
		bool equal;
	} pairs[] = {
		{ "1", "True", true },
		{ "1", "1.0", true },
		{ "(1, 2)", "[1, 2]", false },
		{ "'a'", "b'a'", false },
		{ "{'a': 1}", "{'a': 1}", true },
		{ "9007199254740993", "9007199254740992.0", false },
		{ "{'a': 1, 'b': 2}", "{'b': 2, 'a': 1}", true },
		{ "9007199254740993", "9007199254740992", false },
	};
	static const char *const falses[] = { "None", "0", "0.0", "''", "()",
		"[]", "{}" };

	for (size_t i = 0; i < FX_ARRAY_LEN(pairs); i++) {
		FX_AUTO_DATUM struct fx_datum *a = datum_of(pairs[i].a);
		FX_AUTO_DATUM struct fx_datum *b = datum_of(pairs[i].b);

		FXT_EQ(fx_fold_equal(&a->value, &b->value),
			pairs[i].equal ? FX_TRUE : FX_FALSE);
	}
	for (size_t i = 0; i < FX_ARRAY_LEN(falses); i++) {
		FX_AUTO_DATUM struct fx_datum *a = datum_of(falses[i]);
		bool truth = true;

		CU_ASSERT(fxt_ok(fx_datum_truth(a, &truth)));
		CU_ASSERT_FALSE(truth);
	}
}

/* --- the interpreter ---------------------------------------------------- */

struct counter {
	size_t before;
	size_t after;
	size_t most;      /* values held at once */
	const char *stop; /* before this node */
	const char *failed;
};

static enum fx_answer
count_before(void *context, struct fx_interp *interp, struct fx_node *node)
{
	struct counter *counter = context;

	counter->before++;
	counter->most = FX_MAX(counter->most, interp->env->count);
	return counter->stop && !strcmp(node->name, counter->stop)
		       ? FX_ANSWER_STOP
		       : FX_ANSWER_GO;
}

static enum fx_answer
count_after(void *context, struct fx_interp *interp, struct fx_node *node,
	struct fx_datum *result)
{
	struct counter *counter = context;

	(void)interp;
	(void)node;
	CU_ASSERT_PTR_NOT_NULL(result);
	counter->after++;
	return FX_ANSWER_GO;
}

static void
count_error(void *context, struct fx_interp *interp, struct fx_node *node,
	const struct fx_error *err)
{
	struct counter *counter = context;

	(void)interp;
	CU_ASSERT_PTR_NOT_NULL(err);
	counter->failed = node->name;
}

static void
values_are_freed_at_their_last_use_unless_recorded(void)
{
	FX_AUTO_GRAPH struct fx_graph *graph = fxt_chain(100);
	FX_AUTO_BACKEND struct fx_backend *backend = fx_backend_meta_new();

	for (int records = 0; records < 2; records++) {
		FX_AUTO_ENV struct fx_env env = { .count = 0 };
		FX_AUTO_PLANS struct fx_plans plans = { .depth = 0 };
		struct counter counter = { .before = 0 };
		struct fx_observer observer = {
			.context = &counter,
			.before = count_before,
			.after = count_after,
			.records = records,
		};
		struct fx_interp interp = {
			.graph = graph,
			.backend = backend,
			.env = &env,
			.plans = &plans,
			.observers = &observer,
			.observer_count = 1,
			.next = fx_graph_first(graph),
		};

		fx_plans_init(&plans, backend);
		CU_ASSERT(fxt_ok(fx_interp_run(&interp, NULL)));
		FXT_EQ(counter.before, 102);
		FXT_EQ(counter.after, 102);
		FXT_EQ(interp.executed, 102);
		FXT_EQ(counter.most, records ? 101 : 1);
		FXT_EQ(env.count, records ? 102 : 1);
	}
}

static void
an_observer_stops_and_the_run_goes_on_from_there(void)
{
	FX_AUTO_GRAPH struct fx_graph *graph = fxt_read_graph(fxt_small, 5);
	FX_AUTO_BACKEND struct fx_backend *backend = fx_backend_meta_new();
	FX_AUTO_ENV struct fx_env env = { .count = 0 };
	FX_AUTO_PLANS struct fx_plans plans = { .depth = 0 };
	struct counter counter = { .stop = "add" };
	struct fx_observer observer = {
		.context = &counter,
		.before = count_before,
		.error = count_error,
		.records = true,
	};
	struct fx_interp interp = {
		.graph = graph,
		.backend = backend,
		.env = &env,
		.plans = &plans,
		.observers = &observer,
		.observer_count = 1,
		.next = fx_graph_first(graph),
	};

	fx_plans_init(&plans, backend);
	CU_ASSERT(fxt_ok(fx_interp_run(&interp, NULL)));
	FXT_SAME(interp.next->name, "add");
	counter.stop = NULL;
	CU_ASSERT(fxt_ok(fx_interp_run(&interp, NULL)));
	CU_ASSERT_PTR_NULL(interp.next);
	FXT_SAME(shown(fx_env_get(&env, fx_graph_output(graph)->id), ""),
		"f32[2,3]");
}

static bool
press(void *context)
{
	(void)context;
	return true;
}

static void
a_nested_graph_is_broken_off_between_its_nodes(void)
{
	FX_AUTO_GRAPH struct fx_graph *graph = fxt_chain(100);
	FX_AUTO_BACKEND struct fx_backend *backend = fx_backend_meta_new();
	FX_AUTO_DATUM struct fx_datum *result = NULL;
	/* Asked long ago, so that it is asked at once. */
	struct fx_ticker ticker = { .tick = press, .last = -1000000 };
	struct fx_arguments arguments = { .is_nested = true,
		.ticker = &ticker };

	CU_ASSERT(fxt_fails(fx_interp_call(backend, graph, &arguments, 1,
				    &result),
		FX_ERR_INTERRUPTED));
	CU_ASSERT(ticker.stopped);
	CU_ASSERT_PTR_NULL(result);
	arguments.ticker = NULL;
	CU_ASSERT(fxt_ok(fx_interp_call(backend, graph, &arguments, 1,
		&result)));
	CU_ASSERT_PTR_NOT_NULL(result);
}

static bool
count_ticks(void *context)
{
	++*(int *)context;
	return false;
}

static void
what_looks_long_is_announced_before_it_runs(void)
{
	FX_AUTO_GRAPH struct fx_graph *graph =
		fxt_load("def forward(self, x : \"f32[2048, 1024]\"):\n"
			 "    y = torch.relu(x)\n"
			 "    return y\n",
			fx_load_python, NULL);
	struct fx_ticker ticker;
	int ticks = 0;

	fx_ticker_init(&ticker, count_ticks, &ticks);
	ticker.every = 0;
	for (int i = 0; i < 3; i++)
		CU_ASSERT(!fx_ticker_poll_before(&ticker,
			fx_graph_find(graph, fx_intern("y"))));
	FXT_EQ(ticks, 3);
}

/* --- replay ------------------------------------------------------------- */

static const char answers[] =
	"# recorded by hand\n"
	"{\"target\": \"torch.relu\", \"args\": [\"f32[2,3]\"], "
	"\"result\": \"f32[2,3]\", \"values\": [0, 1.5, 2, 3, 4, 5]}\n"
	"{\"target\": \"torch.neg\", \"args\": [\"f32[2,3]\"], "
	"\"result\": \"f32[2,3]\"}\n"
	"{\"target\": \"operator.add\", \"args\": [\"f32[2,3]\", "
	"\"f32[2,3]\"], \"result\": \"f32[2,3]\"}\n"
	"{\"target\": \"operator.mul\", \"args\": [\"f32[2,3]\", \"2\"], "
	"\"error\": \"out of paper\"}\n";

static char *
write_answers(const char *text)
{
	char *path = fx_xasprintf("replay-%ld.jsonl", (long)getpid());

	CU_ASSERT(fxt_ok(fx_file_write(path, text, strlen(text))));
	return path;
}

static void
replay_gives_what_was_recorded(void)
{
	FX_AUTO_GRAPH struct fx_graph *graph = fxt_read_graph(fxt_small, 5);
	FX_AUTO_FREE char *path = write_answers(answers);
	FX_AUTO_BACKEND struct fx_backend *backend = NULL;
	FX_AUTO_ENV struct fx_env env = { .count = 0 };
	FX_AUTO_PLANS struct fx_plans plans = { .depth = 0 };
	struct counter counter = { .before = 0 };
	struct fx_observer observer = {
		.context = &counter,
		.before = count_before,
		.error = count_error,
		.records = true,
	};
	struct fx_interp interp = {
		.graph = graph,
		.env = &env,
		.plans = &plans,
		.observers = &observer,
		.observer_count = 1,
		.next = fx_graph_first(graph),
	};
	struct fx_error *err;

	CU_ASSERT_FATAL(fxt_ok(fxt_replay_backend_new(path, &backend)));
	unlink(path);
	interp.backend = backend;
	fx_plans_init(&plans, backend);
	err = fx_interp_run(&interp, NULL);
	CU_ASSERT_PTR_NOT_NULL_FATAL(err);
	FXT_SAME(fx_error_message(err), "out of paper");
	FXT_SAME(fx_error_note_text(err, 0), "at %mul");
	FXT_FAILS(err, FX_ERR_BACKEND);
	FXT_SAME(interp.next->name, "mul");
	FXT_SAME(counter.failed, "mul");
	FXT_SAME(shown(fx_env_get(&env, fx_graph_find(graph, "relu")->id), "v"),
		"tensor([[0.0000, 1.5000, 2.0000],\n"
		"        [3.0000, 4.0000, 5.0000]])");
	FXT_SAME(shown(fx_env_get(&env, fx_graph_find(graph, "add")->id), ""),
		"f32[2,3]");
}

static void
a_damaged_recording_is_refused_with_its_line(void)
{
	static const char *const bad[] = { "{\n", "[]\n", "{\"target\": 1}\n",
		"{\"target\": \"a\", \"args\": []}\n" };

	for (size_t i = 0; i < FX_ARRAY_LEN(bad); i++) {
		FX_AUTO_FREE char *path = write_answers(bad[i]);
		struct fx_backend *backend = NULL;

		FXT_FAILS(fxt_replay_backend_new(path, &backend),
			FX_ERR_FORMAT);
		unlink(path);
	}
}

/* --- nested graphs ------------------------------------------------------ */

static const char inner_text[] = "def forward(self, a, b = 3):\n"
				 "    relu = torch.relu(a)\n"
				 "    neg = torch.neg(relu)\n"
				 "    return neg\n";

/* self.sub becomes a module with a graph of its own. */
static void
nest(struct fx_graph *graph)
{
	fxt_read_nested(graph, "sub", inner_text);
}

static const char outer_text[] = "def forward(self, x : \"f32[2, 3]\"):\n"
				 "    sin = torch.sin(x)\n"
				 "    sub = self.sub(sin)\n"
				 "    cos = torch.cos(sub)\n"
				 "    return cos\n";

static void
step_enters_a_nested_graph_and_next_does_not(void)
{
	FX_AUTO_FREE struct fx_location *frames = NULL;
	FX_AUTO_STOP struct fx_stop stop = { .number = 0 };
	struct fxt_world w = fxt_world_prepared(outer_text, nest);
	size_t count;

	CU_ASSERT(fxt_ok(fx_position_start(w.session, w.model, &stop)));
	FXT_SAME(fxt_move(&w, FX_MOVE_STEP, false, 1), "@2 sub step 1");
	FXT_SAME(fxt_move(&w, FX_MOVE_NEXT, false, 1), "@3 cos step 1");
	FXT_SAME(fxt_move(&w, FX_MOVE_STEP, true, 1), "@4 output step 5");
	FXT_EQ(fx_position_depth(w.model), 1);
	FXT_SAME(fxt_print(&w, "relu"), "f32[2,3]");
	FXT_SAME(fxt_print(&w, "%b"), "3");
	FXT_SAME(fxt_move(&w, FX_MOVE_STEP, true, 1), "@3 neg step 0");
	FXT_SAME(fxt_move(&w, FX_MOVE_FINISH, true, 1), "@2 sub step 0");
	FXT_EQ(fx_position_depth(w.model), 0);
	FXT_SAME(fxt_move(&w, FX_MOVE_STEP, false, 1), "@2 relu step 2");
	fx_position_locations(w.model, fx_position_node(w.model), &frames,
		&count);
	FXT_EQ(count, 3);
	FXT_SAME(frames[count - 1].title, "net");
	FXT_SAME(fxt_move(&w, FX_MOVE_FINISH, false, 1), "@3 cos step 3");
	FXT_SAME(fxt_print(&w, "sub"), "f32[2,3]");
	FXT_SAME(fxt_move(&w, FX_MOVE_CONTINUE, false, 1), "@5 end end 2");
	fxt_world_free(&w);
}

static void
the_end_of_a_nested_graph_is_left_by_a_step(void)
{
	FX_AUTO_STOP struct fx_stop stop = { .number = 0 };
	struct fxt_world w = fxt_world_prepared(outer_text, nest);

	CU_ASSERT(fxt_ok(fx_position_start(w.session, w.model, &stop)));
	fxt_move(&w, FX_MOVE_STEP, false, 1);
	FXT_SAME(fxt_move(&w, FX_MOVE_STEP, false, 1), "@2 relu step 2");
	FXT_SAME(fxt_move(&w, FX_MOVE_STEP, false, 1), "@3 neg step 1");
	FXT_SAME(fxt_move(&w, FX_MOVE_STEP, false, 1), "@4 output step 1");
	FXT_SAME(fxt_move(&w, FX_MOVE_STEP, false, 1), "@3 cos step 1");
	fxt_world_free(&w);
}

static void
an_edit_inside_that_is_taken_back_moves_nothing(void)
{
	FX_AUTO_STOP struct fx_stop stop = { .number = 0 };
	struct fxt_world w = fxt_world_prepared(outer_text, nest);

	CU_ASSERT(fxt_ok(fx_position_start(w.session, w.model, &stop)));
	fxt_move(&w, FX_MOVE_STEP, false, 1);
	fxt_move(&w, FX_MOVE_STEP, false, 1);
	CU_ASSERT(fxt_ok(fx_model_edit_begin(w.session, w.model, "erase neg")));
	fx_model_edit_abort(w.model);
	FXT_SAME(fxt_move(&w, FX_MOVE_FINISH, false, 1), "@3 cos step 3");
	CU_ASSERT(fxt_ok(fx_model_edit_begin(w.session, w.model, "erase neg")));
	fx_model_edit_abort(w.model);
	fxt_world_free(&w);
}

static void
count_offer(void *context, const char *text)
{
	(void)text;
	++*(size_t *)context;
}

static void
names_after_up_are_of_the_graph_selected(void)
{
	FX_AUTO_FREE struct fx_location *frames = NULL;
	FX_AUTO_STOP struct fx_stop stop = { .number = 0 };
	struct fxt_world w = fxt_world_prepared(outer_text, nest);
	size_t offered = 0;
	size_t count;

	CU_ASSERT(fxt_ok(fx_position_start(w.session, w.model, &stop)));
	fxt_move(&w, FX_MOVE_STEP, false, 2);
	FXT_EQ(fx_position_depth(w.model), 1);
	fx_position_locations(w.model, fx_position_node(w.model), &frames,
		&count);
	fx_position_set_location(w.model, count - 1);
	FXT_SAME(fxt_print(&w, "sin"), "f32[2,3]");
	FXT_SAME(fxt_print(&w, ".-1"), "f32[2,3]");
	fx_resolve_complete(w.session, w.model,
		&(struct fx_completion){
			FX_COMPLETE_NODES, "co", count_offer, &offered });
	FXT_EQ(offered, 1);
	CU_ASSERT(fxt_ok(fx_model_edit_begin(w.session, w.model, "erase cos")));
	fx_model_edit_abort(w.model);
	FXT_EQ(fx_position_depth(w.model), 1);
	fxt_world_free(&w);
}

static void
a_breakpoint_inside_is_reached_from_outside(void)
{
	FX_AUTO_STOP struct fx_stop stop = { .number = 0 };
	const struct fx_breakpoint *b;
	struct fxt_world w = fxt_world_prepared(outer_text, nest);

	CU_ASSERT(fxt_ok(fx_position_start(w.session, w.model, &stop)));
	fxt_move(&w, FX_MOVE_STEP, false, 1);
	fxt_move(&w, FX_MOVE_STEP, false, 1);
	CU_ASSERT(fxt_ok(fx_breakpoint_add(w.session, w.model,
		&(struct fx_breakpoint_spec){ .where = "neg" }, &b)));
	fx_stop_deinit(&stop);
	CU_ASSERT(fxt_ok(fx_position_run(w.session, w.model, NULL, &stop)));
	FXT_SAME(fxt_stop(&stop), "@3 neg breakpoint 5");
	FXT_SAME(fxt_move(&w, FX_MOVE_CONTINUE, false, 1), "@5 end end 4");
	fxt_world_free(&w);
}

int
main(void)
{
	static const struct fxt_case cases[] = {
		FXT_CASE(data_print_as_python_does),
		FXT_CASE(formats_show_integers_and_refuse_what_is_unknown),
		FXT_CASE(a_tensor_keeps_its_metadata_alive),
		FXT_CASE(values_survive_the_way_through_data),
		FXT_CASE(equality_and_truth_are_pythons),
		FXT_CASE(values_are_freed_at_their_last_use_unless_recorded),
		FXT_CASE(an_observer_stops_and_the_run_goes_on_from_there),
		FXT_CASE(a_nested_graph_is_broken_off_between_its_nodes),
		FXT_CASE(what_looks_long_is_announced_before_it_runs),
		FXT_CASE(replay_gives_what_was_recorded),
		FXT_CASE(a_damaged_recording_is_refused_with_its_line),
		FXT_CASE(step_enters_a_nested_graph_and_next_does_not),
		FXT_CASE(the_end_of_a_nested_graph_is_left_by_a_step),
		FXT_CASE(an_edit_inside_that_is_taken_back_moves_nothing),
		FXT_CASE(names_after_up_are_of_the_graph_selected),
		FXT_CASE(a_breakpoint_inside_is_reached_from_outside),
	};

	return fxt_run("run", cases, FX_ARRAY_LEN(cases));
}
