/* control.h - the metadata of what cond and while_loop give. */
#ifndef FX_META_CONTROL_H
#define FX_META_CONTROL_H

#include "ir/value.h"

struct fx_arena;

/* What A and B both say, in ARENA: where they differ, UNKNOWN with the reason.
 */
struct fx_value fx_meta_agree(struct fx_arena *arena, const struct fx_value *a,
	const struct fx_value *b);

#endif /* FX_META_CONTROL_H */
