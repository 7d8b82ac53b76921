/* test_script.c - what a session did, written as a script, does it again.
 *
 * Random edits by commands, with undo and redo among them, on random graphs;
 * at the end of every sequence `dump script` is run in a fresh session and
 * must lead to the same graph hash.  With rewrites among them, all is taken
 * back to the start and done again.
 */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/intern.h"
#include "base/mem.h"
#include "emit/script.h"
#include "ir/graph_hash.h"
#include "ir/journal.h"
#include "ir/verify.h"
#include "load/save.h"
#include "ops/layertab.h"
#include "tests/support/folder.h"
#include "tests/support/random_graph.h"
#include "tests/support/random_lines.h"
#include "tests/support/unit.h"

enum {
#ifdef FX_SANITIZERS
	GRAPHS = 60,
#else
	GRAPHS = 1000,
#endif
	SEQUENCES_A_GRAPH = 10,
	COMMANDS_A_SEQUENCE = 4,
};

/* Run the script of SEAT's graph anew; false when it leads elsewhere. */
static bool
recreates(struct fxt_seat *seat)
{
	FX_AUTO_BUF struct fx_buf script = { 0 };
	struct fxt_seat fresh = fxt_seat_new();
	struct fx_error *err = NULL;
	bool same = false;
	char *at;

	fx_emit_script(&script, fxt_seat_graph(seat), NULL, NULL);
	at = script.data;
	while (!err && at && *at) {
		char *end = strchr(at, '\n');

		*end = '\0';
		err = fxt_seat_type(&fresh, at);
		if (err)
			printf("\n  %s: %s\n", at, fx_error_message(err));
		at = end + 1;
	}
	if (!err)
		same = fx_hash_equal(fx_graph_hash(fxt_seat_graph(&fresh)),
			fx_graph_hash(fxt_seat_graph(seat)));
	fx_error_free(err);
	if (!same) {
		fx_buf_clear(&script);
		fx_emit_script(&script, fxt_seat_graph(seat), NULL, NULL);
		printf("\n%s", fx_buf_text(&script));
	}
	fxt_seat_free(&fresh);
	return same;
}

static struct fx_hash
hash_now(const struct fxt_seat *seat)
{
	return fx_graph_hash(fxt_seat_graph(seat));
}

/* Undo to the START and redo: the same hashes, and nothing to find on the way.
 */
static bool
goes_back_and_forth(struct fxt_seat *seat, struct fx_hash start)
{
	struct fx_graph *graph = fxt_seat_graph(seat);
	struct fx_hash end = hash_now(seat);
	size_t count = fx_journal_undo_count(graph);
	bool ok = true;

	for (size_t i = 0; ok && i < count; i++)
		ok = fxt_ok(fxt_seat_type(seat, "undo")) &&
		     fxt_ok(fx_verify_error(graph));
	ok = ok && fx_hash_equal(hash_now(seat), start);
	for (size_t i = 0; ok && i < count; i++)
		ok = fxt_ok(fxt_seat_type(seat, "redo")) &&
		     fxt_ok(fx_verify_error(graph));
	return ok && fx_hash_equal(hash_now(seat), end);
}

static bool
run_graph(uint64_t seed, const char *path, fxt_line_fn *add, size_t *edits)
{
	struct fxt_graph_options options = { .seed = seed, .node_count = 12 };
	struct fxt_random random = fxt_random_seed(seed);
	struct fx_graph *graph = fxt_random_graph(&options);
	struct fxt_seat seat = fxt_seat_new();
	const char *load = fx_intern_format("load %s", path);
	bool ok = fxt_ok(fx_save(graph, path)) &&
		  fxt_ok(fxt_seat_type(&seat, load));
	struct fx_hash start = { 0 };

	fx_graph_free(graph);
	if (ok)
		start = hash_now(&seat);
	for (int i = 0; ok && i < SEQUENCES_A_GRAPH; i++) {
		bool grouped = fxt_random_chance(&random, 20);

		if (grouped)
			ok = fxt_ok(fxt_seat_type(&seat, "begin"));
		for (int j = 0; j < COMMANDS_A_SEQUENCE; j++) {
			FX_AUTO_BUF struct fx_buf line = { 0 };
			struct fx_error *err;

			add(&seat, &random, &line);
			err = fxt_seat_type(&seat, fx_buf_text(&line));
			*edits += !err;
			fx_error_free(err);
		}
		if (grouped)
			ok = ok &&
			     fxt_ok(fxt_seat_type(&seat,
				     fxt_random_chance(&random, 70) ? "commit"
								    : "abort"));
		ok = ok && fxt_ok(fx_verify_error(fxt_seat_graph(&seat))) &&
		     recreates(&seat);
	}
	ok = ok && goes_back_and_forth(&seat, start);
	fxt_seat_free(&seat);
	return ok;
}

static void
scripts_hold(fxt_line_fn *add, size_t most)
{
	char *folder = fxt_folder_new();
	FX_AUTO_FREE char *path = fx_xasprintf("%s/script.fxg", folder);
	size_t graphs = fxt_part(most);
	size_t edits = 0;

	for (uint64_t seed = 1; seed <= graphs; seed++)
		if (!run_graph(seed, path, add, &edits)) {
			printf("  seed %llu\n", (unsigned long long)seed);
			CU_FAIL("a script leads elsewhere, or back");
			break;
		}
	fxt_folder_free(folder);
	printf("%zu edits ", edits);
	FXT_IS(edits, >, graphs * SEQUENCES_A_GRAPH);
}

static void
a_script_recreates_the_graph(void)
{
	scripts_hold(fxt_line_add, GRAPHS);
}

static void
a_script_recreates_nested_graphs(void)
{
	scripts_hold(fxt_line_add_nested, GRAPHS / 5);
}

static void
rewrites_are_undone_to_the_start_and_redone(void)
{
	scripts_hold(fxt_line_add_rewrite, GRAPHS);
}

/* A pattern that begins with a minus stands behind dashes, where -f is none. */
static void
a_script_forces_before_the_dashes(void)
{
	struct fxt_graph_options options = { .seed = 8, .node_count = 12 };
	FX_AUTO_GRAPH struct fx_graph *graph = fxt_random_graph(&options);
	const char *x = fx_graph_first(graph)->name;
	struct fxt_seat seat = fxt_seat_new();
	char *folder = fxt_folder_new();
	const char *path = fx_intern_format("%s/script.fxg", folder);

	CU_ASSERT(fxt_ok(fx_save(graph, path)));
	CU_ASSERT(fxt_ok(fxt_seat_type(&seat,
		fx_intern_format("load %s", path))));
	CU_ASSERT(fxt_ok(fxt_seat_type(&seat,
		fx_intern_format("insert after %%%s : minus = -%%%s -f", x,
			x))));
	CU_ASSERT(fxt_ok(fxt_seat_type(&seat,
		"rewrite -f -- -x => torch.neg(x)")));
	CU_ASSERT(recreates(&seat));
	fxt_seat_free(&seat);
	fxt_folder_free(folder);
}

int
main(void)
{
	static const struct fxt_case cases[] = {
		FXT_CASE(a_script_recreates_the_graph),
		FXT_CASE(a_script_recreates_nested_graphs),
		FXT_CASE(a_script_forces_before_the_dashes),
		FXT_CASE(rewrites_are_undone_to_the_start_and_redone),
	};
	int status = fxt_run("script", cases, FX_ARRAY_LEN(cases));

	fx_layertab_shutdown();
	return status;
}
