/* elements.c - what the bytes of an element mean, of every dtype. */
#include <config.h>

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/buf.h"
#include "base/number.h"
#include "meta/promote.h"
#include "run/values.h"

/* A float of less than 32 bits: a sign, EXPONENT and MANTISSA bits. */
struct small_float {
	int exponent;
	int mantissa;
	/* Without infinities: the highest exponent counts, all ones is NaN. */
	bool is_finite;
};

static const struct small_float half = { 5, 10, false };
static const struct small_float brain = { 8, 7, false };
static const struct small_float e4m3 = { 4, 3, true };
static const struct small_float e5m2 = { 5, 2, false };

static const struct small_float *
small_of(enum fx_dtype dtype)
{
	switch ((int)dtype) {
	case FX_DTYPE_F16:
	case FX_DTYPE_C32:
		return &half;
	case FX_DTYPE_BF16:
		return &brain;
	case FX_DTYPE_F8E4M3FN:
		return &e4m3;
	case FX_DTYPE_F8E5M2:
		return &e5m2;
	}
	return NULL;
}

static double
small_decode(const struct small_float *type, unsigned bits)
{
	unsigned top = (1U << type->exponent) - 1;
	unsigned ones = (1U << type->mantissa) - 1;
	unsigned exponent = bits >> type->mantissa & top;
	unsigned mantissa = bits & ones;
	int bias = (int)(top >> 1);
	double number;

	if (exponent == top && type->is_finite && mantissa == ones)
		number = NAN;
	else if (exponent == top && !type->is_finite)
		number = mantissa ? NAN : INFINITY;
	else if (exponent)
		number = ldexp(mantissa + ones + 1.0,
			(int)exponent - bias - type->mantissa);
	else
		number = ldexp(mantissa, 1 - bias - type->mantissa);
	return bits >> (type->exponent + type->mantissa) & 1 ? -number : number;
}

/* The bits of what is too large: infinity, or NaN where there is none. */
static unsigned
small_overflow(const struct small_float *type, bool is_nan)
{
	unsigned top = ((1U << type->exponent) - 1) << type->mantissa;
	unsigned ones = (1U << type->mantissa) - 1;

	if (type->is_finite)
		return top | ones;
	return is_nan ? top | 1U << (type->mantissa - 1) : top;
}

static unsigned
small_encode(const struct small_float *type, double number)
{
	unsigned sign =
		signbit(number) ? 1U << (type->exponent + type->mantissa) : 0;
	unsigned limit = small_overflow(type, false);
	int bias = (1 << (type->exponent - 1)) - 1;
	double magnitude = fabs(number);
	double units;
	int exponent;
	unsigned bits;

	if (!isfinite(number))
		return sign | small_overflow(type, isnan(number));
	if (magnitude == 0)
		return sign;
	/* The exponent of the last place, of normal and subnormal numbers. */
	exponent = FX_MAX(ilogb(magnitude), 1 - bias);
	units = nearbyint(ldexp(magnitude, type->mantissa - exponent));
	if (exponent > bias + 1)
		return sign | limit;
	/* A carry into the exponent is just what adding does. */
	bits = (unsigned)(exponent + bias - 1) << type->mantissa;
	bits += (unsigned)units;
	return sign | FX_MIN(bits, limit);
}

/* --- decoding ------------------------------------------------------------ */

/* Loops over unaligned elements, one a C type. */
#define DECODE(name, type) \
	static void decode_##name(const char *bytes, size_t count, \
		double *ret) \
	{ \
		type element; \
		for (size_t i = 0; i < count; i++) { \
			memcpy(&element, bytes + i * sizeof(element), \
				sizeof(element)); \
			ret[i] = (double)element; \
		} \
	} \
	struct fx_semicolon_##name

DECODE(u8, uint8_t);
DECODE(i8, int8_t);
DECODE(u16, uint16_t);
DECODE(i16, int16_t);
DECODE(u32, uint32_t);
DECODE(i32, int32_t);
DECODE(u64, uint64_t);
DECODE(i64, int64_t);
DECODE(f32, float);
DECODE(f64, double);
#undef DECODE

static unsigned
small_bits(const char *bytes, size_t size)
{
	uint16_t two;

	if (size == 1)
		return (unsigned char)*bytes;
	memcpy(&two, bytes, sizeof(two));
	return two;
}

/* Bits to bits, without arithmetic, where the number is normal: of a double
 * the exponent and the mantissa have other places only.
 */
static double
small_number(const struct small_float *type, unsigned bits)
{
	unsigned top = (1U << type->exponent) - 1;
	unsigned exponent = bits >> type->mantissa & top;
	unsigned size = (unsigned)(type->exponent + type->mantissa);
	uint64_t wide;
	double number;

	if (!exponent || exponent == top)
		return small_decode(type, bits);
	wide = (uint64_t)(bits >> size & 1) << 63 |
	       (uint64_t)(exponent + 1023 - (top >> 1)) << 52 |
	       (uint64_t)(bits & ((1U << type->mantissa) - 1))
		       << (52 - type->mantissa);
	memcpy(&number, &wide, sizeof(number));
	return number;
}

static void
decode_small(enum fx_dtype dtype, const char *bytes, size_t count, double *ret)
{
	const struct small_float *type = small_of(dtype);
	size_t size = (size_t)(1 + type->exponent + type->mantissa) / 8;

	for (size_t i = 0; i < count; i++)
		ret[i] = small_number(type, small_bits(bytes + i * size, size));
}

/* Pairs: COUNT of them, one after the other. */
static void
decode_pairs(enum fx_dtype dtype, const char *bytes, size_t count, double *real,
	double *imag)
{
	size_t size = fx_dtype_info(dtype)->size / 2;
	double pair[2];

	for (size_t i = 0; i < count; i++) {
		const char *at = bytes + i * 2 * size;

		if (dtype == FX_DTYPE_C64)
			decode_f32(at, 2, pair);
		else if (dtype == FX_DTYPE_C128)
			decode_f64(at, 2, pair);
		else
			decode_small(dtype, at, 2, pair);
		real[i] = pair[0];
		if (imag)
			imag[i] = pair[1];
	}
}

static void
decode_plain(enum fx_dtype dtype, const char *bytes, size_t count, double *ret)
{
	switch ((int)dtype) {
	case FX_DTYPE_BOOL:
	case FX_DTYPE_U8:
	case FX_DTYPE_QU8:
		decode_u8(bytes, count, ret);
		break;
	case FX_DTYPE_I8:
	case FX_DTYPE_QI8:
		decode_i8(bytes, count, ret);
		break;
	case FX_DTYPE_U16:
		decode_u16(bytes, count, ret);
		break;
	case FX_DTYPE_I16:
		decode_i16(bytes, count, ret);
		break;
	case FX_DTYPE_U32:
		decode_u32(bytes, count, ret);
		break;
	case FX_DTYPE_I32:
	case FX_DTYPE_QI32:
		decode_i32(bytes, count, ret);
		break;
	case FX_DTYPE_U64:
		decode_u64(bytes, count, ret);
		break;
	case FX_DTYPE_I64:
		decode_i64(bytes, count, ret);
		break;
	case FX_DTYPE_F32:
		decode_f32(bytes, count, ret);
		break;
	case FX_DTYPE_F64:
		decode_f64(bytes, count, ret);
		break;
	default:
		decode_small(dtype, bytes, count, ret);
	}
}

void
fx_elements_decode(enum fx_dtype dtype, const void *bytes, size_t count,
	double *real, double *imag)
{
	if (fx_dtype_is_complex(dtype)) {
		decode_pairs(dtype, bytes, count, real, imag);
		return;
	}
	decode_plain(dtype, bytes, count, real);
	if (imag)
		memset(imag, 0, count * sizeof(*imag));
}

/* --- encoding ------------------------------------------------------------ */

/* NUMBER cut to what fits between LEAST and MOST; NaN is 0. */
static int64_t
whole(double number, double least, double most)
{
	if (isnan(number))
		return 0;
	if (number <= least)
		return (int64_t)least;
	return number >= most ? (most >= 0x1p63 ? INT64_MAX : (int64_t)most)
			      : (int64_t)number;
}

static int64_t
integer_of(enum fx_dtype dtype, double number)
{
	int bits = (int)fx_dtype_info(dtype)->size * 8;

	switch ((int)dtype) {
	case FX_DTYPE_BOOL:
		return number != 0;
	case FX_DTYPE_U64:
		if (number >= 0x1p63)
			return (int64_t)(number >= 0x1p64 ? UINT64_MAX
							  : (uint64_t)number);
		return whole(number, 0, 0x1p63);
	case FX_DTYPE_U8:
	case FX_DTYPE_U16:
	case FX_DTYPE_U32:
	case FX_DTYPE_QU8:
		return whole(number, 0, ldexp(1, bits) - 1);
	}
	return whole(number, -ldexp(1, bits - 1),
		bits == 64 ? 0x1p63 : ldexp(1, bits - 1) - 1);
}

/* Little-endian, as everything here. */
static void
encode_one(enum fx_dtype dtype, double number, char *bytes)
{
	size_t size = fx_dtype_info(dtype)->size;
	float single = (float)number;
	int64_t integer;
	unsigned bits;

	if (dtype == FX_DTYPE_F64) {
		memcpy(bytes, &number, sizeof(number));
	} else if (dtype == FX_DTYPE_F32) {
		memcpy(bytes, &single, sizeof(single));
	} else if (small_of(dtype)) {
		bits = small_encode(small_of(dtype), number);
		memcpy(bytes, &bits, size);
	} else {
		integer = integer_of(dtype, number);
		memcpy(bytes, &integer, size);
	}
}

void
fx_elements_encode(enum fx_dtype dtype, const double *real, const double *imag,
	size_t count, void *bytes)
{
	size_t size = fx_dtype_info(dtype)->size;
	char *at = bytes;

	for (size_t i = 0; i < count; i++, at += size) {
		unsigned small;
		float pair[2] = { (float)real[i], imag ? (float)imag[i] : 0 };
		double wide[2] = { real[i], imag ? imag[i] : 0 };

		if (dtype == FX_DTYPE_C64) {
			memcpy(at, pair, sizeof(pair));
		} else if (dtype == FX_DTYPE_C128) {
			memcpy(at, wide, sizeof(wide));
		} else if (dtype == FX_DTYPE_C32) {
			small = small_encode(&half, wide[0]) |
				small_encode(&half, wide[1]) << 16;
			memcpy(at, &small, sizeof(small));
		} else {
			encode_one(dtype, real[i], at);
		}
	}
}

/* --- single elements ----------------------------------------------------- */

int64_t
fx_element_int(enum fx_dtype dtype, const void *bytes, size_t index)
{
	size_t size = fx_dtype_info(dtype)->size;
	const char *at = (const char *)bytes + index * size;
	uint64_t bits = 0;
	int spare = (int)(64 - 8 * size);

	memcpy(&bits, at, size);
	switch ((int)dtype) {
	case FX_DTYPE_BOOL:
		return bits != 0;
	case FX_DTYPE_I8:
	case FX_DTYPE_I16:
	case FX_DTYPE_I32:
	case FX_DTYPE_QI8:
	case FX_DTYPE_QI32:
		return (int64_t)(bits << spare) >> spare;
	}
	return (int64_t)bits;
}

void
fx_element_print(struct fx_buf *out, enum fx_dtype dtype, const void *bytes,
	size_t index)
{
	const char *at =
		(const char *)bytes + index * fx_dtype_info(dtype)->size;
	double real;
	double imag;

	if (dtype == FX_DTYPE_BOOL) {
		fx_buf_add(out, *at ? "True" : "False");
	} else if (dtype == FX_DTYPE_U64) {
		fx_buf_addf(out, "%" PRIu64,
			(uint64_t)fx_element_int(dtype, at, 0));
	} else if (fx_dtype_is_integer(dtype)) {
		fx_buf_add_int(out, fx_element_int(dtype, at, 0));
	} else {
		fx_elements_decode(dtype, at, 1, &real, &imag);
		if (fx_dtype_is_complex(dtype))
			fx_number_add_complex(out, real, imag);
		else
			fx_number_add_double(out, real);
	}
}

bool
fx_dtype_is_integer(enum fx_dtype dtype)
{
	return dtype && !fx_dtype_is_float(dtype) &&
	       !fx_dtype_is_complex(dtype);
}
