/* golden.h - files that hold what must come out. */
#ifndef FX_TESTS_SUPPORT_GOLDEN_H
#define FX_TESTS_SUPPORT_GOLDEN_H

#include <stdbool.h>

/* Whether ACTUAL is EXPECTED, the text of the file PATH; with FXDB_UPDATE in
 * the environment the file becomes ACTUAL instead, else what
 * differs is printed.
 */
bool fxt_is_golden(const char *path, const char *expected, const char *actual);

/* Whether files become what comes out. */
bool fxt_golden_is_updated(void);

#endif /* FX_TESTS_SUPPORT_GOLDEN_H */
