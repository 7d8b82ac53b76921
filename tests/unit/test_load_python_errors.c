/* test_load_python_errors.c - bad texts: what is said, and that nothing is
 * left over (the sanitizers tell).
 */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "ir/graph.h"
#include "load/open.h"
#include "tests/support/folder.h"
#include "tests/support/unit.h"

/* The error of TEXT with its notes and hint, one a line. */
static char *
complaint(const char *text, size_t length)
{
	struct fx_load_input input = {
		.text = text, .length = length, .serial = 1
	};
	FX_AUTO_LOADED struct fx_loaded loaded = { 0 };
	FX_AUTO_ERROR struct fx_error *err = NULL;
	FX_AUTO_BUF struct fx_buf out = { 0 };
	size_t i;

	err = fx_open_text(&input, &loaded);
	if (!err)
		return fx_xstrdup("no error");
	CU_ASSERT_PTR_NULL(loaded.graph);
	fx_buf_add(&out, fx_error_message(err));
	for (i = 0; i < fx_error_note_count(err); i++)
		fx_buf_addf(&out, "\n%s", fx_error_note_text(err, i));
	if (fx_error_hint_text(err))
		fx_buf_addf(&out, "\nhint: %s", fx_error_hint_text(err));
	return fx_buf_take(&out);
}

static void
check(const char *text, const char *expected)
{
	FX_AUTO_FREE char *got = complaint(text, strlen(text));

	FXT_SAME(got, expected);
}

#define HEAD     "def forward(self, x):\n    relu = torch.relu(x);  x = None\n"
#define AFTER(n) "\nwhile reading the text: " n " understood before this"
#define SUSPECT \
	"\nhint: is it the source of a model? trace FILE.py:NAME traces a " \
	"class or a function"

static void
code_cut_in_the_middle_says_how_much_was_understood(void)
{
	check(HEAD "    add = relu +",
		"expected a value after \"+\", found the end of the line "
		"(line 3, column 17)" AFTER("2 nodes"));
	check(HEAD "    add = relu + relu\n    mul = torch.mul(add, ",
		"expected a value after \",\" (line 4, column 26)" AFTER(
			"3 nodes"));
	check(HEAD "    add = relu + relu\n",
		"the code ends without a return (line 3, column 5)" AFTER(
			"3 nodes") "\nhint: is the dump cut short?");
	check(HEAD "    s = 'abc",
		"the string is not closed (line 3, column 9)" AFTER("2 nodes"));
	check("def forward(self, x",
		"expected \")\" after \"x\" (column 20)" AFTER("0 nodes"));
	check("class A(torch.nn.Module):\n    def forward(self, x):\n",
		"expected an indented block, found the end (line 3, column "
		"1)" AFTER("1 node"));
}

static void
a_line_that_no_graph_holds_is_named(void)
{
	check(HEAD "    if x:\n        pass\n    return x\n",
		"a graph cannot hold this statement (line 3, column 5)" AFTER(
			"2 nodes"));
	check(HEAD "    return x if relu else 2\n",
		"a graph cannot hold this expression (line 3, column 12)" AFTER(
			"2 nodes"));
	check(HEAD "    return a < relu < b\n",
		"a graph holds one comparison at a time (line 3, column "
		"12)" AFTER("2 nodes"));
	check(HEAD "    y = relu(x)\n    return y\n",
		"%relu is a value and cannot be called (line 3, column "
		"9)" AFTER("2 nodes") "\nhint: a module is called as "
				      "self.relu(...)");
	check(HEAD "    f(*x)\n    return x\n",
		"\"f\" is not defined above (line 3, column 5)" AFTER(
			"2 nodes") "\nhint: nearest: x");
	check(HEAD "    torch.f(*x)\n    return x\n",
		"a graph cannot hold starred arguments (line 3, column "
		"13)" AFTER("2 nodes"));
	check("def forward(self, x = torch.ones(2)):\n    return x\n",
		"a default must be a plain value (line 1, column 23)" AFTER(
			"0 nodes"));
	check("def forward(self, x = (1, torch.ones(2))):\n    return x\n",
		"a default must be a plain value (line 1, column 27)" AFTER(
			"0 nodes"));
	check("def forward(self):\n    w = getattr(self, '')\n    return w\n",
		"\"self\" is not defined above (line 2, column 17)" AFTER(
			"0 nodes"));
	check(HEAD "    with x:\n        pass\n",
		"\"with\" is not understood in a graph (line 3, column "
		"5)" AFTER("2 nodes"));
}

static void
a_name_that_is_not_above_has_its_nearest(void)
{
	check(HEAD "    add = rleu + 1\n    return add\n",
		"\"rleu\" is not defined above (line 3, column 11)" AFTER(
			"2 nodes") "\nhint: nearest: relu");
	check(HEAD "    return relu_1\n",
		"\"relu_1\" is not defined above (line 3, column 12)" AFTER(
			"2 nodes") "\nhint: nearest: relu");
	check(HEAD "    return later\n", "\"later\" is not defined above (line "
					 "3, column 12)" AFTER("2 nodes"));
}

static void
a_listing_is_checked_line_by_line(void)
{
	static const char head[] =
		"graph():\n    %x : [num_users=1] = placeholder[target=x]\n";
	FX_AUTO_FREE char *forward =
		fx_xasprintf("%s    %%a : [num_users=0] = "
			     "call_function[target=f](args = "
			     "(%%b,), kwargs = {})\n",
			head);
	FX_AUTO_FREE char *twice = fx_xasprintf("%s%s", head, head + 9);
	FX_AUTO_FREE char *cut =
		fx_xasprintf("%s    %%a : [num_users=0] = "
			     "call_function[target=f](args = (",
			head);

	check(head, "the listing ends without a return (line 3, column "
		    "1)" AFTER("1 node") "\nhint: is the dump cut short?");
	check(forward, "%b is not defined above (line 3)" AFTER("1 node"));
	check(twice,
		"two nodes have this name (line 3, column 6)" AFTER("1 node"));
	check(cut, "expected \"(args = (...), kwargs = {...})\" "
		   "(line 3, column 57)" AFTER("1 node") "\nhint: is the dump "
							 "cut short?");
	check("graph():\n    %x = placeholder\n",
		"expected \" : \" (line 2, column 7)" AFTER("0 nodes"));
	check("graph():\n    %for : [num_users=0] = placeholder[target=x]\n"
	      "    return None\n",
		"no node may have this name (line 2, column 6)" AFTER("0 "
								      "nodes"));
	check("graph():\n    %x : [num_users=0] = get_attr[target=]\n"
	      "    return None\n",
		"expected a target (line 2, column 42)" AFTER("0 nodes"));
	check("graph():\n    return (y,)\n", "no node \"y\"" AFTER("0 nodes"));
}

static void
what_is_no_graph_is_refused(void)
{
	static const char known[] =
		"\nhint: known: .fxg, gm.code, print_readable(), str(graph), "
		"str(ExportedProgram), a folder of to_folder, .pt2 of "
		"torch.export";
	FX_AUTO_FREE char *binary = complaint("PK\003\004\0\0", 6);
	FX_AUTO_FREE char *nul = complaint("a\0b", 3);
	FX_AUTO_FREE char *wanted =
		fx_xasprintf("the text is a zip archive, which is read from a "
			     "regular file only%s",
			known);
	FX_AUTO_FREE char *text =
		fx_xasprintf("the text is no graph that fxdb knows%s; source "
			     "FILE, or fxdb -x FILE, runs commands",
			known);
	FX_AUTO_FREE char *no_text =
		fx_xasprintf("the text is not text%s", known);

	FXT_SAME(binary, wanted);
	FXT_SAME(nul, no_text);
	check("hello world\nthis is prose\n", text);
	check("", "the text is empty");
	check("def forward(self):\n    return '\xff'\n",
		"the text is not UTF-8 text (byte 31)");
	check("import torch\n",
		"the text has no \"def forward\"" AFTER("0 nodes") SUSPECT);
}

static void
the_source_of_models_is_not_read_as_a_graph(void)
{
	static const char one[] = "the text is Python source, not a printed "
				  "graph\nit has the class A\n"
				  "hint: trace FILE.py:A traces it; in a shell "
				  "fxdb FILE.py:A does";
	static const char two[] = "the text is Python source, not a printed "
				  "graph\nit has the classes A, B\n"
				  "hint: trace FILE.py:A traces it; in a shell "
				  "fxdb FILE.py:A does";

	check("import torch\nclass A(M):\n    def __init__(self):\n"
	      "        pass\n    def forward(self, x):\n        return x\n",
		one);
	check("from torch import nn\n\nclass A(M):\n"
	      "    def forward(self, x):\n        return x\n"
	      "class B(M):\n    def forward(self, x):\n        return x\n",
		two);
	check("import torch\ndef f(x):\n    return x\n",
		"the text is Python source, not a printed graph\n"
		"it has the function f\nhint: trace FILE.py:f traces it; "
		"in a shell fxdb FILE.py:f does");
	check("import torch\ndef forward(self, x):\n    return x\n",
		"no error");
	check("import torch\nfrom torch.nn import *\nclass A(M):\n"
	      "    def __init__(self):\n        super().__init__()\n"
	      "    def forward(self, x):\n        return x\n",
		"no error");
}

static void
expressions_too_deep_are_refused(void)
{
	FX_AUTO_BUF struct fx_buf deep = { 0 };
	FX_AUTO_BUF struct fx_buf chain = { 0 };
	FX_AUTO_BUF struct fx_buf classes = { 0 };
	FX_AUTO_FREE char *got = NULL;
	int i;

	fx_buf_add(&deep, HEAD "    y = ");
	fx_buf_add_repeat(&deep, '(', 100000);
	check(fx_buf_text(&deep), "more than 200 levels of nesting (line 3, "
				  "column 208)" AFTER("2 nodes"));
	fx_buf_add(&chain, HEAD "    y = x");
	for (i = 0; i < 100000; i++)
		fx_buf_add(&chain, " + x");
	fx_buf_add(&chain, "\n    return y\n");
	check(fx_buf_text(&chain), "this expression has more than 1000 levels "
				   "(line 3, column 9)" AFTER("2 nodes"));
	for (i = 0; i < 90; i++) {
		fx_buf_add_repeat(&classes, ' ', (size_t)i);
		fx_buf_add(&classes, "class a(M):\n");
		fx_buf_add_repeat(&classes, ' ', (size_t)i + 1);
		fx_buf_add(&classes, "def forward(self): return 1\n");
	}
	got = complaint(classes.data, classes.length);
	CU_ASSERT_PTR_NOT_NULL(strstr(got, "levels of inner classes"));
}

static void
every_cut_of_a_dump_is_an_error_or_a_graph(void)
{
	FX_AUTO_FREE char *path =
		fxt_source("tests/data/load/shop.readable.py");
	FX_AUTO_FREE char *text = NULL;
	size_t length = 0;
	size_t i;

	FXT_OK(fx_file_read(path, 0, &text, &length));
	for (i = 1; text && i < length; i++) {
		struct fx_load_input input = {
			.text = text, .length = i, .serial = 1
		};
		FX_AUTO_LOADED struct fx_loaded loaded = { 0 };
		FX_AUTO_ERROR struct fx_error *err = NULL;
		FX_AUTO_FREE char *prefix = fx_xstrndup(text, i);

		input.text = prefix;
		err = fx_open_text(&input, &loaded);
		/* Only the last line's end may be missing. */
		CU_ASSERT(err || i > length - 40);
	}
}

static void
files_and_folders_are_opened_by_what_they_are(void)
{
	FX_AUTO_FREE char *data = fxt_source("tests/data/load");
	static const struct {
		const char *name;
		enum fx_format format;
	} rows[] = {
		{ "shop.code.py", FX_FORMAT_PYTHON },
		{ "shop.readable.py", FX_FORMAT_READABLE },
		{ "shop.listing.txt", FX_FORMAT_LISTING },
		{ "shop_folder", FX_FORMAT_FOLDER },
	};
	size_t i;

	for (i = 0; i < FX_ARRAY_LEN(rows); i++) {
		FX_AUTO_FREE char *path =
			fx_xasprintf("%s/%s", data, rows[i].name);
		FX_AUTO_LOADED struct fx_loaded loaded = { 0 };

		FXT_OK(fx_open(path, 1, &loaded));
		FXT_EQ(loaded.format, rows[i].format);
		CU_ASSERT_PTR_NOT_NULL(loaded.graph);
	}
	{
		FX_AUTO_LOADED struct fx_loaded loaded = { 0 };

		FXT_FAILS(fx_open("/no/such/file", 1, &loaded), FX_ERR_IO);
		FXT_FAILS(fx_open(data, 1, &loaded), FX_ERR_IO);
	}
}

static void
check_folder(const char *text, size_t length, const char *expected)
{
	char *folder = fxt_folder_new();
	FX_AUTO_FREE char *path = fx_xasprintf("%s/module.py", folder);
	FX_AUTO_LOADED struct fx_loaded loaded = { 0 };
	FX_AUTO_ERROR struct fx_error *err = NULL;

	FXT_OK(fx_file_write(path, text, length));
	err = fx_open(folder, 1, &loaded);
	CU_ASSERT_PTR_NOT_NULL_FATAL(err);
	CU_ASSERT_PTR_NOT_NULL(strstr(fx_error_message(err), expected));
	fxt_folder_free(folder);
}

static void
what_a_folder_holds_is_looked_at_as_a_file_is(void)
{
	static const char nul[] = "def forward(self):\n    return 1\n\0rest";
	static const char latin[] = "def forward(self):\n    return '\xe9'\n";
	static const char model[] =
		"import torch\nclass A(torch.nn.Module):\n"
		"    def __init__(self):\n        super().__init__()\n"
		"    def forward(self, x):\n        return x\n";

	check_folder(nul, sizeof(nul) - 1, "is not text");
	check_folder(latin, sizeof(latin) - 1, "is not UTF-8 text");
	check_folder(model, sizeof(model) - 1, "is Python source");
}

int
main(void)
{
	static const struct fxt_case cases[] = {
		FXT_CASE(code_cut_in_the_middle_says_how_much_was_understood),
		FXT_CASE(a_line_that_no_graph_holds_is_named),
		FXT_CASE(a_name_that_is_not_above_has_its_nearest),
		FXT_CASE(a_listing_is_checked_line_by_line),
		FXT_CASE(what_is_no_graph_is_refused),
		FXT_CASE(the_source_of_models_is_not_read_as_a_graph),
		FXT_CASE(expressions_too_deep_are_refused),
		FXT_CASE(every_cut_of_a_dump_is_an_error_or_a_graph),
		FXT_CASE(files_and_folders_are_opened_by_what_they_are),
		FXT_CASE(what_a_folder_holds_is_looked_at_as_a_file_is),
	};

	return fxt_run("load errors", cases, FX_ARRAY_LEN(cases));
}
