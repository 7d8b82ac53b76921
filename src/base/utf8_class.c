/* utf8_class.c - what a character is, by utf8proc.
 *
 * Alone in its file: the capture extension, which links no library beside
 * Python, brings these two functions itself (capture/ext_unicode.c), so that
 * the linker leaves this file out there.
 */
#include <config.h>

#include "base/utf8.h"

#include <utf8proc.h>

int
fx_utf8_width(uint32_t code)
{
	if (code < 0x20 || (code >= 0x7f && code < 0xa0))
		return 0;
	if (code < 0x300)
		return 1;
	/* Terminals join vowels and finals of Hangul to what stands before
	 * them, and give marks with a width of their own a column.
	 */
	if (code >= 0x1160 && code <= 0x11ff)
		return 0;
	if (utf8proc_category((utf8proc_int32_t)code) == UTF8PROC_CATEGORY_MC)
		return 1;
	return utf8proc_charwidth((utf8proc_int32_t)code);
}

bool
fx_utf8_is_printable(uint32_t code)
{
	if (code < 0x7f)
		return code >= 0x20;
	switch (utf8proc_category((utf8proc_int32_t)code)) {
	case UTF8PROC_CATEGORY_CN:
	case UTF8PROC_CATEGORY_CC:
	case UTF8PROC_CATEGORY_CF:
	case UTF8PROC_CATEGORY_CS:
	case UTF8PROC_CATEGORY_CO:
	case UTF8PROC_CATEGORY_ZL:
	case UTF8PROC_CATEGORY_ZP:
	case UTF8PROC_CATEGORY_ZS:
		return false;
	default:
		return true;
	}
}
