/* number.h - numbers to text and back, as Python does it. */
#ifndef FX_BASE_NUMBER_H
#define FX_BASE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fx_buf;

/* Append Python's repr(float): the shortest text that reads back equal:
 * 0.1, 1e-05, 1e+20, inf, nan, 1.0.  Independent of the locale.
 */
void fx_number_add_double(struct fx_buf *out, double number);

/* Append Python's repr(complex): (1+2j), 2j. */
void fx_number_add_complex(struct fx_buf *out, double real, double imag);

/* Read the whole of TEXT (LENGTH bytes) as Python's int literal (0x, 0o, 0b,
 * underscores) or float literal.  False if it is none, or out of range for an
 * int64_t.  Independent of the locale.  A minus sign may come first, so that
 * the least int64_t can be read; a float may be written without a point.
 */
bool fx_number_parse_int(const char *text, size_t length, int64_t *ret);
bool fx_number_parse_double(const char *text, size_t length, double *ret);

/* The value of C as a digit of BASE, which is at most 16, or -1. */
int fx_number_digit(char c, int base);

/* For qsort and bsearch over size_t. */
int fx_number_compare_sizes(const void *a, const void *b);

/* Append SIZE in bytes for people: 980 B, 1.5 KB, 44.7 MB. */
void fx_number_add_bytes(struct fx_buf *out, uint64_t size);

/* Append COUNT for people: 980, 1.5 k, 11.69 M. */
void fx_number_add_count(struct fx_buf *out, uint64_t count);

#endif /* FX_BASE_NUMBER_H */
