/* input_file.h - inputs that stand in files. */
#ifndef FX_SESSION_INPUT_FILE_H
#define FX_SESSION_INPUT_FILE_H

#include <stdbool.h>

#include "base/error.h"

struct fx_datum;
struct fx_model;
struct fx_node;

/* The call that reads the file TEXT for PLACEHOLDER of MODEL, where TEXT is
 * nothing but the name of one: img.npz is file("img.npz", "x"), cat.png is
 * image("cat.png", size=224) for an input of that size.  The caller's; NULL for
 * any other text.
 */
char *fx_input_file_call(struct fx_model *model, const char *text,
	const struct fx_node *placeholder);

/* ERR with the call as a hint, where TEXT has the name of a file in it. */
struct fx_error *fx_input_hint_file(struct fx_error *err, const char *text);
/* TYPE when DATUM is a string, TEXT, that names a file: what that holds was
 * meant.
 */
FX_NODISCARD struct fx_error *fx_input_check_string(const char *text,
	const struct fx_datum *datum);

/* Give MODEL's inputs what the file at PATH has under their names, and tell SEE
 * of each.  NO_NAME when that is nothing; USAGE when it is no file of several
 * tensors.
 */
typedef void fx_input_see_fn(void *context, const struct fx_node *placeholder,
	bool is_given);
FX_NODISCARD struct fx_error *fx_model_set_inputs(struct fx_model *model,
	const char *path, fx_input_see_fn *see, void *context);

#endif /* FX_SESSION_INPUT_FILE_H */
