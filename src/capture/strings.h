/* strings.h - names that the extension asks Python objects for, made once. */
#ifndef FXPY_STRINGS_H
#define FXPY_STRINGS_H

/* Interned attribute names, as C strings to objects. */
/* clang-format off */
#define FXPY_NAMES(X) \
	X(__dict__) X(_parameters) X(_buffers) X(_modules) X(__module__) \
	X(__qualname__) X(__name__) X(f_back) X(f_lasti) X(f_code) \
	X(co_code) X(co_filename) X(co_name) X(forward) X(__globals__) \
	X(training) X(is_leaf_module) X(path_of_module) X(create_arg) \
	X(call_module) X(create_proxy) X(to_bool) X(iter) X(keys) \
	X(_fields) X(__fx_create_arg__) X(start) X(stop) X(step) X(owner) \
	X(name) X(shape) X(dtype) X(requires_grad) X(_is_fx_tracing_flag) \
	X(co_flags) X(_forward_hooks) X(_forward_pre_hooks) \
	X(__dataclass_fields__) \
	X(create_node) X(proxy) X(getattr) X(trace_asserts) \
	X(check_mutable_operations) X(param_shapes_constant) \
	X(proxy_buffer_attributes)
/* clang-format on */

struct fxpy_strings {
#define FXPY_DECLARE(name) struct _object *name;
	FXPY_NAMES(FXPY_DECLARE)
#undef FXPY_DECLARE
};

extern struct fxpy_strings fxpy_str;

#endif /* FXPY_STRINGS_H */
