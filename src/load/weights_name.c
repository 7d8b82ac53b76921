/* weights_name.c - what the weights file of an .fxg file is called. */
#include <config.h>

#include "load/weights_file.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/str.h"

/* Of the digest, in the name. */
#define DIGITS 12

static const char suffix[] = ".safetensors";

/* "mlp-" for mlp.fxg; the caller's. */
static char *
beginning(const char *path)
{
	FX_AUTO_FREE char *base = fx_file_basename(path);
	size_t stem = strlen(base);

	if (fx_str_ends(base, ".fxg"))
		stem -= strlen(".fxg");
	return fx_xasprintf("%.*s-", (int)stem, base);
}

char *
fx_weights_file_name(const char *path, const struct fx_hash *digest)
{
	FX_AUTO_FREE char *begin = beginning(path);
	char text[33];

	fx_hash_text(*digest, text);
	return fx_xasprintf("%s%.*s%s", begin, DIGITS, text, suffix);
}

bool
fx_weights_file_is_for(const char *name, const char *path)
{
	FX_AUTO_FREE char *begin = beginning(path);

	if (!fx_str_starts(name, begin))
		return false;
	name += strlen(begin);
	return strspn(name, "0123456789abcdef") == DIGITS &&
	       strcmp(name + DIGITS, suffix) == 0;
}
