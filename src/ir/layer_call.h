/* layer_call.h - what the call of a layer gives the parameters of its forward,
 * by place or by name.
 */
#ifndef FX_IR_LAYER_CALL_H
#define FX_IR_LAYER_CALL_H

#include <stdint.h>

#include "ir/value.h"

struct fx_module;
struct fx_node;

/* The name of the parameter at INDEX, from 0 behind self, of MODULE's forward;
 * NULL past the end, and of a forward that ops/layers.py has not.
 */
const char *fx_layer_parameter(const struct fx_module *module, uint32_t index);

/* What NODE, a call of MODULE, gives the parameter at INDEX, by place or by
 * name; NULL if it gives nothing.
 */
const struct fx_value *fx_layer_given(const struct fx_module *module,
	const struct fx_node *node, uint32_t index);

/* What it gives by place to the parameter called NAME; NULL likewise. */
const struct fx_value *fx_layer_named(const struct fx_module *module,
	const struct fx_node *node, const char *name);

#endif /* FX_IR_LAYER_CALL_H */
