/* value_class.h - classes of Python that tuples and dicts in data are of.
 *
 * A named tuple is a tuple here, an object with fields a dict; of which class
 * each is goes along as a number, so that Python gets back what it gave.
 */
#ifndef FX_IR_VALUE_CLASS_H
#define FX_IR_VALUE_CLASS_H

#include <stdbool.h>
#include <stdint.h>

struct fx_value;

/* The number of the class with the qualified NAME, from 1 on; 0 where there
 * are more classes than numbers.
 */
uint16_t fx_value_class(const char *name);
/* The name of the class of VALUE, interned; NULL: it is what its kind says. */
const char *fx_value_class_name(const struct fx_value *value);
/* Whether VALUE is of a class that torch does not give itself. */
bool fx_value_is_users(const struct fx_value *value);

/* How torch calls the classes of what its functions give, before their name. */
#define FX_CLASS_OF_TORCH "torch.return_types."

#endif /* FX_IR_VALUE_CLASS_H */
