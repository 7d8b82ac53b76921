/* compiler.h - attributes and small macros used everywhere. */
#ifndef FX_BASE_COMPILER_H
#define FX_BASE_COMPILER_H

#define FX_PRINTF(text, first) __attribute__((format(printf, text, first)))
#define FX_NODISCARD           __attribute__((warn_unused_result))
#define FX_NORETURN            __attribute__((noreturn))
#define FX_RETURNS_NONNULL     __attribute__((returns_nonnull))

#define FX_ARRAY_LEN(array) (sizeof(array) / sizeof((array)[0]))

#define FX_MIN(a, b) ((a) < (b) ? (a) : (b))
#define FX_MAX(a, b) ((a) > (b) ? (a) : (b))

/* A broken invariant is a bug of ours: say where and abort.  EXPR has no side
 * effects.  Kept in every build.
 */
#define fx_assert(expr) \
	((expr) ? (void)0 : fx_assert_failed(#expr, __FILE__, __LINE__))

FX_NORETURN void fx_assert_failed(const char *expr, const char *file, int line);

#endif /* FX_BASE_COMPILER_H */
