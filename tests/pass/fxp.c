/* fxp.c - running one .fxp file: before, pass, after.
 *
 *	# What the file shows, in a sentence.
 *	--- dce torch
 *	def forward(self, x):
 *	    ...
 *	--- candidates
 *	erase %y: unused
 *	--- after
 *	def forward(self, x):
 *	    ...
 *
 * The line after the comment names the pass and its options.  Modules stand in
 * lines "#: PATH CLASS [training] [inplace]" of the comment.  With
 * FXDB_UPDATE=1 the file is written again with what the pass does.
 */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/str.h"
#include "emit/python.h"
#include "ir/edit.h"
#include "ir/graph_hash.h"
#include "ir/module.h"
#include "ir/verify.h"
#include "load/open.h"
#include "pass/engine.h"
#include "session/model.h"
#include "session/session.h"
#include "tests/support/golden.h"

struct test {
	const char *text; /* of the whole file */
	char *head;       /* comment and module lines */
	char *pass;
	char *before;
	struct fx_buf candidates;
};

static int
fail(struct fx_error *err)
{
	fprintf(stderr, "%s\n", fx_error_message(err));
	fx_error_free(err);
	return 1;
}

/* The text up to the line that begins with "--- "; *AT goes behind it. */
static char *
section(const char **at, char **title_ret)
{
	const char *mark = strstr(*at, "\n--- ");
	const char *line;
	char *text;

	if (!mark) {
		text = fx_xstrdup(*at);
		*at += strlen(*at);
		return text;
	}
	text = fx_xstrndup(*at, (size_t)(mark + 1 - *at));
	line = mark + 5;
	if (title_ret)
		*title_ret = fx_xstrndup(line, strcspn(line, "\n"));
	*at = line + strcspn(line, "\n");
	*at += **at == '\n';
	return text;
}

/* A leaf at PATH (one step), with what it needs to look like one of torch's. */
static void
add_module(struct fx_graph *graph, const char *line)
{
	char path[100];
	char class_name[200];
	struct fx_value items[2] = { fx_value_string("inplace"),
		fx_value_bool(strstr(line, " inplace") != NULL) };
	struct fx_module *module;

	if (sscanf(line, "#: %99s %199s", path, class_name) != 2)
		return;
	module = fx_module_new(graph, class_name);
	module->is_leaf = true;
	module->training = strstr(line, " training") != NULL;
	module->config = fx_value_dict(graph->permanent, items, 1);
	fx_module_add_child(graph->module, path, module);
}

static void
add_modules(struct fx_graph *graph, const char *head)
{
	const char *line = head;

	while (*line) {
		FX_AUTO_FREE char *one = fx_xstrndup(line, strcspn(line, "\n"));

		if (fx_str_starts(one, "#: "))
			add_module(graph, one);
		line += strcspn(line, "\n");
		line += *line == '\n';
	}
}

static struct fx_error *
run_pass(struct test *test, struct fx_session *session, struct fx_model *model)
{
	FX_AUTO_EDIT_REPORT struct fx_edit_report report = { .position = 0 };
	size_t name = strcspn(test->pass, " ");
	FX_AUTO_FREE char *pass = fx_xstrndup(test->pass, name);
	const struct fx_pass *found = fx_pass_find(pass);
	FX_AUTO_PASS_WORK struct fx_pass_work *work = NULL;
	const struct fx_candidate *candidate;
	struct fx_error *err;

	if (!found)
		return fx_error_new(FX_ERR_NO_NAME, "no pass \"%s\"", pass);
	err = fx_model_edit_begin(session, model, test->pass);
	if (!err)
		err = fx_pass_begin(fx_model_graph(model),
			&(struct fx_pass_step){
				.pass = found, .options = test->pass + name },
			&work);
	while (!err && !(err = fx_pass_next(work, &candidate)) && candidate) {
		fx_buf_addf(&test->candidates, "%s\n", candidate->text);
		err = fx_pass_apply_next(work);
	}
	if (!err)
		err = fx_verify_error(fx_model_graph(model));
	if (!err)
		err = fx_model_edit_end(model, false, false, &report);
	return err;
}

/* Undo must lead back to the very graph. */
static struct fx_error *
check_undo(struct fx_model *model, struct fx_hash before)
{
	FX_AUTO_EDIT_REPORT struct fx_edit_report report = { .position = 0 };
	struct fx_graph *graph = fx_model_graph(model);
	struct fx_error *err;

	if (!fx_journal_undo_count(graph))
		return NULL;
	err = fx_model_undo(model, 1, &report);
	if (!err && !fx_hash_equal(before, fx_graph_hash(graph)))
		err = fx_error_new(FX_ERR_INTERNAL, "undo does not lead back");
	return err;
}

static struct fx_error *
run_test(struct test *test, struct fx_buf *actual)
{
	FX_AUTO_SESSION struct fx_session *session = fx_session_new();
	FX_AUTO_LOADED struct fx_loaded loaded = { .graph = NULL };
	struct fx_load_input input = {
		.text = test->before,
		.length = strlen(test->before),
		.serial = fx_session_serial(session),
	};
	struct fx_model *model;
	struct fx_hash before;
	struct fx_error *err = fx_open_text(&input, &loaded);

	if (err)
		return err;
	add_modules(loaded.graph, test->head);
	model = fx_session_add_graph(session, FX_TAKE(loaded.graph), "net",
		"test");
	before = fx_graph_hash(fx_model_graph(model));
	err = run_pass(test, session, model);
	if (err)
		return err;
	fx_buf_add(actual, fx_buf_text(&test->candidates));
	fx_buf_add(actual, "--- after\n");
	fx_emit_python(actual, fx_model_graph(model), NULL, NULL);
	if (actual->data[actual->length - 1] != '\n')
		fx_buf_add_char(actual, '\n');
	return check_undo(model, before);
}

static int
compare(struct test *test, const char *path, const char *actual)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };

	fx_buf_addf(&text, "%s--- %s\n%s--- candidates\n%s", test->head,
		test->pass, test->before, actual);
	return fxt_is_golden(path, test->text, fx_buf_text(&text)) ? 0 : 1;
}

static void
test_deinit(struct test *test)
{
	free(test->head);
	free(test->pass);
	free(test->before);
	fx_buf_deinit(&test->candidates);
}

int
main(int argc, char **argv)
{
	FX_AUTO_FREE char *text = NULL;
	FX_AUTO_BUF struct fx_buf actual = { 0 };
	struct test test = { .head = NULL };
	struct fx_error *err;
	const char *at;
	int status;

	if (argc != 2)
		return 2;
	err = fx_file_read(argv[1], 0, &text, NULL);
	if (err)
		return fail(err);
	at = test.text = text;
	test.head = section(&at, &test.pass);
	test.before = section(&at, NULL);
	err = test.pass ? run_test(&test, &actual)
			: fx_error_new(FX_ERR_FORMAT, "no pass is named");
	status =
		err ? fail(err) : compare(&test, argv[1], fx_buf_text(&actual));
	test_deinit(&test);
	fx_intern_shutdown();
	return status;
}
