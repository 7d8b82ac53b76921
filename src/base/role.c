/* role.c - roles by word. */
#include <config.h>

#include "base/role.h"

#include <stddef.h>
#include <string.h>

#include "base/compiler.h"

static const char *const words[] = {
#define FX_ROLE(id, word) word,
#include "base/role.def"
};

_Static_assert(FX_ARRAY_LEN(words) == FX_ROLE_COUNT, "a role has no row");

const char *
fx_role_word(enum fx_role role)
{
	return words[role];
}

enum fx_role
fx_role_find(const char *word)
{
	for (size_t i = 0; i < FX_ARRAY_LEN(words); i++)
		if (strcmp(words[i], word) == 0)
			return (enum fx_role)i;
	return FX_ROLE_COUNT;
}
