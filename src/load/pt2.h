/* pt2.h - archives of torch.export.save: graph, names, lines and weights.
 *
 * The graph is what torch.export.load(path).module() has, but for the check of
 * inputs (_guards_fn): parameters and buffers are get_attr nodes, what the
 * program writes back is a copy_.  Inputs and results stay flat.
 *
 * Written for schema 8.20 of torch 2.13; other minor versions are read as far
 * as they say the same.  A pickle in the archive is named, never read.
 */
#ifndef FX_LOAD_PT2_H
#define FX_LOAD_PT2_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct fx_loaded;

/* Whether the file at PATH begins as an archive does. */
bool fx_may_be_pt2(const char *path);

/* Load the archive at PATH.  SERIAL: of the new graph's node ids.  FORMAT: it
 * is damaged, or another kind of archive; VERSION: another major version of
 * the schema; LIMIT, IO.  RET is untouched then.
 */
FX_NODISCARD struct fx_error *fx_load_pt2(const char *path, uint32_t serial,
	struct fx_loaded *ret);

#endif /* FX_LOAD_PT2_H */
