/* picture.c - a graph as a picture file, by way of the helper program.
 *
 * Graphviz lays out what fx_dot_is_modest allows.  Should it still hang or
 * crash, and for everything larger, our own positions are rendered.
 */
#include <config.h>

#include "draw/draw.h"

#include <stdlib.h>

#include "base/buf.h"
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
	struct fx_error *err = check(format);
	int marked;

	if (err)
		return err;
	if (job.timeout_ms <= 0 || getenv("FXDB_DRAW_TIMEOUT"))
		job.timeout_ms = fx_svg_child_timeout();
	dag = fx_draw_part(graph, options, &marked, &report);
	if (options->report)
		*options->report = report;
	if (!fx_dot_is_modest(dag))
		return render(dag, marked, true, &job, out);
	err = render(dag, marked, false, &job, out);
	if (err && fx_error_code(err) == FX_ERR_CHILD) {
		fx_error_free(err);
		err = render(dag, marked, true, &job, out);
	}
	return err;
}
