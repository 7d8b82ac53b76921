/* own_code.h - which modules that a model calls only Python can run. */
#ifndef FX_SESSION_OWN_CODE_H
#define FX_SESSION_OWN_CODE_H

struct fx_backend;
struct fx_buf;
struct fx_model;

/* Append the modules that MODEL calls and that have code of their own
 * (ir/module.h).
 */
void fx_model_add_own_code(struct fx_buf *out, const struct fx_model *model);

/* Why Python is to run MODEL whole, the caller's, or NULL.  PYTHON, the backend
 * of the process that traced MODEL, is asked; it may be NULL.
 */
char *fx_model_why_python(const struct fx_model *model,
	struct fx_backend *python);

#endif /* FX_SESSION_OWN_CODE_H */
