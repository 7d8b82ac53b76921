/* settings.h - typed settings with names, defaults and help.
 *
 * Rows are in settings.def; names may have blanks ("record limit") and
 * unambiguous prefixes work.
 */
#ifndef FX_SESSION_SETTINGS_H
#define FX_SESSION_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct fx_settings;

enum fx_setting {
#define FX_SET(id, name, type, choices, initial, help) FX_SET_##id,
#include "session/settings.def"
	FX_SET_COUNT
};

enum fx_setting_type {
	FX_SETTING_BOOL, /* on, off */
	FX_SETTING_INT,
	FX_SETTING_SIZE,  /* bytes: 2G, 512M, unlimited (0) */
	FX_SETTING_WORD,  /* one of a list */
	FX_SETTING_PARTS, /* several of a list: on, off, "values -code" */
	FX_SETTING_TEXT,
};

struct fx_setting_info {
	const char *name;
	enum fx_setting_type type;
	const char *choices; /* WORD, PARTS: "auto|on|off" */
	const char *initial;
	const char *help;
};

struct fx_settings *fx_settings_new(void);
void fx_settings_free(struct fx_settings *settings);

const struct fx_setting_info *fx_settings_info(size_t index);
/* The index of the setting that TEXT begins with, by the longest name;
 * *REST_RET is what follows.  -1 when none; -2 when ambiguous.
 */
int fx_settings_match(const char *text, const char **rest_ret);

/* Set by index from TEXT; SETTING lists the right values. */
FX_NODISCARD struct fx_error *fx_settings_set(struct fx_settings *settings,
	int index, const char *text);
/* The value as text; borrowed until the next set. */
const char *fx_settings_text(const struct fx_settings *settings, int index);

/* The value as a number: BOOL 0 or 1; WORD which of the choices, from 0; PARTS
 * a bit for each choice.
 */
int64_t fx_settings_int(const struct fx_settings *settings,
	enum fx_setting setting);

/* The bits that TEXT stands for where SETTING, of PARTS, takes it. */
FX_NODISCARD struct fx_error *fx_settings_read_parts(enum fx_setting setting,
	const char *text, int64_t *ret);

/* Changes so far, so that front ends notice. */
unsigned fx_settings_version(const struct fx_settings *settings);

#endif /* FX_SESSION_SETTINGS_H */
