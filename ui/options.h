/* options.h - what stood on the command line of the program. */
#ifndef FX_UI_OPTIONS_H
#define FX_UI_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/vec.h"

/* -x FILE and -ex COMMAND, in the order given. */
struct ui_action {
	bool is_file;
	const char *text;
};

struct ui_options {
	const char *model;
	const char *python;
	const char *color; /* auto, always, never */
	FX_VEC(const char *) inputs;
	FX_VEC(struct ui_action) actions;
	int64_t seed;       /* -1: not given */
	const char *attach; /* descriptor of a program's socket */
	bool batch;
	bool no_init;
	bool quiet;
	bool tui;
	bool json;
	bool ascii;
	bool no_color; /* as --color=never */
	bool no_mouse;
	bool read_only;
	bool keep_going;
	bool doctor;
	bool welcome; /* the bundled model, and the first screen */
	bool version;
	bool help;
	bool restricted; /* no files, no programs: for fuzzing */
};

/* Read ARGV; texts are borrowed from it.  USAGE. */
FX_NODISCARD struct fx_error *ui_options_parse(struct ui_options *options,
	int argc, char *const *argv);
void ui_options_deinit(struct ui_options *options);

/* --help; the caller frees. */
char *ui_options_help(void);

#endif /* FX_UI_OPTIONS_H */
