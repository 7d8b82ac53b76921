/* role.h - meanings a piece of text can have, as an enum. */
#ifndef FX_BASE_ROLE_H
#define FX_BASE_ROLE_H

enum fx_role {
#define FX_ROLE(id, word) FX_ROLE_##id,
#include "base/role.def"
	FX_ROLE_COUNT
};

/* The word of ROLE, and the role of a word (FX_ROLE_COUNT when unknown). */
const char *fx_role_word(enum fx_role role);
enum fx_role fx_role_find(const char *word);

#endif /* FX_BASE_ROLE_H */
