/* python_wire.h - data on their way to a Python process and back, as JSON
 * (capture/fxdb/_run.py is the other end).
 *
 *	None, booleans, integers and text are as JSON has them;
 *	{"f": "1.5"}, {"b": "00ff"}, {"dtype": "float32"}, {"device": "cpu"};
 *	{"tuple": [...]}, and so "list", "size" and "slice";
 *	{"dict": [key, value, ...]}; {"py": text};
 *	{"object": text} for a function or what only Python understands;
 *	{"h": 17, ...}: number 17 of the process;
 *	{"n": "relu"}: the node of that name, in arguments (_pass.py).
 */
#ifndef FX_GUEST_PYTHON_WIRE_H
#define FX_GUEST_PYTHON_WIRE_H

#include <jansson.h>

#include "base/error.h"

struct fx_datum;
struct fx_value;

/* The number of a datum that the process has, or 0 when it has not. */
typedef json_int_t fx_wire_number_fn(const struct fx_datum *datum);
/* A datum for what stays in the process, from its JSON object. */
typedef struct fx_datum *fx_wire_held_fn(void *context, json_t *object);

/* DATUM for the process.  TYPE for what has no meaning there. */
FX_NODISCARD struct fx_error *fx_wire_put(const struct fx_datum *datum,
	fx_wire_number_fn *number, json_t **ret);

/* The same for VALUE, which stands in a graph. */
FX_NODISCARD struct fx_error *fx_wire_put_value(const struct fx_value *value,
	json_t **ret);

/* Convert JSON, the answer of the process, to the new datum *RET.  Fails with
 * FORMAT if JSON is nothing that _run.py sends.
 */
FX_NODISCARD struct fx_error *fx_wire_get(json_t *json, fx_wire_held_fn *held,
	void *context, struct fx_datum **ret);

#endif /* FX_GUEST_PYTHON_WIRE_H */
