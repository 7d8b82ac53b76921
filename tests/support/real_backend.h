/* real_backend.h - a backend with real values, in memory, for tests.
 *
 * Doubles with strides over counted storages, a few operations (add, mul, sub,
 * relu, neg, views, writes in place, dropout with a generator).  It counts
 * what it executes.
 */
#ifndef FX_TESTS_SUPPORT_REAL_BACKEND_H
#define FX_TESTS_SUPPORT_REAL_BACKEND_H

#include <stddef.h>

struct fx_backend;
struct fx_datum;

struct fx_backend *fxt_real_backend_new(void);

/* Calls so far. */
size_t fxt_real_calls(const struct fx_backend *backend);

/* The elements of DATUM, a tensor of any backend or a tuple of them, exactly,
 * as text; "-" for anything else.  Valid until the process ends.
 */
const char *fxt_real_text(const struct fx_datum *datum);

#endif /* FX_TESTS_SUPPORT_REAL_BACKEND_H */
