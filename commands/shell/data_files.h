/* data_files.h - files that come with fxdb: examples, demos. */
#ifndef FX_COMMANDS_SHELL_DATA_FILES_H
#define FX_COMMANDS_SHELL_DATA_FILES_H

#include <stdbool.h>

#include "base/error.h"
#include "base/vec.h"

enum cmd_bundle {
	CMD_BUNDLE_EXAMPLES, /* doc/examples: mlp.fxg ... */
	CMD_BUNDLE_DEMO,     /* scripts/demo: *.fxdb */
};

/* The path of the file NAME of BUNDLE, beside the sources that the program was
 * built from or where it was installed; the caller frees.  IO when it is in
 * neither place.
 */
FX_NODISCARD struct fx_error *cmd_data_files(enum cmd_bundle bundle,
	const char *name, char **ret);

/* Whether the file PATH lies in a folder that comes with fxdb. */
bool cmd_is_data_file(const char *path);

/* The names of BUNDLE's files that end in SUFFIX, sorted; the caller frees the
 * names and the vector.
 */
struct cmd_names {
	FX_VEC(char *) items;
};
void cmd_data_files_names(enum cmd_bundle bundle, const char *suffix,
	struct cmd_names *ret);
void cmd_names_deinit(struct cmd_names *names);

/* Whether BUNDLE has the file NAME with SUFFIX added. */
bool cmd_data_files_have(enum cmd_bundle bundle, const char *name,
	const char *suffix);

/* Add to ERR, which says that there is no NAME, how to open the model of that
 * name that comes with fxdb, if one does.
 */
FX_NODISCARD struct fx_error *cmd_hint_example(struct fx_error *err,
	const char *name);

#endif /* FX_COMMANDS_SHELL_DATA_FILES_H */
