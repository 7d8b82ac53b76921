/* python.h - which Python traces: the user's own.
 *
 * Candidates in order: the one asked for, alone; else $VIRTUAL_ENV, python3 on
 * PATH, /usr/bin/python3.  The first that has torch is taken.
 */
#ifndef FX_GUEST_PYTHON_H
#define FX_GUEST_PYTHON_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct fx_python {
	char *path;
	const char *from; /* static text: "--python", "$VIRTUAL_ENV" ... */
	bool runs;        /* it started and answered (fx_pythons_ask) */
	char *version;    /* "3.11.2", or NULL */
	char *torch;      /* torch's version, or NULL: it has none */
};

/* The candidates, not asked anything yet.  WANTED may be null; when given it
 * is the only one.  The caller frees with fx_pythons_free.
 */
void fx_pythons_find(const char *wanted, struct fx_python **ret,
	size_t *count_ret);
void fx_pythons_free(struct fx_python *pythons, size_t count);

/* Start each of them and ask for its version and torch's (about 30 ms each,
 * torch is not imported).
 */
void fx_pythons_ask(struct fx_python *pythons, size_t count);

/* Folder that holds the package `fxdb` with the extension: beside the program
 * when it runs from its build folder, else installed.  The caller frees; NULL
 * when this build has none.
 */
char *fx_python_package(void);

#endif /* FX_GUEST_PYTHON_H */
