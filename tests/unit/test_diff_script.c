/* test_diff_script.c - the commands that diff says between two graphs make one
 * the other.
 *
 * B is A with random edits, or has nothing to do with it; both may have nested
 * graphs.  FXT_PAIRS=1000 takes as many pairs of each kind.
 */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/intern.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/str.h"
#include "commands/verbs/diff.h"
#include "emit/edits.h"
#include "ir/edit.h"
#include "ir/graph_hash.h"
#include "ir/module.h"
#include "load/save.h"
#include "ops/layertab.h"
#include "tests/support/folder.h"
#include "tests/support/random_graph.h"
#include "tests/support/random_lines.h"
#include "tests/support/unit.h"

enum {
#ifdef FX_SANITIZERS
	GRAPHS = 12,
	NESTED = 12,
#else
	GRAPHS = 1000,
	NESTED = 1000,
#endif
};

/* Type TEXT; false when a line fails. */
static bool
type_all(struct fxt_seat *seat, struct fx_buf *text)
{
	struct fx_error *err = NULL;
	char *at = text->data;

	while (!err && at && *at) {
		char *end = strchr(at, '\n');

		*end = '\0';
		err = fxt_seat_type(seat, at);
		if (err)
			printf("\n  %s: %s\n", at, fx_error_message(err));
		*end = '\n';
		at = end + 1;
	}
	if (err)
		printf("%s", text->data);
	fx_error_free(err);
	return !err;
}

static size_t
count_lines(const struct fx_buf *text)
{
	size_t count = 0;

	for (size_t i = 0; i < text->length; i++)
		count += text->data[i] == '\n';
	return count;
}

/* The nodes of BEFORE that read the same in AFTER, by id. */
static void
find_untouched(struct fx_graph *before, struct fx_graph *after,
	struct fx_map *ret)
{
	struct fx_node *node;

	fx_graph_for_each_node (node, before) {
		struct fx_node *other = fx_graph_find(after, node->name);

		if (other &&
			fx_hash_equal(fx_node_hash(node), fx_node_hash(other)))
			fx_map_set_pointer(ret, node->name,
				(void *)(uintptr_t)node->id);
	}
}

static bool
have_same_ids(const struct fx_map *untouched, struct fx_graph *graph)
{
	uintptr_t name;
	uintptr_t id;
	size_t at = 0;

	while (fx_map_next(untouched, &at, &name, &id)) {
		struct fx_node *node = fx_graph_find(graph, (const char *)name);

		if (!node || node->id != id)
			return false;
	}
	return true;
}

static bool
have_same_types(struct fx_graph *a, struct fx_graph *b)
{
	const struct fx_node *node;

	fx_graph_for_each_node (node, b) {
		const struct fx_node *mine = fx_graph_find(a, node->name);

		if (!mine || mine->type != node->type)
			return false;
	}
	return true;
}

/* Whether A and B and all graphs nested in B read the same. */
static bool
read_the_same(struct fx_graph *a, struct fx_graph *b)
{
	struct fx_module_walk *walk = fx_module_walk_new(b->module, true);
	struct fx_module *module;
	const char *path;
	bool same = have_same_types(a, b) &&
		    fx_hash_equal(fx_graph_text_hash(a), fx_graph_text_hash(b));

	while (same && fx_module_walk_next(walk, &module, &path)) {
		const struct fx_module *mine = fx_module_find(a->module, path);

		if (module->graph)
			same = mine && mine->graph &&
			       read_the_same(mine->graph, module->graph);
	}
	fx_module_walk_free(walk);
	return same;
}

/* Whether it begins with a graph that could not be outlined: random edits
 * leave calls with the wrong number of arguments.
 */
static bool
has_stub(struct fx_buf *script)
{
	return strstr(fx_buf_text(script), "_stub = torch.zeros(())");
}

/* What no command says: in the first graph two graphs are one. */
static size_t
count_shared(struct fx_buf *script)
{
	size_t count = 0;

	for (const char *at = fx_buf_text(script);
		(at = strstr(at, ": this graph is also /")); at++)
		count++;
	return count;
}

/* What the commands have to keep to. */
struct bounds {
	size_t lines; /* at most; 0: any number */
	size_t edits; /* as many more, where something is unsaid */
	bool says_all;
	/* Then what no command says may still differ, ways to other graphs are
	 * no lines, nor are those of a graph that could not be outlined.
	 */
	bool nests;
};

static bool
keeps_to(const struct bounds *bounds, struct fx_buf *script, size_t unsaid,
	bool same)
{
	size_t lines = count_lines(script);
	/* A module that no command moves costs what is read of it. */
	size_t most = bounds->lines + (unsaid ? bounds->edits : 0);

	if (bounds->nests)
		for (const char *at = fx_buf_text(script); *at;
			at = fx_str_next_line(at))
			lines -= *at == '#' || fx_str_starts(at, "graph /");
	if (bounds->says_all && unsaid != count_shared(script))
		return false;
	if (!same && !(bounds->nests && unsaid))
		return false;
	return !bounds->lines || lines <= most ||
	       (bounds->nests && has_stub(script));
}

/* Turn the graph at A, the current one, into B by the commands that diff says.
 */
static bool
turns_into(struct fxt_seat *seat, struct fx_graph *b, struct bounds bounds)
{
	const struct fx_edits_options options = { .is_forced = true };
	struct fx_graph *a = fxt_seat_graph(seat);
	FX_AUTO_MAP struct fx_map untouched = { 0 };
	FX_AUTO_BUF struct fx_buf script = { 0 };
	size_t unsaid;
	bool ok;

	CU_ASSERT(fx_emit_edits(&script, a, b, &options, &unsaid));
	find_untouched(a, b, &untouched);
	ok = type_all(seat, &script) &&
	     keeps_to(&bounds, &script, unsaid, read_the_same(a, b)) &&
	     have_same_ids(&untouched, a);
	if (!ok)
		printf("\nunsaid %zu, same text %d, same ids %d, lines %zu of "
		       "%zu\n%s",
			unsaid, read_the_same(a, b),
			have_same_ids(&untouched, a), count_lines(&script),
			bounds.lines, fx_buf_text(&script));
	return ok;
}

/* Not in torch.fx: the output is last, and nothing reads it. */
static bool
is_sound(const char *line)
{
	return !strncmp(line, "set %output.args", 16) ||
	       !strstr(line, "%output");
}

/* Nested graphs to begin with. */
static void
outline_some(struct fxt_seat *seat, struct fxt_random *random)
{
	for (int i = 0; i < 6; i++) {
		FX_AUTO_BUF struct fx_buf line = { 0 };

		fxt_line_add_outline(seat, random, &line);
		fx_error_free(fxt_seat_type(seat, fx_buf_text(&line)));
		if (i % 2) {
			fx_buf_clear(&line);
			fxt_line_add_way(seat, random, &line);
			fx_error_free(fxt_seat_type(seat, fx_buf_text(&line)));
		}
	}
	fx_error_free(fxt_seat_type(seat, "graph /"));
}

/* K random edits of a copy. */
static bool
are_found(uint64_t seed, const char *path, fxt_line_fn *add)
{
	bool nests = add == fxt_line_add_nested;
	struct fxt_graph_options options = { .seed = seed, .node_count = 25 };
	struct fxt_random random = fxt_random_seed(seed);
	struct fx_graph *graph = fxt_random_graph(&options);
	struct fxt_seat seat = fxt_seat_new();
	const char *load = fx_intern_format("load %s as base", path);
	size_t wanted = 1 + fxt_random_below(&random, 20);
	size_t edits = 0;
	struct fx_graph *b;
	bool ok = fxt_ok(fx_save(graph, path)) &&
		  fxt_ok(fxt_seat_type(&seat, load));

	fx_graph_free(graph);
	if (ok && nests)
		outline_some(&seat, &random);
	ok = ok && fxt_ok(fxt_seat_type(&seat, "graph copy base as exp")) &&
	     fxt_ok(fxt_seat_type(&seat, "graph exp"));
	for (int tries = 0; ok && edits < wanted && tries < 400; tries++) {
		FX_AUTO_BUF struct fx_buf line = { 0 };
		struct fx_error *err;

		add(&seat, &random, &line);
		if (strstr(fx_buf_text(&line), "undo") ||
			strstr(fx_buf_text(&line), "redo") ||
			strstr(fx_buf_text(&line), "set module") ||
			!is_sound(fx_buf_text(&line)))
			continue;
		err = fxt_seat_type(&seat, fx_buf_text(&line));
		edits += !err && strncmp(fx_buf_text(&line), "graph", 5) != 0;
		fx_error_free(err);
	}
	b = fxt_seat_graph(&seat);
	ok = ok && fxt_ok(fxt_seat_type(&seat, "graph base")) &&
	     turns_into(&seat, b,
		     (struct bounds){ .lines = 3 * edits + 2,
			     .edits = nests ? edits : 0,
			     .nests = nests });
	fxt_seat_free(&seat);
	return ok;
}

static bool
edits_are_found(uint64_t seed, const char *path)
{
	return are_found(seed, path, fxt_line_add);
}

static bool
nested_edits_are_found(uint64_t seed, const char *path)
{
	return are_found(seed, path, fxt_line_add_nested);
}

/* Two graphs that have nothing to do with each other. */
static bool
is_bridged(uint64_t seed, const char *path, bool nests)
{
	struct fxt_graph_options options = { .seed = 2 * seed,
		.no_modules = true };
	struct fxt_random random = fxt_random_seed(seed);
	struct fxt_seat seat = fxt_seat_new();
	const char *const names[] = { "exp", "base" };
	struct fx_graph *other = NULL;
	bool ok = true;

	for (int i = 0; i < 2 && ok; i++) {
		FX_AUTO_GRAPH struct fx_graph *graph =
			fxt_random_graph(&options);
		const char *load =
			fx_intern_format("load %s as %s", path, names[i]);

		ok = fxt_ok(fx_save(graph, path)) &&
		     fxt_ok(fxt_seat_type(&seat, load));
		if (ok && nests)
			outline_some(&seat, &random);
		if (ok && i == 0)
			other = fxt_seat_graph(&seat);
		options.seed++;
	}
	ok = ok && turns_into(&seat, other,
			   (struct bounds){ .says_all = true, .nests = nests });
	fxt_seat_free(&seat);
	return ok;
}

static bool
a_pair_is_bridged(uint64_t seed, const char *path)
{
	return is_bridged(seed, path, false);
}

static bool
a_nested_pair_is_bridged(uint64_t seed, const char *path)
{
	return is_bridged(seed, path, true);
}

static void
for_seeds(bool (*holds)(uint64_t seed, const char *path), size_t most)
{
	char *folder = fxt_folder_new();
	FX_AUTO_FREE char *path = fx_xasprintf("%s/diff.fxg", folder);
	const char *pairs = getenv("FXT_PAIRS");
	size_t graphs = pairs ? strtoul(pairs, NULL, 10) : fxt_part(most);
	const char *begin = getenv("FXT_SEED");
	uint64_t first = begin ? strtoull(begin, NULL, 10) : 1;
	size_t most_failed = begin ? SIZE_MAX : 10;
	size_t failed = 0;

	for (uint64_t seed = first;
		seed - first < graphs && failed < most_failed; seed++)
		if (!holds(seed, path)) {
			printf("  seed %llu\n", (unsigned long long)seed);
			failed++;
		}
	fxt_folder_free(folder);
	FXT_EQ(failed, 0);
}

/* Whether the lines TEXT, for the random graph A, are said to make B of it. */
static bool
is_accepted(const struct fx_graph *a, const struct fx_graph *b,
	const char *text, const char *comment)
{
	FX_AUTO_BUF struct fx_buf lines = { 0 };
	bool is_good;

	fx_buf_add(&lines, text);
	is_good = cmd_diff_replay(&lines, a, b, NULL, true);
	CU_ASSERT(comment ? strstr(fx_buf_text(&lines), comment) != NULL
			  : fx_str_equal(fx_buf_text(&lines), text));
	return is_good;
}

static void
lines_are_tried_before_they_are_said(void)
{
	struct fxt_graph_options options = { .seed = 1, .node_count = 25 };
	FX_AUTO_GRAPH struct fx_graph *a = fxt_random_graph(&options);
	FX_AUTO_GRAPH struct fx_graph *b = fxt_random_graph(&options);
	const char *old = fx_graph_first(a)->name;
	const char *rename = fx_intern_format("rename %%%s elsewhere\n", old);
	struct fx_error *err;

	CU_ASSERT(is_accepted(a, b, "", NULL));
	CU_ASSERT(!is_accepted(a, b, "rename %nobody x\n",
		"# refused: rename %nobody x: "));
	CU_ASSERT(!is_accepted(a, b, rename,
		"# these lines do not make that graph"));
	err = fx_edit_set_name(fx_graph_first(b), "elsewhere");
	CU_ASSERT(fxt_ok(err));
	CU_ASSERT(is_accepted(a, b, rename, NULL));
	err = fx_edit_set_module(b, "more",
		fx_module_new(b, "torch.nn.modules.module.Module"));
	CU_ASSERT(fxt_ok(err));
	CU_ASSERT(!is_accepted(a, b, rename,
		"# these lines do not make that graph"));
}

static void
the_commands_of_a_diff_make_the_edits(void)
{
	for_seeds(edits_are_found, GRAPHS);
}

static void
the_commands_of_a_diff_bridge_any_two_graphs(void)
{
	for_seeds(a_pair_is_bridged, GRAPHS);
}

static void
the_commands_of_a_diff_make_edits_in_nested_graphs(void)
{
	for_seeds(nested_edits_are_found, NESTED);
}

static void
the_commands_of_a_diff_bridge_nested_graphs(void)
{
	for_seeds(a_nested_pair_is_bridged, NESTED);
}

/* Pairs of which a line was refused once, or that became another graph. */
static void
rare_nested_graphs_are_made_or_commented_on(void)
{
	static const uint64_t edited[] = { 167, 1055, 2620, 4178, 5808, 9424,
		1397, 2505, 2642, 4867, 5522, 5636, 8932 };
	static const uint64_t bridged[] = { 2472, 3330, 3666, 6414 };
	char *folder = fxt_folder_new();
	FX_AUTO_FREE char *path = fx_xasprintf("%s/diff.fxg", folder);

	for (size_t i = 0; i < FX_ARRAY_LEN(edited); i++)
		CU_ASSERT(nested_edits_are_found(edited[i], path));
	for (size_t i = 0; i < FX_ARRAY_LEN(bridged); i++)
		CU_ASSERT(a_nested_pair_is_bridged(bridged[i], path));
	fxt_folder_free(folder);
}

int
main(void)
{
	static const struct fxt_case cases[] = {
		FXT_CASE(lines_are_tried_before_they_are_said),
		FXT_CASE(the_commands_of_a_diff_make_the_edits),
		FXT_CASE(the_commands_of_a_diff_bridge_any_two_graphs),
		FXT_CASE(the_commands_of_a_diff_make_edits_in_nested_graphs),
		FXT_CASE(the_commands_of_a_diff_bridge_nested_graphs),
		FXT_CASE(rare_nested_graphs_are_made_or_commented_on),
	};
	int status = fxt_run("diff_script", cases, FX_ARRAY_LEN(cases));

	fx_layertab_shutdown();
	return status;
}
