/* picture.c - a graph as a picture file, by way of the helper program.
 *
 * Graphviz lays out what fx_dot_is_modest allows.  Should it still hang or
 * crash, and for everything larger, our own positions are rendered.
 */
#include <config.h>

#include "draw/draw.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/compiler.h"
#include "base/str.h"
#include "draw/dot_text.h"
#include "draw/draw_part.h"
#include "draw/svg_child.h"

const char *
fx_draw_formats(void)
{
	return "svg|dot|xdot|json|plain|ps";
}

static struct fx_error *
check(const char *format)
{
	if (!fx_str_is_choice(fx_draw_formats(), format))
		return fx_error_hint(fx_error_new(FX_ERR_VALUE,
					     "no picture format \"%s\"; there "
					     "are %s",
					     format, fx_draw_formats()),
			"rsvg-convert and inkscape make png and pdf of svg");
#ifndef FX_WITH_GRAPHVIZ
	if (!getenv("FXDB_DRAW_PROGRAM"))
		return fx_error_hint(fx_error_new(FX_ERR_UNSUPPORTED,
					     "this fxdb was built without "
					     "Graphviz, which "
					     "draws %s",
					     format),
			"\"draw\" alone draws with characters; \"dump dot\" "
			"writes what Graphviz's dot reads");
#endif
	return NULL;
}

/* The part to draw, folded as far as OPTIONS leave open.  A step more or less
 * is a module more or less: whoever looks wants the deepest that still fits.
 */
static struct fx_dag *
choose_part(struct fx_graph *graph, const struct fx_draw_options *options,
	int *marked, struct fx_draw_report *report)
{
	struct fx_draw_options folding = *options;
	struct fx_dag *dag = fx_draw_part(graph, options, marked, report);
	size_t whole = report->drawn + report->left_out;
	size_t last = 0;

	report->fold = FX_MAX(options->fold, 0);
	if (options->fold >= 0 || whole <= FX_DRAW_UNFOLDED)
		return dag;
	for (folding.fold = 1;; folding.fold++) {
		struct fx_draw_report next;
		int mark;
		struct fx_dag *part =
			fx_draw_part(graph, &folding, &mark, &next);
		size_t boxes = next.drawn + next.left_out;

		/* The same once more: no scope goes deeper. */
		if (boxes >= whole || boxes == last ||
			(last && boxes > FX_DRAW_UNFOLDED)) {
			fx_dag_free(part);
			return dag;
		}
		fx_dag_free(dag);
		dag = part;
		last = boxes;
		*marked = mark;
		*report = next;
		report->fold = folding.fold;
	}
}

static struct fx_error *
render(const struct fx_dag *dag, int marked, bool placed,
	struct fx_svg_job *job, struct fx_buf *out)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };

	fx_dot_text(dag, placed, marked, &text);
	job->engine = placed ? "nop2" : "dot";
	job->text = fx_buf_text(&text);
	job->length = text.length;
	return fx_svg_child_run(job, out);
}

struct fx_error *
fx_draw_picture(struct fx_graph *graph, const struct fx_draw_options *options,
	const char *format, struct fx_buf *out)
{
	struct fx_svg_job job = { .format = format,
		.timeout_ms = options->timeout_ms,
		.stop = options->stop,
		.stop_context = options->stop_context };
	FX_AUTO_DAG struct fx_dag *dag = NULL;
	struct fx_draw_report report;
	bool is_text = fx_str_equal(format, "dot");
	struct fx_error *err = is_text ? NULL : check(format);
	int marked;

	if (err)
		return err;
	if (job.timeout_ms <= 0 || getenv("FXDB_DRAW_TIMEOUT"))
		job.timeout_ms = fx_svg_child_timeout();
	dag = choose_part(graph, options, &marked, &report);
	if (options->report)
		*options->report = report;
	if (is_text) {
		fx_dot_text(dag, false, marked, out);
		return NULL;
	}
	if (!fx_dot_is_modest(dag))
		return render(dag, marked, true, &job, out);
	err = render(dag, marked, false, &job, out);
	if (err && fx_error_code(err) == FX_ERR_CHILD) {
		fx_error_free(err);
		err = render(dag, marked, true, &job, out);
	}
	return err;
}
