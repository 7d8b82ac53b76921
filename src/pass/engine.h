/* engine.h - running passes: the list, their options, their candidates.
 *
 * A pass is two functions: `plan` yields the next candidate, `apply` edits
 * inside a transaction that the caller opened.  Their work lies in an object
 * that may rest between two commands.  Asking, dry runs, verifying and
 * reporting are done once for all passes (session/passing.h).
 */
#ifndef FX_PASS_ENGINE_H
#define FX_PASS_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "ir/graph.h"
#include "ir/journal.h"
#include "run/difference.h"

struct fx_backend;
struct fx_pass_ctx;
struct fx_ticker;

/* Something a pass would do: the node it is about, and a sentence. */
struct fx_candidate {
	uint64_t node;
	const char *text; /* valid until the next plan; "erase %x: unused" */
	/* What it is chosen by: the same whenever the pass is run on the same
	 * graph.  Of a plan: valid as long as TEXT, or NULL for the node's
	 * name.  Of fx_pass_next: interned.
	 */
	const char *key;
};

enum fx_pass_option_type {
	FX_PASS_OPTION_SWITCH, /* given, or NAME=on, NAME=off */
	FX_PASS_OPTION_INT,    /* NAME=3; not negative */
	FX_PASS_OPTION_TEXT,   /* NAME=WORD */
};

struct fx_pass_option {
	const char *name;
	enum fx_pass_option_type type;
	const char *initial; /* without it: "off", "3", "" */
	const char *help;    /* one line, lower case, no full stop */
	const char *choices; /* TEXT: the words it may be, "a|b"; or NULL */
};

struct fx_pass {
	const char *name;    /* "dce" */
	const char *summary; /* one line, lower case */
	bool is_command; /* a command's own work, which no `pass run` knows */
	bool is_one_change; /* its candidates are the parts of one change */
	const struct fx_pass_option *takes; /* ends with a NULL name; or NULL */
	/* What it says of its result, which verification holds it to. */
	enum fx_claim claim;
	double tolerance; /* of an ALGEBRAIC one; 0: what rounding leaves */
	/* Operators with one of these traits in the graph make it ALGEBRAIC. */
	unsigned rounds;
	bool needs_weights; /* it reads parameters and buffers */
	bool computes;      /* it needs a backend that has values */
	/* Begin and end: allocate and free ctx->state. */
	struct fx_error *(*open)(struct fx_graph *graph,
		struct fx_pass_ctx *ctx);
	void (*close)(struct fx_graph *graph, struct fx_pass_ctx *ctx);
	/* The next candidate; false when there are no more.  It must not come
	 * up with one it yielded before.  The graph may have been looked at and
	 * run since, but only this pass has edited it.  False with ctx->error
	 * where the pass cannot go on.
	 */
	bool (*plan)(struct fx_graph *graph, struct fx_pass_ctx *ctx,
		struct fx_candidate *ret);
	struct fx_error *(*apply)(struct fx_graph *graph,
		struct fx_pass_ctx *ctx, const struct fx_candidate *candidate);
};

/* What a pass may compute with. */
struct fx_pass_world {
	struct fx_backend *backend;
	struct fx_ticker *ticker; /* Ctrl-C; may be NULL */
};

struct fx_pass_ctx {
	/* As given and checked: words separated by blanks; or NULL. */
	const char *options;
	const struct fx_pass *pass;
	const struct fx_pass_world *world; /* of one that computes; or NULL */
	/* As in fx_pass_step. */
	void *data;
	const struct fx_node *at;
	bool is_quiet;
	struct fx_error *error; /* of plan */
	void *state;
};

/* A pass and what it is told. */
struct fx_pass_step {
	const struct fx_pass *pass;
	const char *options; /* words separated by blanks, or NULL */
	void *data;          /* what words do not say, by the pass; or NULL */
	/* Candidates at this node alone are wanted, which not every pass heeds;
	 * NULL: all.
	 */
	const struct fx_node *at;
	bool is_quiet;   /* the sentences may be "" */
	bool is_keyless; /* and the keys NULL */
};

/* Passes in the order of passes.def; NULL past the end; NULL when unknown. */
const struct fx_pass *fx_pass_at(size_t index);
const struct fx_pass *fx_pass_find(const char *name);
/* What PASS says of its result on GRAPH. */
enum fx_claim fx_pass_claim(const struct fx_pass *pass,
	const struct fx_graph *graph);

/* --- options (options.c) ------------------------------------------------- */

/* The option of PASS at INDEX; false past the end. */
bool fx_pass_option_at(const struct fx_pass *pass, size_t index,
	struct fx_pass_option *ret);
/* Whether WORD, NAME or NAME=VALUE, names an option of PASS. */
bool fx_pass_takes(const struct fx_pass *pass, const char *word);
/* USAGE when a word of OPTIONS is none of PASS, or its value is wrong. */
FX_NODISCARD struct fx_error *fx_pass_check_options(const struct fx_pass *pass,
	const char *options);

/* Whether the switch OPTION is on; what an INT is; what a TEXT is, which the
 * caller frees.
 */
bool fx_pass_has_option(const struct fx_pass_ctx *ctx, const char *option);
int64_t fx_pass_option_int(const struct fx_pass_ctx *ctx, const char *option);
char *fx_pass_option_text(const struct fx_pass_ctx *ctx, const char *option);

/* --- work ---------------------------------------------------------------- */

/* A pass at work on a graph, with one candidate at hand. */
struct fx_pass_work;

/* Begin, before the first candidate.  GRAPH and what STEP points at have to
 * live as long, but for its options.  What the pass does from now on is to be
 * in one transaction.
 */
FX_NODISCARD struct fx_error *fx_pass_begin(struct fx_graph *graph,
	const struct fx_pass_step *step, struct fx_pass_work **ret);
/* What a pass that computes does first: it has no candidates without a world,
 * which has to live as long.  Nothing for others, and the second time.
 */
FX_NODISCARD struct fx_error *fx_pass_enter(struct fx_pass_work *work,
	const struct fx_pass_world *world);
/* The next candidate, borrowed until the one after it, with its key; NULL at
 * the end and after an error.  Who does not apply it skips it.
 */
FX_NODISCARD struct fx_error *fx_pass_next(struct fx_pass_work *work,
	const struct fx_candidate **ret);
/* The one at hand, or NULL. */
const struct fx_candidate *fx_pass_candidate(const struct fx_pass_work *work);
/* Apply it, once. */
FX_NODISCARD struct fx_error *fx_pass_apply_next(struct fx_pass_work *work);
/* The pass ends; what it did stays. */
void fx_pass_end(struct fx_pass_work *work);
FX_DEFINE_CLEANUP(pass_work, struct fx_pass_work, fx_pass_end);
#define FX_AUTO_PASS_WORK FX_AUTO(pass_work)

#endif /* FX_PASS_ENGINE_H */
