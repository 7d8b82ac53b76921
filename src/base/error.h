/* error.h - failures as values.
 *
 * A function that can fail returns `struct fx_error *`: null is success,
 * anything else belongs to the caller, who passes it up, shows it or frees it.
 */
#ifndef FX_BASE_ERROR_H
#define FX_BASE_ERROR_H

#include <stddef.h>

#include "base/cleanup.h"
#include "base/compiler.h"
#include "base/span.h"

enum fx_error_code {
#define FX_ERR(id, word, python, help, summary) FX_ERR_##id,
#include "base/error.def"
	FX_ERR_COUNT
};

struct fx_error;

/* Create an error whose message is FORMAT applied to the arguments.  The
 * message is whole when read alone, lower case, without a full stop.  Of a word
 * of more than 200 bytes, and of such text in quotes, the beginning is kept,
 * and how long it was; in notes and hints too.
 */
FX_PRINTF(2, 3)
FX_RETURNS_NONNULL FX_NODISCARD struct fx_error *
fx_error_new(enum fx_error_code code, const char *format, ...);

/* Push one line of context, innermost first, and return ERR for chaining. */
FX_PRINTF(2, 3)
FX_NODISCARD struct fx_error *fx_error_note(struct fx_error *err,
	const char *format, ...);

/* Set the hint of ERR, one line that says what the user can do.  The hint
 * replaces an earlier one.
 */
FX_PRINTF(2, 3)
FX_NODISCARD struct fx_error *fx_error_hint(struct fx_error *err,
	const char *format, ...);

/* Say that ERR is about SPAN of TEXT (copied), for a caret line.  The first
 * (innermost) span stays.
 */
FX_NODISCARD struct fx_error *fx_error_at(struct fx_error *err,
	const char *text, struct fx_span span);

/* Say that ERR happened at LINE (from 1, 0: none) of FILE; the first stays. */
FX_NODISCARD struct fx_error *fx_error_place(struct fx_error *err,
	const char *file, int line);

void fx_error_free(struct fx_error *err);

FX_DEFINE_CLEANUP(error, struct fx_error, fx_error_free);
#define FX_AUTO_ERROR FX_AUTO(error)

/* All results are borrowed from ERR; absent things are null or 0. */
enum fx_error_code fx_error_code(const struct fx_error *err);
const char *fx_error_message(const struct fx_error *err);
const char *fx_error_hint_text(const struct fx_error *err);
size_t fx_error_note_count(const struct fx_error *err);
const char *fx_error_note_text(const struct fx_error *err, size_t index);
const char *fx_error_text(const struct fx_error *err);
struct fx_span fx_error_span(const struct fx_error *err);
const char *fx_error_file(const struct fx_error *err);
int fx_error_line(const struct fx_error *err);

/* The stable word for scripts ("no-node"), its summary, and the Python
 * exception's name.
 */
const char *fx_error_word(enum fx_error_code code);
const char *fx_error_summary(enum fx_error_code code);
const char *fx_error_python(enum fx_error_code code);
/* The word whose help explains such errors, or "". */
const char *fx_error_help(enum fx_error_code code);

#endif /* FX_BASE_ERROR_H */
