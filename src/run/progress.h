/* progress.h - what long work is at, for whoever waits for it.
 *
 * The ticker fills it in where it asks the front end anyway, and only once the
 * work has lasted: short work costs a store a run.  Work of several parts says
 * which one it is at.
 */
#ifndef FX_RUN_PROGRESS_H
#define FX_RUN_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

struct fx_buf;
struct fx_node;

struct fx_progress {
	long long delay;    /* milliseconds before anything is said */
	long long began;    /* the command did */
	char doing[32];     /* "tracing"; "": nodes say it */
	size_t doing_at;    /* of several, which one; 0: it is one */
	const char *what;   /* what a part is: "input"; NULL: there are none */
	size_t part;        /* from 1 */
	size_t parts;       /* 0: nobody knows how many */
	size_t runs;        /* of graphs in a part; 0: nobody knows */
	size_t run;         /* that began in this one */
	long long parts_ms; /* when the first began */
	/* The run of a graph at work. */
	/* Name of the node that runs, interned, also while it does; NULL
	 * between runs.  A signal's handler may read it.
	 */
	const char *volatile at;
	bool is_beside;             /* two by turns, as one */
	const struct fx_node *seen; /* its node, while it goes on, or NULL */
	double before;              /* cost of those before that ... */
	double all;                 /* ... and of the graph */
	double from;      /* share of the graph where it began, or negative */
	long long run_ms; /* when it did */
	double done;      /* share of what it had to do then: 0 to 1 */
	char node[64];    /* its node, cut; "": between runs */
	size_t index;     /* of that in its graph */
};

/* A command begins, of which something is said after DELAY milliseconds. */
void fx_progress_begin(struct fx_progress *progress, long long delay);
/* What it does, which is cut; PROGRESS may be NULL. */
FX_PRINTF(2, 3)
void fx_progress_set_doing(struct fx_progress *progress, const char *format,
	...);
/* It does WORD, thing after thing, and is at NUMBER: cheap enough for each. */
void fx_progress_set_counted(struct fx_progress *progress, const char *word,
	size_t number);
/* Part NUMBER of PARTS (0: of how many nobody knows), each a WHAT, static, and
 * so many RUNS of a graph (0: nobody knows).  PROGRESS may be NULL.
 */
void fx_progress_set_part(struct fx_progress *progress, const char *what,
	size_t number, size_t parts, size_t runs);

/* A run of a graph begins, and has ended; BESIDE: two graphs by turns do.
 * PROGRESS may be NULL.
 */
void fx_progress_begin_run(struct fx_progress *progress);
void fx_progress_end_run(struct fx_progress *progress);
void fx_progress_set_beside(struct fx_progress *progress, bool is_beside);
/* It is before NODE, at NOW. */
void fx_progress_see(struct fx_progress *progress, const struct fx_node *node,
	long long now);

/* What NODE costs beside others, by its shapes alone: the numbers that it reads
 * and writes, and the products of a layer that has a weight.
 */
uint64_t fx_progress_cost(const struct fx_node *node);

/* Milliseconds that the work will go on for at NOW, or -1: nobody knows. */
long long fx_progress_left(const struct fx_progress *progress, long long now);

/* Print "@105 layer3_bn2, input 2 of 3, 12 s of about 40 s" after ELAPSED
 * milliseconds, at NOW.
 */
void fx_progress_print(const struct fx_progress *progress, long long elapsed,
	long long now, struct fx_buf *out);

#endif /* FX_RUN_PROGRESS_H */
