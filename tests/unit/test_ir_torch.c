/* test_ir_torch.c - names and users as torch.fx has them.
 *
 * The answers were recorded by tests/parity/record_names.py and
 * record_users.py, from torch.fx itself.
 */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/intern.h"
#include "base/mem.h"
#include "ir/edit.h"
#include "ir/graph.h"
#include "ir/journal.h"
#include "ir/names.h"
#include "ir/verify.h"
#include "tests/support/append.h"
#include "tests/support/folder.h"
#include "tests/support/unit.h"

enum {
	MOST_FIELDS = 4,
};

/* A recorded file, read line by line. */
struct record {
	char *text;
	char *at;
	char *fields[MOST_FIELDS]; /* "" when there are fewer */
};

static bool
open_record(struct record *record, const char *name)
{
	FX_AUTO_FREE char *relative = fx_xasprintf("tests/data/%s", name);
	FX_AUTO_FREE char *path = fxt_source(relative);
	size_t size;

	if (!fxt_ok(fx_file_read(path, 0, &record->text, &size)))
		return false;
	record->at = record->text;
	return true;
}

/* The fields of one line, cut at tabs; false at the end. */
static bool
next_line(struct record *record)
{
	char *end = strchr(record->at, '\n');
	char *at = record->at;

	if (!end)
		return false;
	*end = '\0';
	for (size_t i = 0; i < MOST_FIELDS; i++) {
		char *tab = strchr(at, '\t');

		record->fields[i] = at;
		at = tab ? tab + 1 : end;
		if (tab)
			*tab = '\0';
	}
	record->at = end + 1;
	return true;
}

static void
names_are_what_torch_fx_gives(void)
{
	struct record record = { .at = NULL };
	struct fx_names names = { 0 };
	size_t checked = 0;

	if (!open_record(&record, "names.tsv")) {
		CU_FAIL("no names.tsv");
		return;
	}
	while (next_line(&record)) {
		char **f = record.fields;

		if (strcmp(f[0], "new") == 0) {
			fx_names_deinit(&names);
			continue;
		}
		if (strcmp(f[0], "name") != 0)
			continue;
		FXT_SAME(fxt_next_name(&names, f[1]), f[2]);
		FXT_SAME(fx_names_create(&names, f[1]), f[2]);
		CU_ASSERT(fx_names_is_taken(&names, f[2]));
		checked++;
	}
	FXT_EQ(checked, 3000);
	fx_names_deinit(&names);
	free(record.text);
}

static void
candidates_are_what_torch_fx_derives(void)
{
	struct record record = { .at = NULL };
	size_t checked = 0;

	if (!open_record(&record, "names.tsv")) {
		CU_FAIL("no names.tsv");
		return;
	}
	while (next_line(&record)) {
		char **f = record.fields;

		if (strcmp(f[0], "cand") != 0)
			continue;
		FXT_SAME(fx_names_candidate(fx_opcode_find(f[1]), f[2]), f[3]);
		checked++;
	}
	FXT_IS(checked, >, 100);
	free(record.text);
}

static void
a_chain_of_one_operation_is_named_in_linear_time(void)
{
	struct fx_names names = { 0 };
	const char *last = NULL;

	/* Quadratic, this would take minutes. */
	for (int i = 0; i < 200000; i++)
		last = fx_names_create(&names, "relu");
	FXT_SAME(last, "relu_199999");
	for (int i = 0; i < 200000; i++)
		last = fx_names_create(&names, "conv_1");
	FXT_SAME(last, "conv_200000");
	fx_names_deinit(&names);
}

static void
a_name_is_taken_once(void)
{
	struct fx_names names = { 0 };

	CU_ASSERT(fx_names_take(&names, "add"));
	CU_ASSERT_FALSE(fx_names_take(&names, "add"));
	FXT_SAME(fx_names_create(&names, "add"), "add_1");
	CU_ASSERT_FALSE(fx_names_take(&names, "add_1"));
	fx_names_deinit(&names);
}

/* NAMES, separated by commas, as nodes; the first in a list. */
static struct fx_value
read_args(struct fx_graph *graph, char *names)
{
	struct fx_value items[8];
	size_t count = 0;
	char *rest = names;

	while (*rest && count < FX_ARRAY_LEN(items)) {
		char *comma = strchr(rest, ',');
		struct fx_node *node;

		if (comma)
			*comma = '\0';
		node = fx_graph_find(graph, rest);
		CU_ASSERT_PTR_NOT_NULL_FATAL(node);
		items[count++] = fx_value_node(node);
		rest = comma ? comma + 1 : rest + strlen(rest);
	}
	items[0] = fx_value_sequence(graph->values, FX_VALUE_LIST, items,
		count > 0);
	return fx_value_sequence(graph->values, FX_VALUE_TUPLE, items, count);
}

/* "a=x,b=y" */
static struct fx_value
read_kwargs(struct fx_graph *graph, char *text)
{
	struct fx_value items[8];
	size_t count = 0;
	char *rest = text;

	while (*rest && count < FX_ARRAY_LEN(items) / 2) {
		char *equals = strchr(rest, '=');
		char *comma = strchr(rest, ',');

		*equals = '\0';
		if (comma)
			*comma = '\0';
		items[2 * count] = fx_value_string(rest);
		items[2 * count + 1] =
			fx_value_node(fx_graph_find(graph, equals + 1));
		count++;
		rest = comma ? comma + 1 : equals + 1 + strlen(equals + 1);
	}
	return fx_value_dict(graph->values, items, count);
}

static struct fx_graph *
new_graph(void)
{
	struct fx_graph *graph = fx_graph_new(1);
	const struct fx_node_spec spec = { .opcode = FX_OPCODE_PLACEHOLDER,
		.target = "x" };

	fx_graph_append(graph, &spec);
	fx_journal_open(graph, "test");
	fx_journal_begin(graph, "test");
	return graph;
}

static void
make(struct fx_graph *graph, char **f)
{
	struct fx_node_spec spec = { .opcode = FX_OPCODE_CALL_FUNCTION,
		.target = "torch.relu",
		.name = f[1],
		.name_is_exact = true,
		.args = read_args(graph, f[2]),
		.kwargs = read_kwargs(graph, f[3]) };

	FXT_OK(fx_edit_create(graph, &spec, NULL, NULL));
}

static void
check_users(struct fx_graph *graph, char **f)
{
	struct fx_node *node = fx_graph_find(graph, f[1]);
	FX_AUTO_BUF struct fx_buf users = { 0 };
	struct fx_use *use;

	CU_ASSERT_PTR_NOT_NULL_FATAL(node);
	fx_node_for_each_user (use, node)
		fx_buf_addf(&users, "%s%s", users.length ? "," : "",
			use->user->name);
	FXT_SAME(fx_buf_text(&users), f[2]);
}

static void
follow(struct fx_graph *graph, char **f)
{
	struct fx_node *node = fx_graph_find(graph, f[1]);

	if (strcmp(f[0], "make") == 0) {
		make(graph, f);
	} else if (strcmp(f[0], "args") == 0) {
		FXT_OK(fx_edit_set_args(node, read_args(graph, f[2]),
			read_kwargs(graph, f[3])));
	} else if (strcmp(f[0], "rauw") == 0) {
		struct fx_value with =
			fx_value_node(fx_graph_find(graph, f[2]));

		FXT_OK(fx_edit_replace_uses(node, &with, NULL, NULL, NULL));
	} else if (strcmp(f[0], "erase") == 0) {
		FXT_OK(fx_edit_erase(node));
	}
}

static void
users_are_ordered_as_in_torch_fx(void)
{
	struct record record = { .at = NULL };
	struct fx_graph *graph = NULL;
	size_t checked = 0;

	if (!open_record(&record, "users.tsv")) {
		CU_FAIL("no users.tsv");
		return;
	}
	while (next_line(&record)) {
		char **f = record.fields;

		if (strcmp(f[0], "new") == 0) {
			fx_graph_free(graph);
			graph = new_graph();
		} else if (strcmp(f[0], "users") == 0) {
			check_users(graph, f);
			checked++;
		} else {
			follow(graph, f);
		}
	}
	FXT_IS(checked, >, 1000);
	FXT_OK(fx_journal_commit(graph, NULL));
	FXT_OK(fx_verify_error(graph));
	fx_graph_free(graph);
	free(record.text);
}

int
main(void)
{
	static const struct fxt_case cases[] = {
		FXT_CASE(names_are_what_torch_fx_gives),
		FXT_CASE(candidates_are_what_torch_fx_derives),
		FXT_CASE(a_chain_of_one_operation_is_named_in_linear_time),
		FXT_CASE(a_name_is_taken_once),
		FXT_CASE(users_are_ordered_as_in_torch_fx),
	};

	return fxt_run("ir as torch.fx", cases, FX_ARRAY_LEN(cases));
}
