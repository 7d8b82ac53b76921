/* role.h - meanings a piece of text can have, as an enum. */
#ifndef FX_BASE_ROLE_H
#define FX_BASE_ROLE_H

enum fx_role {
#define FX_ROLE(id, letter) FX_ROLE_##id,
#include "base/role.def"
	FX_ROLE_COUNT,
	/* From here on: two shades, one above the other. */
	FX_ROLE_HEAT = 64,
};

/* Shades of a picture, from dark to light, and two more. */
enum fx_heat {
	FX_HEAT_LEVELS = 10,
	FX_HEAT_SPECIAL = FX_HEAT_LEVELS, /* NaN or infinities */
	FX_HEAT_NONE,                     /* beyond its edge */
	FX_HEAT_COUNT
};

/* The role of a lower half block whose upper half shows TOP. */
static inline enum fx_role
fx_heat_role(enum fx_heat top, enum fx_heat bottom)
{
	return (enum fx_role)(FX_ROLE_HEAT + (int)top * FX_HEAT_COUNT +
			      (int)bottom);
}

#endif /* FX_BASE_ROLE_H */
