/* dialect.c - which torch version's spelling is wanted, and what it is. */
#include <config.h>

#include "ops/dialect.h"

#include <stddef.h>
#include <string.h>

static const struct {
	unsigned since;
	const char *older;
	const char *newer;
} rows[] = {
#define FX_DIALECT(id, since, older, newer) { since, older, newer },
#include "ops/dialect.def"
};
_Static_assert(sizeof(rows) / sizeof(rows[0]) == FX_DIALECT_COUNT,
	"a dialect has no row");

/* Digits at *TEXT, at most three of them. */
static bool
take_number(const char **text, unsigned *ret)
{
	size_t length = strspn(*text, "0123456789");

	if (length == 0 || length > 3)
		return false;
	*ret = 0;
	for (size_t i = 0; i < length; i++)
		*ret = *ret * 10 + (unsigned)((*text)[i] - '0');
	*text += length;
	return true;
}

bool
fx_dialect_parse(const char *text, unsigned *version_ret)
{
	unsigned major;
	unsigned minor;

	if (!text)
		return false;
	if (strcmp(text, "2.x") == 0) {
		*version_ret = FX_DIALECT_NEWEST;
		return true;
	}
	if (!take_number(&text, &major) || *text != '.')
		return false;
	text++;
	if (!take_number(&text, &minor) || !strchr(".+", *text))
		return false;
	*version_ret = major * 1000 + minor;
	return true;
}

unsigned
fx_dialect_choose(const char *wanted, const char *own)
{
	unsigned version;

	if (fx_dialect_parse(wanted, &version))
		return version;
	if (fx_dialect_parse(own, &version))
		return version;
	return FX_DIALECT_NEWEST;
}

bool
fx_dialect_is_newer(unsigned version, enum fx_dialect row)
{
	return version >= rows[row].since;
}

const char *
fx_dialect_text(unsigned version, enum fx_dialect row)
{
	return fx_dialect_is_newer(version, row) ? rows[row].newer
						 : rows[row].older;
}
