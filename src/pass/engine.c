/* engine.c - the list of passes and the loop that runs one. */
#include <config.h>

#include "pass/engine.h"

#include <string.h>

#include "base/buf.h"
#include "base/str.h"
#include "ir/verify.h"

#define FX_PASS(id) extern const struct fx_pass fx_pass_##id;
#include "pass/passes.def"

static const struct fx_pass *const passes[] = {
#define FX_PASS(id) &fx_pass_##id,
#include "pass/passes.def"
};

const struct fx_pass *
fx_pass_at(size_t index)
{
	return index < FX_ARRAY_LEN(passes) ? passes[index] : NULL;
}

const struct fx_pass *
fx_pass_find(const char *name)
{
	for (size_t i = 0; i < FX_ARRAY_LEN(passes); i++)
		if (fx_str_equal(passes[i]->name, name))
			return passes[i];
	return NULL;
}

/* The next word of TEXT from *AT on; false at the end. */
static bool
next_word(const char **at, size_t *length_ret)
{
	*at += strspn(*at, " \t");
	*length_ret = strcspn(*at, " \t");
	return *length_ret > 0;
}

static bool
has_word(const char *text, const char *word, size_t length)
{
	size_t size;

	if (!text)
		return false;
	for (; next_word(&text, &size); text += size)
		if (size == length && memcmp(text, word, length) == 0)
			return true;
	return false;
}

bool
fx_pass_has_option(const struct fx_pass_ctx *ctx, const char *option)
{
	return has_word(ctx->options, option, strlen(option));
}

static struct fx_error *
check_options(const struct fx_pass_run *run)
{
	const char *at = run->options;
	size_t length;

	if (!at)
		return NULL;
	for (; next_word(&at, &length); at += length)
		if (!has_word(run->pass->options, at, length))
			return fx_error_hint(
				fx_error_new(FX_ERR_USAGE,
					"pass %s has no option \"%.*s\"",
					run->pass->name, (int)length, at),
				"options of %s: %s", run->pass->name,
				*run->pass->options ? run->pass->options
						    : "none");
	return NULL;
}

struct loop {
	struct fx_graph *graph;
	struct fx_pass_run *run;
	struct fx_pass_ctx ctx;
	bool applies_all; /* REST was answered, or nobody asks */
	bool is_done;
};

static struct fx_error *
decide(struct loop *loop, const struct fx_candidate *candidate, bool *ret)
{
	struct fx_pass_run *run = loop->run;
	enum fx_pass_answer answer = FX_PASS_APPLY;

	if (!loop->applies_all)
		answer = run->ask(run->context, candidate);
	*ret = answer == FX_PASS_APPLY || answer == FX_PASS_REST;
	switch (answer) {
	case FX_PASS_REST:
		loop->applies_all = true;
		break;
	case FX_PASS_QUIT:
		loop->is_done = true;
		break;
	case FX_PASS_ABORT:
		return fx_error_new(FX_ERR_INTERRUPTED,
			"pass %s was aborted; nothing changed",
			run->pass->name);
	case FX_PASS_APPLY:
	case FX_PASS_SKIP:
		break;
	}
	return NULL;
}

static struct fx_error *
take(struct loop *loop, const struct fx_candidate *candidate)
{
	struct fx_pass_run *run = loop->run;
	bool applies;
	struct fx_error *err = decide(loop, candidate, &applies);

	if (!err && applies)
		err = run->pass->apply(loop->graph, &loop->ctx, candidate);
	if (err)
		return err;
	run->applied += applies;
	run->skipped += !applies;
	if (run->show)
		run->show(run->context, candidate, applies);
	return NULL;
}

static struct fx_error *
run_loop(struct loop *loop)
{
	struct fx_pass_run *run = loop->run;
	struct fx_candidate candidate = { .node = 0 };
	struct fx_error *err = NULL;

	while (!err && !loop->is_done &&
		run->pass->plan(loop->graph, &loop->ctx, &candidate)) {
		run->candidates++;
		err = take(loop, &candidate);
		if (!err && run->tick && run->candidates % 64 == 0 &&
			run->tick(run->context))
			err = fx_error_new(FX_ERR_INTERRUPTED,
				"pass %s was interrupted; nothing changed",
				run->pass->name);
		candidate = (struct fx_candidate){ .node = 0 };
	}
	return err;
}

/* Describe the run of the pass in the journal.  If the user chose matches one
 * by one, there is no script text, since a script cannot repeat the choice.
 */
static void
describe(struct fx_graph *graph, const struct fx_pass_run *run)
{
	FX_AUTO_BUF struct fx_buf script = { 0 };

	fx_buf_addf(&script, "pass run %s", run->pass->name);
	if (run->options && *run->options)
		fx_buf_addf(&script, " %s", run->options);
	fx_journal_describe(graph, run->skipped ? NULL : fx_buf_text(&script),
		run->pass->name);
}

struct fx_error *
fx_pass_apply(struct fx_graph *graph, struct fx_pass_run *run)
{
	struct loop loop = {
		.graph = graph,
		.run = run,
		.ctx = { .options = run->options },
		.applies_all = !run->ask,
	};
	struct fx_error *err = check_options(run);

	run->candidates = run->applied = run->skipped = 0;
	if (err)
		return err;
	err = run->pass->open(graph, &loop.ctx);
	if (err)
		return err;
	err = run_loop(&loop);
	run->pass->close(graph, &loop.ctx);
	if (!err && graph->journal)
		describe(graph, run);
	if (!err && run->applied && !run->no_verify)
		err = fx_verify_error(graph);
	return err ? fx_error_note(err, "while running pass %s",
			     run->pass->name)
		   : NULL;
}
