/* test_views.c - every arrangement of panes at every size, with every key that
 * moves or shows: what a key sends, and how long it takes.
 *
 * Few of them by default.  FXDB_SCREEN_ALL=1 tries all sizes and terminals, on
 * a graph of 100,000 nodes, and asks for the time as well, which is nobody's
 * business on a machine with other work.
 */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/compiler.h"
#include "base/file.h"
#include "base/mem.h"
#include "tests/screen/term.h"
#include "tests/support/unit.h"

enum {
	BYTES_MOST = 4096, /* that a key may send */
	NODES_FEW = 300,
	NODES_MANY = 100000,
};

#define SECONDS_MOST 0.016

static const int sizes[][2] = { { 5, 20 }, { 24, 80 }, { 60, 200 }, /**/
	{ 10, 40 }, { 20, 60 }, { 30, 100 }, { 40, 140 } };
enum {
	SIZES_FEW = 3,
};

static const char *const terminals[] = { "xterm-256color", /**/
	"xterm", "xterm-mono", "vt100" };
enum {
	TERMINALS_FEW = 1,
};

static const char *const layouts[] = {
#define TUI_LAYOUT(id, word, title, about) word,
#include "commands/shell/layouts.def"
};

/* Keys, each alone; the last ones go through the panes of the layout. */
static const char *const keys[] = { "j", "k", "\004", "\025", "\006", "\002",
	"G", "g", "H", "i", "o", "O", "[", "]", "b", "b", "z", "z", "v", "v",
	"V", "s", "S", "5", "j", "?", "j", "q", "/", "9", "\r", ".", ",", ":",
	"p", "\033", "y", "m", "a", "g", "'", "a", "e", "\033", "t", ">", "<",
	"}", "{", "+", "+", "_", "_", "=", "\t", ">", "}", "+", "+", "=", "j",
	"\006", "\033[C", "\033[D", "\t", "j", "\006", "\t", "\006", "\t",
	"\006", "\t", "j", "\033", "\0331", "u", "d", "w", " ", " ", "Z", "Z",
	"\033[20~", "\033[20~", "\033[23~", "S", "\030", "o", "\0333", "\033",
	"\\", "users>1", "\r", "j", "G", "s", "\033", "\033", "\\", "state=M",
	"\r", "s", "\033", "\033" };

static bool
tries_all(void)
{
	return getenv("FXDB_SCREEN_ALL") != NULL;
}

/* A graph of COUNT nodes with a residual every four; the path is the caller's.
 */
static char *
make_graph(size_t count)
{
	char *path = fx_xasprintf("views-%ld.fx", (long)getpid());
	FX_AUTO_BUF struct fx_buf text = { 0 };

	fx_buf_add(&text, "graph():\n    %x : [#users=1] = "
			  "placeholder[target=x]\n");
	for (size_t i = 0; i < count; i++) {
		FX_AUTO_FREE char *before =
			i ? fx_xasprintf("n%zu", i - 1) : fx_xstrdup("x");

		fx_buf_addf(&text, "    %%n%zu : [#users=1] = call_function",
			i);
		if (i % 4 == 3)
			fx_buf_addf(&text,
				"[target=operator.add](args = (%%%s, %%n%zu), "
				"kwargs = {})\n",
				before, i - 3);
		else
			fx_buf_addf(&text,
				"[target=torch.relu](args = (%%%s,), kwargs = "
				"{})\n",
				before);
	}
	fx_buf_addf(&text, "    return n%zu\n", count - 1);
	CU_ASSERT_FATAL(fxt_ok(fx_file_write(path, fx_buf_text(&text),
		text.length)));
	return path;
}

struct worst {
	size_t bytes;
	double seconds;
	char bytes_at[80];
	char seconds_at[80];
};

/* Type KEY and note what it cost. */
static void
press(struct term *term, const char *layout, const int size[2], size_t index,
	struct worst *worst)
{
	size_t bytes;
	double seconds = term_cpu(term);
	char at[80];

	snprintf(at, sizeof(at), "layout %s at %dx%d, key %zu", layout, size[1],
		size[0], index);
	term_bytes(term);
	CU_ASSERT_FATAL(term_type(term, keys[index]));
	bytes = term_bytes(term);
	seconds = term_cpu(term) - seconds;
	if (bytes > BYTES_MOST || seconds > SECONDS_MOST)
		printf("%zu bytes, %.1f ms: %s\n", bytes, seconds * 1e3, at);
	if (bytes > worst->bytes) {
		worst->bytes = bytes;
		memcpy(worst->bytes_at, at, sizeof(at));
	}
	if (seconds > worst->seconds) {
		worst->seconds = seconds;
		memcpy(worst->seconds_at, at, sizeof(at));
	}
}

static void
try_layout(struct term *term, const char *layout, const int size[2],
	struct worst *worst)
{
	FX_AUTO_FREE char *line = fx_xasprintf(":layout %s\r", layout);

	CU_ASSERT_FATAL(term_type(term, "\033\033"));
	CU_ASSERT_FATAL(term_type(term, line));
	for (size_t i = 0; i < FX_ARRAY_LEN(keys); i++)
		press(term, layout, size, i, worst);
}

static void
try_terminal(const char *name, const char *graph, struct worst *worst)
{
	struct term_options options = {
		.rows = 24, .columns = 80, .term = name
	};
	const char *argv[] = { getenv("FXDB"), "-nx", "-q", "-ex",
		"set backend meta", graph, "--tui", NULL };
	struct term *term = term_new(&options, argv);
	size_t count = tries_all() ? FX_ARRAY_LEN(sizes) : SIZES_FEW;

	CU_ASSERT_FATAL(term_wait_idle(term));
	CU_ASSERT_FATAL(term_type(term, ":start\r"));
	/* The code is written once for the whole graph: 38 ms of 100,000. */
	CU_ASSERT_FATAL(term_type(term, ":layout code\r\t\033"));
	for (size_t i = 0; i < count; i++) {
		CU_ASSERT_FATAL(term_resize(term, sizes[i][0], sizes[i][1]));
		for (size_t k = 0; k < FX_ARRAY_LEN(layouts); k++)
			try_layout(term, layouts[k], sizes[i], worst);
	}
	CU_ASSERT(!term_has_ended(term));
	term_free(term);
}

static void
no_key_sends_more_than_4_kb(void)
{
	FX_AUTO_FREE char *graph =
		make_graph(tries_all() ? NODES_MANY : NODES_FEW);
	size_t count = tries_all() ? FX_ARRAY_LEN(terminals) : TERMINALS_FEW;

	for (size_t i = 0; i < count; i++) {
		struct worst worst = { 0 };

		try_terminal(terminals[i], graph, &worst);
		printf("%s: %zu bytes (%s), %.1f ms (%s)\n", terminals[i],
			worst.bytes, worst.bytes_at, worst.seconds * 1e3,
			worst.seconds_at);
		FXT_IS(worst.bytes, <=, BYTES_MOST);
		if (tries_all())
			CU_ASSERT(worst.seconds <= SECONDS_MOST);
	}
	unlink(graph);
}

int
main(void)
{
	static const struct fxt_case cases[] = {
		FXT_CASE(no_key_sends_more_than_4_kb),
	};

	if (!getenv("FXDB") || access(getenv("FXDB"), X_OK) != 0)
		return 77;
	return fxt_run("views", cases, FX_ARRAY_LEN(cases));
}
