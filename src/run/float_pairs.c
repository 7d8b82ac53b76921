/* float_pairs.c - many pairs of floats at a time.
 *
 * Vectors of the compiler: the loops (float_pairs.def) are compiled for several
 * kinds of processor; their sums may differ in the last digits.
 *
 * The largest difference of f32 is looked for in f32, which takes half as long
 * as in f64 and is off by a rounding: where that could matter, because no
 * larger one was found before, it is looked for once more in f64.
 */
#include <config.h>

#include "run/float_pairs.h"

#include <math.h>
#include <string.h>
#ifdef __x86_64__
#include <immintrin.h>
#endif

#include "base/compiler.h"

#define EXPONENT (INT64_C(0x7ff) << 52)
/* The exponents of a number and of its reciprocal add up to this. */
#define BOTH (INT64_C(2046) << 52)

#define EXPONENT_F32 0x7f800000
#define BOTH_F32     0x7f000000
/* Where |a| and |a - b| are not more, the reciprocals of both powers of two are
 * normal numbers.
 */
#define LIMIT_F32 0x1p124f

/* One kind of float: bytes of an element, steps in a number's power of two, and
 * the power of two below which steps are as at it.
 */
struct form {
	size_t size;
	double steps;
	double least;
};

static const struct form narrow = { sizeof(float), 0x1p23, 0x1p-126 };
static const struct form wide = { sizeof(double), 0x1p52, 0x1p-1022 };

/* Bits of floats: what is no larger raises nothing that is known of |a - b|,
 * and of the same in powers of two of the larger number.
 */
struct known {
	int32_t max_abs;
	int32_t max_ulp;
};

/* What is left of a row, zeros behind it. */
struct rest {
	char a[32];
	char b[32];
};

#define INLINE static inline __attribute__((always_inline))

INLINE void
take_rest(const char *a, const char *b, size_t bytes, struct rest *ret)
{
	memset(ret, 0, sizeof(*ret));
	memcpy(ret->a, a, bytes);
	memcpy(ret->b, b, bytes);
}

INLINE double
number_of(int32_t bits)
{
	float number;

	memcpy(&number, &bits, sizeof(number));
	return (double)number;
}

/* --- the processor ------------------------------------------------------- */

typedef void exact_fn(const char *a, const char *b, size_t count,
	struct fx_float_pairs *ret);
/* False: something new is larger than what is KNOWN. */
typedef bool rough_fn(const struct known *known, const char *a, const char *b,
	size_t count, struct fx_float_pairs *ret);

struct kernels {
	exact_fn *wide;
	exact_fn *narrow;
	rough_fn *rough;
};

#define NAME(word) plain_##word
#define TARGET
#define WIDTH     16
#define WIDEN(of) __builtin_convertvector(of, plain_doubles)
#include "run/float_pairs.def"

#ifdef __x86_64__
#define NAME(word) avx2_##word
#define TARGET     __attribute__((target("avx2,fma")))
#define WIDTH      32
#define WIDEN(of)  ((avx2_doubles)_mm256_cvtps_pd((__m128)(of)))
#include "run/float_pairs.def"
#endif

static const struct kernels *
choose(void)
{
#ifdef __x86_64__
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
		return &avx2_kernels;
#endif
	return &plain_kernels;
}

/* --- one row ------------------------------------------------------------- */

/* The bits of the largest float that is at most NUMBER, and still is so when it
 * was rounded before if it MAY_BE_ROUNDED.
 */
static int32_t
bits_below(double number, bool may_be_rounded)
{
	double below = may_be_rounded ? number / (1 + 0x1p-23) : number;
	float ret = (float)below;
	int32_t bits;

	if ((double)ret > below)
		ret = nextafterf(ret, 0);
	memcpy(&bits, &ret, sizeof(bits));
	return bits;
}

/* Differences of less than half of the larger number are not rounded. */
static struct known
known_of(const struct fx_float_pairs *pairs)
{
	double ulp = pairs->max_ulp / narrow.steps;

	return (struct known){
		.max_abs = bits_below(fmin(pairs->max_abs, (double)LIMIT_F32),
			true),
		.max_ulp = bits_below(ulp, ulp >= 0.5),
	};
}

bool
fx_float_pairs_measure(enum fx_dtype dtype, const void *a, const void *b,
	size_t count, struct fx_float_pairs *ret)
{
	const struct kernels *kernels = choose();
	const struct fx_float_pairs before = { .max_abs = ret->max_abs,
		.max_ulp = ret->max_ulp };
	const struct known known = known_of(&before);
	bool is_wide = dtype == FX_DTYPE_F64;

	*ret = before;
	if (!is_wide && kernels->rough(&known, a, b, count, ret) &&
		ret->largest <= (double)LIMIT_F32)
		return true;
	*ret = before;
	(is_wide ? kernels->wide : kernels->narrow)(a, b, count, ret);
	return isfinite(ret->squares[0]) && isfinite(ret->squares[1]);
}
