/* float_pairs.c - eight pairs of floats at a time.
 *
 * Vectors of the compiler, which become what the processor has: the same source
 * is compiled for several kinds of processor, and the widest that this one has
 * is taken.  Their sums may differ in the last digits.
 */
#include <config.h>

#include "run/float_pairs.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/compiler.h"

#define LANES 8

typedef float floats __attribute__((vector_size(LANES * sizeof(float))));
typedef double doubles __attribute__((vector_size(LANES * sizeof(double))));
typedef int64_t words __attribute__((vector_size(LANES * sizeof(int64_t))));

#define MAGNITUDE INT64_MAX
#define EXPONENT  (INT64_C(0x7ff) << 52)
/* The exponents of a number and of its reciprocal add up to this. */
#define BOTH (INT64_C(2046) << 52)

/* One kind of float: bytes of an element, steps in a number's power of two, and
 * the exponent, as a double has it, below which steps are as at it.
 */
struct form {
	size_t size;
	double steps;
	int64_t least;
};

static const struct form narrow = { sizeof(float), 0x1p23, INT64_C(897) << 52 };
static const struct form wide = { sizeof(double), 0x1p52, INT64_C(1) << 52 };

struct sums {
	words differing;
	doubles largest;
	doubles max_abs;
	doubles max_ulp; /* of what is no steps yet, but powers of two */
	doubles dot;
	doubles squares[2];
	doubles noise;
};

#define INLINE static inline __attribute__((always_inline))

/* Through pointers: how vectors are passed depends on the processor. */

INLINE void
load(const struct form *form, const char *at, doubles *ret)
{
	floats few;

	if (form->size == sizeof(double)) {
		memcpy(ret, at, sizeof(*ret));
		return;
	}
	memcpy(&few, at, sizeof(few));
	*ret = __builtin_convertvector(few, doubles);
}

/* The larger ones into *A. */
INLINE void
raise_to(doubles *a, const doubles *b)
{
	words is_more = *b > *a;

	*a = (doubles)(((words)*b & is_more) | ((words)*a & ~is_more));
}

/* 1 / 2^e of numbers of NEAR, at least 2^e of FORM's least. */
INLINE void
unit_of(const struct form *form, const doubles *near, doubles *ret)
{
	words exponents = (words)*near & EXPONENT;
	words is_less = exponents < form->least;

	exponents = (exponents & ~is_less) | (form->least & is_less);
	*ret = (doubles)(BOTH - exponents);
}

INLINE void
add(const struct form *form, const char *a, const char *b, struct sums *sums)
{
	doubles x;
	doubles y;
	doubles by;
	doubles near;
	doubles other;
	doubles unit;

	load(form, a, &x);
	load(form, b, &y);
	by = x - y;
	sums->differing -= x != y;
	sums->dot += x * y;
	sums->squares[0] += x * x;
	sums->squares[1] += y * y;
	sums->noise += by * by;
	near = (doubles)((words)x & MAGNITUDE);
	other = (doubles)((words)y & MAGNITUDE);
	by = (doubles)((words)by & MAGNITUDE);
	raise_to(&sums->largest, &near);
	raise_to(&sums->max_abs, &by);
	raise_to(&near, &other);
	unit_of(form, &near, &unit);
	by *= unit;
	raise_to(&sums->max_ulp, &by);
}

/* What is left of a row of eights, zeros behind it. */
INLINE void
add_rest(const struct form *form, const char *a, const char *b, size_t count,
	struct sums *sums)
{
	char rest[2][LANES * sizeof(double)] = { { 0 } };

	if (!count)
		return;
	memcpy(rest[0], a, count * form->size);
	memcpy(rest[1], b, count * form->size);
	add(form, rest[0], rest[1], sums);
}

INLINE void
measure(const struct form *form, const char *a, const char *b, size_t count,
	struct sums *sums)
{
	struct sums own = { .dot = { 0 } };
	size_t step = LANES * form->size;

	for (; count >= LANES; count -= LANES, a += step, b += step)
		add(form, a, b, &own);
	add_rest(form, a, b, count, &own);
	*sums = own;
}

typedef void measure_fn(bool is_wide, const char *a, const char *b,
	size_t count, struct sums *sums);

#define MEASURE(name, target) \
	target static void name(bool is_wide, const char *a, const char *b, \
		size_t count, struct sums *sums) \
	{ \
		if (is_wide) \
			measure(&wide, a, b, count, sums); \
		else \
			measure(&narrow, a, b, count, sums); \
	}

MEASURE(measure_plain, )
#ifdef __x86_64__
MEASURE(measure_avx2, __attribute__((target("avx2"))))
MEASURE(measure_avx512, __attribute__((target("avx512f,avx512dq,avx512vl"))))
#endif

static measure_fn *
choose(void)
{
#ifdef __x86_64__
	if (__builtin_cpu_supports("avx512f") &&
		__builtin_cpu_supports("avx512dq") &&
		__builtin_cpu_supports("avx512vl"))
		return measure_avx512;
	if (__builtin_cpu_supports("avx2"))
		return measure_avx2;
#endif
	return measure_plain;
}

bool
fx_float_pairs_measure(enum fx_dtype dtype, const void *a, const void *b,
	size_t count, struct fx_float_pairs *ret)
{
	const struct form *form = dtype == FX_DTYPE_F64 ? &wide : &narrow;
	struct sums sums;

	*ret = (struct fx_float_pairs){ .differing = 0 };
	choose()(dtype == FX_DTYPE_F64, a, b, count, &sums);
	for (int i = 0; i < LANES; i++) {
		ret->differing += (uint64_t)sums.differing[i];
		ret->largest = FX_MAX(ret->largest, sums.largest[i]);
		ret->max_abs = FX_MAX(ret->max_abs, sums.max_abs[i]);
		ret->max_ulp = FX_MAX(ret->max_ulp, sums.max_ulp[i]);
		ret->dot += sums.dot[i];
		ret->squares[0] += sums.squares[0][i];
		ret->squares[1] += sums.squares[1][i];
		ret->noise += sums.noise[i];
	}
	ret->max_ulp *= form->steps;
	return isfinite(ret->squares[0]) && isfinite(ret->squares[1]);
}
