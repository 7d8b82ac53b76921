/* source.h - a model's own source, which is traced and not loaded.
 *
 * Printed graphs and models are both Python.  A text is source when it imports
 * something, does not say `from torch.nn import *` (which torch writes at the
 * head of the modules it prints, and people hardly do), and has a class with
 * an `__init__`, or more than one class, or a function that is not `forward`,
 * all without indentation.  No printed graph is like that, and no model that
 * needs its layers is otherwise.
 */
#ifndef FX_LOAD_SOURCE_H
#define FX_LOAD_SOURCE_H

#include <stddef.h>

#include "base/error.h"

struct fx_load_input;

/* Return NULL, or an error if TEXT, tidied, is Python source: the error says
 * what TEXT defines and how to trace it.  INPUT names the file.
 */
FX_NODISCARD struct fx_error *fx_source_check(const struct fx_load_input *input,
	const char *text);

/* ERR about INPUT's TEXT, which may be source all the same: with a hint when
 * it imports something and there is no better one.
 */
FX_NODISCARD struct fx_error *fx_source_suspect(struct fx_error *err,
	const struct fx_load_input *input, const char *text);

/* Pasted text made plain. */

/* The text of INPUT without colour sequences and carriage returns, with blanks
 * for a mark that every line begins with ("> ", "| ").  The caller frees it.
 * Lines keep their numbers.
 */
char *fx_strip_log(const struct fx_load_input *input, size_t *length_ret);

#endif /* FX_LOAD_SOURCE_H */
