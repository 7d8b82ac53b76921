/* ext_unicode.c - what a character is, by Python.
 *
 * In place of base/utf8_class.c: the extension links no library for it.  A
 * trace runs with the lock of the interpreter held.
 */
#include <config.h>

#include "capture/capture.h"

#include <string.h>

#include "base/utf8.h"

/* Whether function NAME of unicodedata returns one of the words in CHOICES for
 * CODE.  A pending exception is kept.
 */
static bool
is_one_of(const char *name, uint32_t code, const char *choices)
{
	PyObject *type, *value, *trace, *module, *answer = NULL;
	const char *word = NULL;
	bool found;

	PyErr_Fetch(&type, &value, &trace);
	module = PyImport_ImportModule("unicodedata");
	if (module)
		answer = PyObject_CallMethod(module, name, "N",
			PyUnicode_FromFormat("%c", (int)code));
	if (answer)
		word = PyUnicode_AsUTF8AndSize(answer, NULL);
	found = word && strstr(choices, word);
	Py_XDECREF(answer);
	Py_XDECREF(module);
	PyErr_Restore(type, value, trace);
	return found;
}

int
fx_utf8_width(uint32_t code)
{
	if (code < 0x20 || (code >= 0x7f && code < 0xa0))
		return 0;
	if (code < 0x300)
		return 1;
	if ((code >= 0x1160 && code <= 0x11ff) ||
		is_one_of("category", code, "Mn Me Cf"))
		return 0;
	return is_one_of("east_asian_width", code, "W F") ? 2 : 1;
}

bool
fx_utf8_is_printable(uint32_t code)
{
	if (code < 0x7f)
		return code >= 0x20;
	return !is_one_of("category", code, "Cn Cc Cf Cs Co Zl Zp Zs");
}
