/* python_repr.h - repr(module), as to_folder leaves it in a comment, back to a
 * module tree.
 */
#ifndef FX_LOAD_PYTHON_REPR_H
#define FX_LOAD_PYTHON_REPR_H

struct fx_ast;
struct fx_module;
struct fx_py;

/* The module that TEXT describes ("Sequential( (0): ReLU() )"), or NULL when
 * it is none.
 */
struct fx_module *fx_py_repr(struct fx_py *py, const char *text);

/* python_module.c: the module that CALL, Linear(3, 4), constructs.  A class
 * that is not known gives a module without configuration, and a notice.
 */
struct fx_module *fx_py_construct(struct fx_py *py, const struct fx_ast *call);

#endif /* FX_LOAD_PYTHON_REPR_H */
