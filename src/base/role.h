/* role.h - meanings a piece of text can have, as an enum. */
#ifndef FX_BASE_ROLE_H
#define FX_BASE_ROLE_H

enum fx_role {
#define FX_ROLE(id, letter) FX_ROLE_##id,
#include "base/role.def"
	FX_ROLE_COUNT
};

#endif /* FX_BASE_ROLE_H */
