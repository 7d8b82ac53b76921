/* dot_text.c - a drawing's graph in the DOT language, for the helper.
 *
 * A string may have 16 KB in Graphviz, labels are cut long before.  Our own
 * positions: ranks by longest path; in a rank, nodes stand below the mean of
 * their inputs as far as there is room.  One pass, no crossing reduction: this
 * is for graphs nobody else can lay out at all.
 */
#include <config.h>

#include "draw/dot_text.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/compiler.h"
#include "base/mem.h"
#include "draw/dag.h"
#include "draw/layers.h"
#include "emit/dot.h"
#include "ir/graph.h"
#include "ir/module.h"
#include "ir/value_text.h"

enum {
	LABEL_BYTES = 400,
	/* Points (1/72 inch). */
	CHAR_WIDTH = 8,
	BOX_HEIGHT = 50,
	RANK_HEIGHT = 78,
	COLUMN_GAP = 24,
};

bool
fx_dot_is_modest(const struct fx_dag *dag)
{
	bool is_modest = dag->count <= 2500;

	if (is_modest) {
		int *ranks = fx_xcalloc(dag->count + 1, sizeof(*ranks));

		fx_dag_rank(dag, ranks);
		is_modest = fx_dag_passages(dag, ranks) <= 3500;
		free(ranks);
	}
	return is_modest;
}

struct box_text {
	const char *lines[3];
	size_t count;
	struct fx_buf shape;
};

/* Return what NODE calls, in the form that distinguishes it best: a module by
 * its class.  NULL if the name of NODE says it already.
 */
static const char *
called_by(const struct fx_node *node)
{
	const struct fx_module *module = NULL;
	const char *dot;

	if (node->opcode == FX_OPCODE_CALL_MODULE)
		module = fx_module_find(node->graph->module, node->target);
	if (module && module->class_name) {
		dot = strrchr(module->class_name, '.');
		return dot ? dot + 1 : module->class_name;
	}
	if (node->opcode == FX_OPCODE_OUTPUT ||
		!strcmp(node->target, node->name))
		return NULL;
	return node->target;
}

/* Set *RET to the lines of NODE's box: its name, what it calls, and its shape.
 */
static void
node_lines(const struct fx_dag_node *node, struct box_text *ret)
{
	const char *called = node->node ? called_by(node->node) : NULL;

	*ret = (struct box_text){ { node->label }, 1, { 0 } };
	if (called)
		ret->lines[ret->count++] = called;
	if (!node->node || !node->node->meta)
		return;
	fx_value_print_shape(&ret->shape, node->node->meta, false);
	ret->lines[ret->count++] = fx_buf_text(&ret->shape);
}

static void
add_line(struct fx_buf *out, const char *label)
{
	size_t length = FX_MIN(strlen(label), LABEL_BYTES);

	/* Do not cut a character in two. */
	while (length && (label[length] & 0xc0) == 0x80)
		length--;
	fx_emit_dot_text(out, label, length);
	if (label[length])
		fx_buf_add(out, "...");
}

static void
add_label(struct fx_buf *out, const struct fx_dag_node *node)
{
	struct box_text text;

	node_lines(node, &text);
	for (size_t i = 0; i < text.count; i++) {
		if (i)
			fx_buf_add(out, "\\n");
		add_line(out, text.lines[i]);
	}
	fx_buf_deinit(&text.shape);
}

static const char *
style_of(const struct fx_dag_node *node)
{
	static const char *const styles[] = {
		[FX_DAG_INPUT] = "shape=ellipse,fillcolor=\"#e8f1fa\"",
		[FX_DAG_PARAMETER] = "shape=ellipse,fillcolor=\"#f2f2f2\"",
		[FX_DAG_FUNCTION] = "fillcolor=\"#fdf3e1\"",
		[FX_DAG_MODULE] = "fillcolor=\"#e9f5e9\"",
		[FX_DAG_OUTPUT] = "shape=ellipse,fillcolor=\"#e8f1fa\"",
		[FX_DAG_FOLD] = "fillcolor=\"#ece9f5\"",
	};

	return styles[node->kind];
}

/* Wanted places within one rank. */
struct place {
	size_t node;
	long wanted;
	long width;
};

static int
compare_places(const void *a, const void *b)
{
	const struct place *x = a;
	const struct place *y = b;

	if (x->wanted != y->wanted)
		return x->wanted < y->wanted ? -1 : 1;
	return x->node < y->node ? -1 : x->node > y->node;
}

static long
box_width(const struct fx_dag_node *node)
{
	struct box_text text;
	size_t length = 0;

	node_lines(node, &text);
	for (size_t i = 0; i < text.count; i++)
		length = FX_MAX(length, strlen(text.lines[i]));
	fx_buf_deinit(&text.shape);
	length = FX_MIN(length, (size_t)LABEL_BYTES);
	return (long)length * CHAR_WIDTH + 16;
}

/* Place the COUNT nodes of one rank from left to right into COLUMNS. */
static void
place_rank(struct place *places, size_t count, long *columns)
{
	long free_column = 0;

	qsort(places, count, sizeof(*places), compare_places);
	for (size_t i = 0; i < count; i++) {
		long left = places[i].wanted - places[i].width / 2;

		left = FX_MAX(left, free_column);
		columns[places[i].node] = left + places[i].width / 2;
		free_column = left + places[i].width + COLUMN_GAP;
	}
}

static long
wanted_column(const struct fx_dag *dag, size_t node, const long *columns)
{
	const uint32_t *inputs = fx_dag_inputs(dag, node);
	uint32_t count = dag->nodes[node].input_count;
	long sum = 0;

	for (uint32_t i = 0; i < count; i++)
		sum += columns[inputs[i]];
	return count ? sum / (long)count : 0;
}

/* Nodes grouped by rank, then placed rank by rank. */
static void
place_all(const struct fx_dag *dag, const int *ranks, int rank_count,
	long *columns)
{
	size_t *first = fx_xcalloc((size_t)rank_count + 2, sizeof(*first));
	struct place *places = fx_xcalloc(dag->count + 1, sizeof(*places));
	size_t *at = fx_xcalloc((size_t)rank_count + 2, sizeof(*at));

	for (size_t n = 0; n < dag->count; n++)
		first[ranks[n] + 1]++;
	for (int r = 0; r < rank_count; r++)
		first[r + 1] += first[r];
	for (size_t n = 0; n < dag->count; n++)
		places[first[ranks[n]] + at[ranks[n]]++].node = n;
	for (int r = 0; r < rank_count; r++) {
		for (size_t i = first[r]; i < first[r + 1]; i++) {
			places[i].wanted =
				wanted_column(dag, places[i].node, columns);
			places[i].width =
				box_width(&dag->nodes[places[i].node]);
		}
		place_rank(places + first[r], first[r + 1] - first[r], columns);
	}
	free(first);
	free(places);
	free(at);
}

static void
add_nodes(const struct fx_dag *dag, bool placed, int marked, struct fx_buf *out)
{
	int *ranks = NULL;
	long *columns = NULL;

	if (placed) {
		ranks = fx_xcalloc(dag->count + 1, sizeof(*ranks));
		columns = fx_xcalloc(dag->count + 1, sizeof(*columns));
		place_all(dag, ranks, fx_dag_rank(dag, ranks), columns);
	}
	for (size_t n = 0; n < dag->count; n++) {
		fx_buf_addf(out, "n%zu [label=\"", n);
		add_label(out, &dag->nodes[n]);
		fx_buf_addf(out, "\",%s", style_of(&dag->nodes[n]));
		if ((int)n == marked)
			fx_buf_add(out, ",penwidth=3");
		if (placed)
			fx_buf_addf(out,
				",width=%ld.%03ld,height=%d.%03d,"
				"fixedsize=true,pos=\"%ld,%ld\"",
				box_width(&dag->nodes[n]) / 72,
				box_width(&dag->nodes[n]) % 72 * 1000 / 72,
				BOX_HEIGHT / 72, BOX_HEIGHT % 72 * 1000 / 72,
				columns[n], -(long)ranks[n] * RANK_HEIGHT);
		fx_buf_add(out, "]\n");
	}
	free(ranks);
	free(columns);
}

void
fx_dot_text(const struct fx_dag *dag, bool placed, int marked,
	struct fx_buf *out)
{
	fx_buf_add(out, "digraph fxdb {\n");
	if (placed)
		fx_buf_add(out, "splines=line\n");
	fx_buf_add(out, "node [shape=box,style=\"rounded,filled\","
			"fontname=\"Helvetica\",fontsize=11]\n"
			"edge [arrowsize=0.6]\n");
	add_nodes(dag, placed, marked, out);
	for (size_t n = 0; n < dag->count; n++) {
		const uint32_t *inputs = fx_dag_inputs(dag, n);

		for (uint32_t i = 0; i < dag->nodes[n].input_count; i++)
			fx_buf_addf(out, "n%u -> n%zu\n", (unsigned)inputs[i],
				n);
	}
	fx_buf_add(out, "}\n");
}
