/* trial_private.h - what the files of a trial share. */
#ifndef FX_RUN_TRIAL_PRIVATE_H
#define FX_RUN_TRIAL_PRIVATE_H

#include "run/trial.h"

struct fx_activation;
struct fx_graph;
struct fx_node;
struct fx_run;
struct fx_timeline;

struct fx_trying_part;

struct fx_trying {
	const struct fx_trial *trial;
	struct fx_timeline *timeline;
	const struct fx_trying_part *part; /* that runs now */
	size_t next;                       /* input */
	struct fx_error *error;
};

/* Whether somebody needs the value of INPUT after NODE, which takes it. */
typedef bool fx_trying_needs_fn(const void *context,
	const struct fx_node *input, const struct fx_node *node);

/* What is to be run: from FIRST to before END (NULL: to the end). */
struct fx_trying_part {
	struct fx_activation *activation;
	struct fx_node *first;
	struct fx_node *end;
	const struct fx_observer *also; /* asked too; may be NULL */
	bool keeps;                     /* values stay */
	/* What nobody needs may be overwritten for good.  NULL: all that is
	 * kept is needed, else what a later node takes.
	 */
	fx_trying_needs_fn *needs;
	const void *needs_context;
	size_t executed; /* nodes, afterwards */
};
FX_NODISCARD struct fx_error *fx_trying_run(struct fx_trying *trying,
	struct fx_trying_part *part);

/* Call RUN with a run of its own, whose traces are then removed. */
typedef struct fx_error *fx_trying_fn(void *context, struct fx_run *run);
FX_NODISCARD struct fx_error *fx_trying_apart(struct fx_backend *backend,
	fx_trying_fn *run, void *context);

/* What ACTIVATION's graph gives, new: a copy, if MAY_CHANGE or what it lies in
 * may be taken back.
 */
FX_NODISCARD struct fx_error *fx_trying_output(const struct fx_trying *trying,
	const struct fx_activation *activation, bool may_change,
	struct fx_datum **ret);

/* trial_written.c: append what the trial of GRAPH on INPUTS wrote so far and
 * others have as well: of its inputs, parameters and buffers.
 */
struct fx_written_request {
	const struct fx_timeline *timeline;
	struct fx_backend *backend;
	struct fx_graph *graph;
	struct fx_datum *const *inputs;
	size_t input_count;
};
FX_NODISCARD struct fx_error *
fx_trial_find_written(const struct fx_written_request *request,
	struct fx_trial_results *results, int which);

#endif /* FX_RUN_TRIAL_PRIVATE_H */
