/* test_match.c - patterns and the places where they stand. */
#include <config.h>

#include <string.h>

#include "base/buf.h"
#include "base/intern.h"
#include "ir/match.h"
#include "ir/pattern.h"
#include "ops/layertab.h"
#include "ops/spellings.h"
#include "tests/support/read_text.h"
#include "tests/support/unit.h"

/* The graph of CODE, generated code's body. */
static struct fx_graph *
graph_of(const char *body)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };

	fx_buf_addf(&text, "def forward(self, x, y):\n%s", body);
	return fxt_read_graph(fx_buf_text(&text), 1);
}

/* The names of the last nodes of all matches of TEXT, with blanks between. */
static const char *
matches_of(struct fx_graph *graph, const char *text, unsigned how,
	struct fx_buf *out)
{
	FX_AUTO_PATTERN struct fx_pattern *pattern = NULL;
	FX_AUTO_MATCHES struct fx_matches *matches = NULL;

	fx_buf_clear(out);
	FXT_OK(fx_pattern_read(text, how, &pattern));
	FXT_OK(fx_matches_find(graph, pattern, NULL, &matches));
	for (size_t i = 0; i < fx_matches_count(matches); i++)
		fx_buf_addf(out, "%s%s", i ? " " : "",
			fx_matches_at(matches, i)[fx_pattern_output(pattern, 0)]
				.node->name);
	return fx_buf_text(out);
}

static void
spellings_meet(void)
{
	FX_AUTO_BUF struct fx_buf out = { 0 };
	FX_AUTO_GRAPH struct fx_graph *g =
		graph_of("    a = torch.relu(x)\n"
			 "    b = x.relu()\n"
			 "    c = torch.nn.functional.relu(x, inplace = "
			 "False)\n"
			 "    d = torch.softmax(a, 1)\n"
			 "    e = torch.nn.functional.softmax(b, dim = 1, "
			 "_stacklevel = 3, dtype = None)\n"
			 "    f = torch.add(c, d, alpha = 2)\n"
			 "    g = f + e\n"
			 "    return g\n");

	FXT_SAME(matches_of(g, "relu(v)", 0, &out), "a b c");
	FXT_SAME(matches_of(g, "F.relu(v)", 0, &out), "a b c");
	FXT_SAME(matches_of(g, "softmax(v, dim=1)", 0, &out), "d e");
	FXT_SAME(matches_of(g, "softmax(v, 2)", 0, &out), "");
	FXT_SAME(matches_of(g, "softmax(v, _)", 0, &out), "d e");
	FXT_SAME(matches_of(g, "softmax(v)", 0, &out), "");
	FXT_SAME(matches_of(g, "softmax(v, ...)", 0, &out), "d e");
	FXT_SAME(matches_of(g, "v.softmax(..., dim=1)", 0, &out), "d e");
	FXT_SAME(matches_of(g, "softmax(..., dim=2)", 0, &out), "");
	FXT_SAME(matches_of(g, "torch.add(v, ...)", 0, &out), "f g");
	FXT_SAME(matches_of(g, "torch.add(..., alpha=2)", 0, &out), "f");
	FXT_SAME(matches_of(g, "softmax(v, ...)", FX_PATTERN_TORCH, &out), "");
	/* With alpha it is no plain sum. */
	FXT_SAME(matches_of(g, "torch.add(v, w)", 0, &out), "g");
	FXT_SAME(matches_of(g, "torch.add(v, w, alpha=k)", 0, &out), "f");
	FXT_SAME(matches_of(g, "relu(v)", FX_PATTERN_TORCH, &out), "a");
}

static void
a_name_is_one_thing(void)
{
	FX_AUTO_BUF struct fx_buf out = { 0 };
	FX_AUTO_GRAPH struct fx_graph *g =
		graph_of("    a = x + x\n"
			 "    b = x + y\n"
			 "    c = b * 3\n"
			 "    d = torch.cat([a, c], 1)\n"
			 "    return d\n");

	FXT_SAME(matches_of(g, "v + v", 0, &out), "a");
	FXT_SAME(matches_of(g, "v + w", 0, &out), "a b");
	/* To torch.fx two names are two nodes. */
	FXT_SAME(matches_of(g, "v + w", FX_PATTERN_TORCH, &out), "b");
	FXT_SAME(matches_of(g, "v * 3", 0, &out), "c");
	FXT_SAME(matches_of(g, "v * 4", 0, &out), "");
	FXT_SAME(matches_of(g, "torch.cat([v, w], dim=1)", 0, &out), "d");
	FXT_SAME(matches_of(g, "torch.cat([v + v, w * _], 1)", 0, &out), "d");
	/* Its own input is no inside. */
	FXT_SAME(matches_of(g, "(v + v) * 3", 0, &out), "");
}

static void
overlaps_go_to_the_first(void)
{
	FX_AUTO_BUF struct fx_buf out = { 0 };
	FX_AUTO_GRAPH struct fx_graph *g = graph_of("    a = torch.neg(x)\n"
						    "    b = torch.neg(a)\n"
						    "    c = torch.neg(b)\n"
						    "    d = torch.neg(c)\n"
						    "    return d\n");

	FXT_SAME(matches_of(g, "torch.neg(torch.neg(v))", 0, &out), "b d");
}

static void
several_outputs(void)
{
	FX_AUTO_BUF struct fx_buf out = { 0 };
	FX_AUTO_GRAPH struct fx_graph *g = graph_of("    a = torch.sin(x)\n"
						    "    b = torch.cos(x)\n"
						    "    c = torch.sin(y)\n"
						    "    d = torch.exp(c)\n"
						    "    e = torch.cos(y)\n"
						    "    f = a + b\n"
						    "    g = d + e\n"
						    "    h = f + g\n"
						    "    return h\n");

	FXT_SAME(matches_of(g, "torch.sin(v), torch.cos(v)", 0, &out), "a c");
}

static void
no_way_around(void)
{
	FX_AUTO_BUF struct fx_buf out = { 0 };
	FX_AUTO_GRAPH struct fx_graph *g = graph_of("    a = torch.sin(x)\n"
						    "    b = torch.exp(a)\n"
						    "    c = a + b\n"
						    "    return c\n");

	/* b lies between: what replaces both would read itself. */
	FXT_SAME(matches_of(g, "s = torch.sin(v); (s, s + w)", 0, &out), "");
	FXT_SAME(matches_of(g, "s = torch.sin(v); (s, s + w)", FX_PATTERN_TORCH,
			 &out),
		"");
}

static void
writes_in_place_are_seen(void)
{
	FX_AUTO_BUF struct fx_buf out = { 0 };
	FX_AUTO_GRAPH struct fx_graph *g =
		graph_of("    a = torch.neg(x)\n"
			 "    b = torch.nn.functional.relu(a, inplace = True)\n"
			 "    c = torch.neg(y)\n"
			 "    d = torch.nn.functional.relu(c, inplace = True)\n"
			 "    e = d + c\n"
			 "    f = torch.nn.functional.relu(y, inplace = True)\n"
			 "    g = b + e + f\n"
			 "    return g\n");

	FXT_SAME(matches_of(g, "relu(v)", 0, &out), "b");
	FXT_SAME(matches_of(g, "F.relu(v, inplace=True)", 0, &out), "b d f");
	FXT_SAME(matches_of(g, "F.relu(v, inplace=_)", 0, &out), "b d f");
}

/* Every row can be read, and every spelling finds its row. */
static void
the_table_is_sound(void)
{
	const struct fx_spelling *spelling;
	size_t pairs = 0;
	size_t in_row = 0;

	for (size_t i = 0; (spelling = fx_spelling_at(i)); i++) {
		in_row = i && spelling[-1].operation == spelling->operation
				 ? in_row + 1
				 : 0;
		pairs += in_row;
		CU_ASSERT_PTR_EQUAL(fx_spelling_find(spelling->opcode,
					    spelling->target),
			spelling);
		if (spelling->opcode == FX_OPCODE_CALL_MODULE)
			CU_ASSERT(fx_layer_find(spelling->target) != NULL);
	}
	FXT_IS(pairs, >=, 200);
}

int
main(void)
{
	static const struct fxt_case cases[] = {
		FXT_CASE(spellings_meet),
		FXT_CASE(a_name_is_one_thing),
		FXT_CASE(overlaps_go_to_the_first),
		FXT_CASE(several_outputs),
		FXT_CASE(no_way_around),
		FXT_CASE(writes_in_place_are_seen),
		FXT_CASE(the_table_is_sound),
	};

	return fxt_run("match", cases, FX_ARRAY_LEN(cases));
}
