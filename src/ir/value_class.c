/* value_class.c - the classes of tuples and dicts, by number. */
#include <config.h>

#include "ir/value_class.h"

#include "base/compiler.h"
#include "base/intern.h"
#include "base/map.h"
#include "base/str.h"
#include "base/vec.h"
#include "ir/value.h"

/* Of the process, as interned names are. */
static struct {
	FX_VEC(const char *) names; /* of the numbers from 1 on */
	struct fx_map numbers;      /* by name */
} classes;

uint16_t
fx_value_class(const char *name)
{
	const char *interned = fx_intern(name);
	uintptr_t number = fx_map_get(&classes.numbers, (uintptr_t)interned, 0);

	if (number || classes.names.count == UINT16_MAX)
		return (uint16_t)number;
	fx_vec_push(&classes.names, interned);
	number = classes.names.count;
	fx_map_set(&classes.numbers, (uintptr_t)interned, number);
	return (uint16_t)number;
}

const char *
fx_value_class_name(const struct fx_value *value)
{
	return value->class_number
		       ? classes.names.items[value->class_number - 1]
		       : NULL;
}

bool
fx_value_is_users(const struct fx_value *value)
{
	const char *name = fx_value_class_name(value);

	return name && !fx_str_starts(name, FX_CLASS_OF_TORCH);
}
