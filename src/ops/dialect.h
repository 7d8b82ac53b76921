/* dialect.h - which torch version's spelling is wanted, and what it is. */
#ifndef FX_OPS_DIALECT_H
#define FX_OPS_DIALECT_H

#include <stdbool.h>

enum fx_dialect {
#define FX_DIALECT(id, since, older, newer) FX_DIALECT_##id,
#include "ops/dialect.def"
	FX_DIALECT_COUNT
};

/* The version that stands for "2.x": newer than any that is known. */
#define FX_DIALECT_NEWEST 2999u

/* Read "1.13", "2.x", "2.13.0+cpu" as major * 1000 + minor.  False when TEXT
 * is no version; null and "auto" are none.
 */
bool fx_dialect_parse(const char *text, unsigned *version_ret);

/* The version to print for a graph captured from OWN (null when unknown) when
 * the user asks for WANTED (null, "auto", or a version).
 */
unsigned fx_dialect_choose(const char *wanted, const char *own);

/* Whether VERSION has the newer form of ROW, and the text of that form. */
bool fx_dialect_is_newer(unsigned version, enum fx_dialect row);
const char *fx_dialect_text(unsigned version, enum fx_dialect row);

#endif /* FX_OPS_DIALECT_H */
