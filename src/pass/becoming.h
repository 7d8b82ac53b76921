/* becoming.h - a graph becomes another one, change by change, as a pass.
 *
 * The changes that do not need each other (ir/become.h) are its candidates:
 * they can be stepped, chosen by their keys, shown beforehand and blamed like
 * any other.  The key is the name of the first node that one is about.
 */
#ifndef FX_PASS_BECOMING_H
#define FX_PASS_BECOMING_H

#include "pass/engine.h"

struct fx_graph;
struct fx_map;

/* What such a pass is told: the data of its step. */
struct fx_becoming_what {
	struct fx_graph *other;
	const struct fx_map *renamed; /* as in ir/become.h */
};

/* A pass called NAME, which is borrowed, for a graph that somebody else made of
 * the one at hand.
 */
struct fx_pass fx_pass_becoming(const char *name);

#endif /* FX_PASS_BECOMING_H */
