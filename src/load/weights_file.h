/* weights_file.h - the weights file that an .fxg file refers to: named, found,
 * taken away.
 */
#ifndef FX_LOAD_WEIGHTS_FILE_H
#define FX_LOAD_WEIGHTS_FILE_H

#include <stdbool.h>

struct fx_hash;

/* "mlp-0123456789ab.safetensors", the name of the weights of DIGEST beside the
 * .fxg file at PATH; the caller's.
 */
char *fx_weights_file_name(const char *path, const struct fx_hash *digest);

/* Whether NAME is a name that fx_weights_file_name may give for PATH. */
bool fx_weights_file_is_for(const char *name, const char *path);

/* Whether PATH is there and is an .fxg graph, by its first bytes. */
bool fx_weights_file_is_graph(const char *path);

/* The name of the weights file of the .fxg file at PATH, as its first line
 * has it; the caller's.  NULL when there is none, or no such file.
 */
char *fx_weights_file_find(const char *path);

/* PATH was just replaced and referred to FORMER before.  Remove that file when
 * nothing needs it: its name is one that saving to PATH makes, and no .fxg
 * file in the folder refers to it.  Whether it was removed.
 */
bool fx_weights_file_drop(const char *path, const char *former);

#endif /* FX_LOAD_WEIGHTS_FILE_H */
