/* beside.h - two graphs as rows beside each other, for a front end that shows
 * them so.
 */
#ifndef FX_COMMANDS_SHELL_BESIDE_H
#define FX_COMMANDS_SHELL_BESIDE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/cleanup.h"
#include "base/role.h"
#include "base/vec.h"

/* A node of either graph, or a pair of them; or, above those of a nested graph,
 * where that is, "/yes".
 */
struct beside_row {
	const char *sign; /* "+", "-", "~", ... as diff has it; " ": the same */
	enum fx_role role;
	char *texts[2]; /* "add = operator.add(%x, 1)"; NULL: not there */
	/* Of each side: the node, NULL for none, and where the graph that it is
	 * of is nested, "" for the outermost.  Interned.
	 */
	const char *names[2];
	const char *paths[2];
	/* How far apart the values are, relative to the largest; NaN: nobody
	 * has compared them.
	 */
	double gap;
};

struct beside {
	char *titles[2];
	FX_VEC(struct beside_row) rows;
	bool has_gaps;
	bool is_candidate; /* of a pass; ends with it */
};

/* null is allowed */
void beside_free(struct beside *beside);

#endif /* FX_COMMANDS_SHELL_BESIDE_H */
