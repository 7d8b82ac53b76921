/* formula.c - the rows of formula.def, by name. */
#include <config.h>

#include "ops/formula.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/buf.h"
#include "base/str.h"
#include "ops/meaning.h"

static const struct fx_formula formulas[] = {
#define FX_FORMULA(names, family, text) FX_FOLD(names, family, NONE, text)
#define FX_FOLD(names, family, fold, text) \
	{ names, FX_FORMULA_##family, FX_FOLD_##fold, text },
#include "ops/formula.def"
};

static const struct {
	const char *names;
	const char *parameters;
	enum fx_reason_test test;
	const char *text;
} reasons[] = {
#define FX_REASON(names, parameters, test, text) \
	{ names, parameters, FX_REASON_##test, text },
#include "ops/formula.def"
};

static bool
has_name(const char *names, const struct fx_buf *name)
{
	return fx_str_has_word(names, ' ', fx_buf_text(name), name->length);
}

static const struct fx_formula *
find_row(const struct fx_buf *name)
{
	for (size_t i = 0; i < FX_ARRAY_LEN(formulas); i++)
		if (has_name(formulas[i].names, name))
			return &formulas[i];
	return NULL;
}

const struct fx_formula *
fx_formula_find(const char *target)
{
	return fx_formula_find_part(target, 0);
}

const struct fx_formula *
fx_formula_find_part(const char *target, size_t number)
{
	FX_AUTO_BUF struct fx_buf name = { 0 };
	FX_AUTO_BUF struct fx_buf part = { 0 };
	const struct fx_formula *row;

	fx_meaning_add_name(&name, target);
	fx_buf_addf(&part, "%s.%zu", fx_buf_text(&name), number);
	row = find_row(&part);
	return row ? row : find_row(&name);
}

static bool
fits(enum fx_reason_test test, const struct fx_reason_case *what)
{
	if (what->kind == FX_REASON_INFINITE || what->kind == FX_REASON_NONE)
		return test == what->kind;
	switch (test) {
	case FX_REASON_NEGATIVE:
		return what->value < 0;
	case FX_REASON_ZERO:
		return what->value == 0;
	case FX_REASON_BELOW_MINUS_ONE:
		return what->value <= -1;
	case FX_REASON_BEYOND_ONE:
		return fabs(what->value) >= 1;
	case FX_REASON_LARGE:
		return isinf(what->result);
	case FX_REASON_ANY:
		return true;
	case FX_REASON_INFINITE:
	case FX_REASON_NONE:
		break;
	}
	return false;
}

const char *
fx_reason_find(const struct fx_reason_case *what)
{
	FX_AUTO_BUF struct fx_buf name = { 0 };

	fx_meaning_add_name(&name, what->target);
	for (size_t i = 0; i < FX_ARRAY_LEN(reasons); i++) {
		const char *parameters = reasons[i].parameters;

		if (*reasons[i].names && !has_name(reasons[i].names, &name))
			continue;
		if (*parameters &&
			(!what->parameter || !fx_str_has_word(parameters, ' ',
						     what->parameter,
						     strlen(what->parameter))))
			continue;
		if (fits(reasons[i].test, what))
			return reasons[i].text;
	}
	return NULL;
}
