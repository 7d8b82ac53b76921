/* str_python.c - what Python says about names, and how it quotes. */
#include <config.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/str.h"
#include "base/utf8.h"

/* Sorted, as Python 3.11's keyword.kwlist. */
static const char *const keywords[] = { "False", "None", "True", "and", "as",
	"assert", "async", "await", "break", "class", "continue", "def", "del",
	"elif", "else", "except", "finally", "for", "from", "global", "if",
	"import", "in", "is", "lambda", "nonlocal", "not", "or", "pass",
	"raise", "return", "try", "while", "with", "yield" };

/* Sorted, as dir(builtins) of Python 3.11 without the site module. */
static const char *const builtin_names[] = { "ArithmeticError",
	"AssertionError", "AttributeError", "BaseException",
	"BaseExceptionGroup", "BlockingIOError", "BrokenPipeError",
	"BufferError", "BytesWarning", "ChildProcessError",
	"ConnectionAbortedError", "ConnectionError", "ConnectionRefusedError",
	"ConnectionResetError", "DeprecationWarning", "EOFError", "Ellipsis",
	"EncodingWarning", "EnvironmentError", "Exception", "ExceptionGroup",
	"False", "FileExistsError", "FileNotFoundError", "FloatingPointError",
	"FutureWarning", "GeneratorExit", "IOError", "ImportError",
	"ImportWarning", "IndentationError", "IndexError", "InterruptedError",
	"IsADirectoryError", "KeyError", "KeyboardInterrupt", "LookupError",
	"MemoryError", "ModuleNotFoundError", "NameError", "None",
	"NotADirectoryError", "NotImplemented", "NotImplementedError",
	"OSError", "OverflowError", "PendingDeprecationWarning",
	"PermissionError", "ProcessLookupError", "RecursionError",
	"ReferenceError", "ResourceWarning", "RuntimeError", "RuntimeWarning",
	"StopAsyncIteration", "StopIteration", "SyntaxError", "SyntaxWarning",
	"SystemError", "SystemExit", "TabError", "TimeoutError", "True",
	"TypeError", "UnboundLocalError", "UnicodeDecodeError",
	"UnicodeEncodeError", "UnicodeError", "UnicodeTranslateError",
	"UnicodeWarning", "UserWarning", "ValueError", "Warning",
	"ZeroDivisionError", "__build_class__", "__debug__", "__doc__",
	"__import__", "__loader__", "__name__", "__package__", "__spec__",
	"abs", "aiter", "all", "anext", "any", "ascii", "bin", "bool",
	"breakpoint", "bytearray", "bytes", "callable", "chr", "classmethod",
	"compile", "complex", "delattr", "dict", "dir", "divmod", "enumerate",
	"eval", "exec", "filter", "float", "format", "frozenset", "getattr",
	"globals", "hasattr", "hash", "hex", "id", "input", "int", "isinstance",
	"issubclass", "iter", "len", "list", "locals", "map", "max",
	"memoryview", "min", "next", "object", "oct", "open", "ord", "pow",
	"print", "property", "range", "repr", "reversed", "round", "set",
	"setattr", "slice", "sorted", "staticmethod", "str", "sum", "super",
	"tuple", "type", "vars", "zip" };

static int
compare_names(const void *wanted, const void *row)
{
	return strcmp(wanted, *(const char *const *)row);
}

static bool
is_listed(const char *const *names, size_t count, const char *text)
{
	return bsearch(text, names, count, sizeof(*names), compare_names);
}

bool
fx_str_is_identifier(const char *text)
{
	const char *p;

	for (p = text; *p; p++) {
		bool is_letter = (*p >= 'a' && *p <= 'z') ||
				 (*p >= 'A' && *p <= 'Z') || *p == '_';
		bool is_digit = *p >= '0' && *p <= '9';

		if (!is_letter && !(is_digit && p > text))
			return false;
	}
	return p > text;
}

bool
fx_str_is_keyword(const char *text)
{
	return is_listed(keywords, FX_ARRAY_LEN(keywords), text);
}

bool
fx_str_is_builtin(const char *text)
{
	return is_listed(builtin_names, FX_ARRAY_LEN(builtin_names), text);
}

/* Single quotes, unless that means escaping and double ones do not. */
static char
choose_quote(const char *text, size_t length)
{
	return memchr(text, '\'', length) && !memchr(text, '"', length) ? '"'
									: '\'';
}

/* The letter that follows the backslash for CODE, or 0. */
static char
escape_letter(uint32_t code, char quote)
{
	switch (code) {
	case '\n':
		return 'n';
	case '\r':
		return 'r';
	case '\t':
		return 't';
	case '\\':
		return '\\';
	}
	return code == (uint32_t)quote ? quote : 0;
}

static void
add_escaped(struct fx_buf *out, uint32_t code)
{
	if (code < 0x100)
		fx_buf_addf(out, "\\x%02x", (unsigned)code);
	else if (code < 0x10000)
		fx_buf_addf(out, "\\u%04x", (unsigned)code);
	else
		fx_buf_addf(out, "\\U%08x", (unsigned)code);
}

/* Bytes that are no UTF-8 become what Python's surrogateescape makes them. */
void
fx_str_python_repr(struct fx_buf *out, const char *text, size_t length)
{
	char quote = length ? choose_quote(text, length) : '\'';
	uint32_t code;
	size_t size;

	fx_buf_add_char(out, quote);
	for (size_t at = 0; at < length; at += size) {
		size = fx_utf8_decode(text + at, length - at, &code);
		if (code == 0xfffd && size == 1)
			code = 0xdc00 + (unsigned char)text[at];
		if (escape_letter(code, quote)) {
			fx_buf_add_char(out, '\\');
			fx_buf_add_char(out, escape_letter(code, quote));
		} else if (fx_utf8_is_printable(code)) {
			fx_buf_add_n(out, text + at, size);
		} else {
			add_escaped(out, code);
		}
	}
	fx_buf_add_char(out, quote);
}

void
fx_str_python_bytes(struct fx_buf *out, const char *bytes, size_t length)
{
	char quote = length ? choose_quote(bytes, length) : '\'';

	fx_buf_add_char(out, 'b');
	fx_buf_add_char(out, quote);
	for (size_t at = 0; at < length; at++) {
		unsigned char c = (unsigned char)bytes[at];

		if (escape_letter(c, quote)) {
			fx_buf_add_char(out, '\\');
			fx_buf_add_char(out, escape_letter(c, quote));
		} else if (c >= 0x20 && c < 0x7f) {
			fx_buf_add_char(out, bytes[at]);
		} else {
			add_escaped(out, c);
		}
	}
	fx_buf_add_char(out, quote);
}
