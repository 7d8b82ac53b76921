/* clock.h - how long something took. */
#ifndef FX_TESTS_SUPPORT_CLOCK_H
#define FX_TESTS_SUPPORT_CLOCK_H

#include <stddef.h>
#include <stdlib.h>
#include <time.h>

/* Seconds on CLOCK, such as CLOCK_MONOTONIC. */
static inline double
fxt_seconds(clockid_t clock)
{
	struct timespec at;

	clock_gettime(clock, &at);
	return (double)at.tv_sec + (double)at.tv_nsec / 1e9;
}

static inline int
fxt_by_size(const void *a, const void *b)
{
	double first = *(const double *)a;
	double second = *(const double *)b;

	return (first > second) - (first < second);
}

/* The one in the middle of COUNT numbers, which are sorted on the way. */
static inline double
fxt_median(double *numbers, size_t count)
{
	qsort(numbers, count, sizeof(*numbers), fxt_by_size);
	return numbers[count / 2];
}

#endif /* FX_TESTS_SUPPORT_CLOCK_H */
