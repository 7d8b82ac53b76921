/* options.c - what stood on the command line of the program.
 *
 * By hand, as gdb's words (-ex, -batch, -nx) are long options with one dash,
 * which getopt does not read beside short ones.
 */
#include <config.h>

#include "ui/options.h"

#include <stddef.h>
#include <string.h>

#include "base/buf.h"
#include "base/number.h"
#include "base/str.h"
#include "session/settings.h"

enum option_kind {
	OPTION_FLAG, /* sets a bool */
	OPTION_TEXT, /* takes a word, kept in a const char * */
	OPTION_INPUT,
	OPTION_FILE,
	OPTION_COMMAND,
	OPTION_SEED,
};

static const struct option_row {
	const char *name; /* without dashes */
	enum option_kind kind;
	size_t offset;
} rows[] = {
	{ "i", OPTION_INPUT, 0 },
	{ "input", OPTION_INPUT, 0 },
	{ "x", OPTION_FILE, 0 },
	{ "command", OPTION_FILE, 0 },
	{ "ex", OPTION_COMMAND, 0 },
	{ "eval-command", OPTION_COMMAND, 0 },
	{ "batch", OPTION_FLAG, offsetof(struct ui_options, batch) },
	{ "nx", OPTION_FLAG, offsetof(struct ui_options, no_init) },
	{ "n", OPTION_FLAG, offsetof(struct ui_options, no_init) },
	{ "q", OPTION_FLAG, offsetof(struct ui_options, quiet) },
	{ "quiet", OPTION_FLAG, offsetof(struct ui_options, quiet) },
	{ "tui", OPTION_FLAG, offsetof(struct ui_options, tui) },
	{ "json", OPTION_FLAG, offsetof(struct ui_options, json) },
	{ "j", OPTION_FLAG, offsetof(struct ui_options, json) },
	{ "attach", OPTION_TEXT, offsetof(struct ui_options, attach) },
	{ "python", OPTION_TEXT, offsetof(struct ui_options, python) },
	{ "seed", OPTION_SEED, 0 },
	{ "color", OPTION_TEXT, offsetof(struct ui_options, color) },
	{ "no-color", OPTION_FLAG, offsetof(struct ui_options, no_color) },
	{ "no-mouse", OPTION_FLAG, offsetof(struct ui_options, no_mouse) },
	{ "ascii", OPTION_FLAG, offsetof(struct ui_options, ascii) },
	{ "readonly", OPTION_FLAG, offsetof(struct ui_options, read_only) },
	{ "keep-going", OPTION_FLAG, offsetof(struct ui_options, keep_going) },
	{ "doctor", OPTION_FLAG, offsetof(struct ui_options, doctor) },
	{ "welcome", OPTION_FLAG, offsetof(struct ui_options, welcome) },
	{ "version", OPTION_FLAG, offsetof(struct ui_options, version) },
	{ "help", OPTION_FLAG, offsetof(struct ui_options, help) },
	{ "h", OPTION_FLAG, offsetof(struct ui_options, help) },
	{ "restricted", OPTION_FLAG, offsetof(struct ui_options, restricted) },
};

void
ui_options_deinit(struct ui_options *options)
{
	fx_vec_deinit(&options->inputs);
	fx_vec_deinit(&options->actions);
}

static const struct option_row *
find_row(const char *name, size_t length)
{
	size_t i;

	for (i = 0; i < FX_ARRAY_LEN(rows); i++)
		if (strlen(rows[i].name) == length &&
			!strncmp(rows[i].name, name, length))
			return &rows[i];
	return NULL;
}

static FX_NODISCARD struct fx_error *
unknown(const char *word)
{
	struct fx_nearest nearest;
	FX_AUTO_BUF struct fx_buf names = { 0 };
	size_t i;

	fx_nearest_init(&nearest, word + strspn(word, "-"));
	for (i = 0; i < FX_ARRAY_LEN(rows); i++)
		if (strlen(rows[i].name) > 1)
			fx_nearest_offer(&nearest, rows[i].name);
	fx_nearest_print(&nearest, &names);
	return fx_error_hint(fx_error_new(FX_ERR_USAGE,
				     "unknown option \"%s\"%s%s", word,
				     names.length ? "; nearest: " : "",
				     fx_buf_text(&names)),
		"fxdb --help lists them");
}

/* The words of the setting that it becomes. */
static FX_NODISCARD struct fx_error *
check_color(const char *text)
{
	struct fx_settings *settings = fx_settings_new();
	struct fx_error *err = fx_settings_set(settings, FX_SET_COLOR, text);

	fx_settings_free(settings);
	return err;
}

static FX_NODISCARD struct fx_error *
apply(struct ui_options *options, const struct option_row *row,
	const char *value)
{
	struct ui_action action = { .text = value };

	switch (row->kind) {
	case OPTION_FLAG:
		*(bool *)((char *)options + row->offset) = true;
		break;
	case OPTION_TEXT:
		*(const char **)((char *)options + row->offset) = value;
		if (!strcmp(row->name, "color"))
			return check_color(value);
		break;
	case OPTION_INPUT:
		fx_vec_push(&options->inputs, value);
		break;
	case OPTION_FILE:
		action.is_file = true;
		fx_vec_push(&options->actions, action);
		break;
	case OPTION_COMMAND:
		fx_vec_push(&options->actions, action);
		break;
	case OPTION_SEED:
		if (!fx_number_parse_int(value, strlen(value),
			    &options->seed) ||
			options->seed < 0)
			return fx_error_new(FX_ERR_USAGE,
				"--seed takes a number from 0 on, got \"%s\"",
				value);
		break;
	}
	return NULL;
}

/* One option; *AT moves over its value. */
static FX_NODISCARD struct fx_error *
take_option(struct ui_options *options, int argc, char *const *argv, int *at)
{
	const char *word = argv[*at];
	const char *name = word + strspn(word, "-");
	const char *equals = strchr(name, '=');
	size_t length = equals ? (size_t)(equals - name) : strlen(name);
	const struct option_row *row = find_row(name, length);
	const char *value = equals ? equals + 1 : NULL;

	if (!row || strspn(word, "-") > 2)
		return unknown(word);
	if (row->kind == OPTION_FLAG && value)
		return fx_error_new(FX_ERR_USAGE,
			"the option --%s takes no value", row->name);
	if (row->kind != OPTION_FLAG && !value) {
		if (*at + 1 >= argc)
			return fx_error_new(FX_ERR_USAGE,
				"the option %s needs a value", word);
		value = argv[++*at];
	}
	return apply(options, row, value);
}

struct fx_error *
ui_options_parse(struct ui_options *options, int argc, char *const *argv)
{
	bool only_words = false;
	struct fx_error *err;
	int i;

	*options = (struct ui_options){ .seed = -1, .color = "auto" };
	for (i = 1; i < argc; i++) {
		if (!only_words && !strcmp(argv[i], "--")) {
			only_words = true;
		} else if (!only_words && argv[i][0] == '-' && argv[i][1]) {
			err = take_option(options, argc, argv, &i);
			if (err)
				return err;
		} else if (options->model) {
			return fx_error_new(FX_ERR_USAGE,
				"one model at a time: \"%s\" after \"%s\"",
				argv[i], options->model);
		} else {
			options->model = argv[i];
		}
	}
	return NULL;
}

char *
ui_options_help(void)
{
	static const char *const texts[][2] = {
#define CMD_OPTION(option, text) { option, text },
#include "commands/learn/options.def"
	};
	FX_AUTO_BUF struct fx_buf out = { 0 };
	size_t i;

	fx_buf_add(&out, "usage: fxdb [MODEL] [option]...\n\n"
			 "A debugger for PyTorch graphs.  MODEL is a file to "
			 "load: .fxg, generated\nPython code, a folder of "
			 "torch.fx, or a listing; or a model to trace:\n"
			 "FILE.py:EXPR or package.module:EXPR, as in "
			 "lenet.py:LeNet or\ntorchvision.models:resnet18().  "
			 "The command trace has more options\n(--concrete, "
			 "--leaf, --train, --tracer, as): "
			 "-ex \"trace lenet.py:LeNet --train\".\n\n");
	for (i = 0; i < FX_ARRAY_LEN(texts); i++)
		fx_buf_addf(&out, "  %-28s %s\n", texts[i][0], texts[i][1]);
	fx_buf_add(&out, "\nExit status: 0 fine, 1 a check failed, 2 an "
			 "error, 3 a model could not be opened.\n");
	return fx_buf_take(&out);
}
