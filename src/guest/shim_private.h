/* shim_private.h - what the files behind shim.h share. */
#ifndef FX_GUEST_SHIM_PRIVATE_H
#define FX_GUEST_SHIM_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "guest/shim.h"
#include "torch/shim.h"

/* --- loading (shim_load.c), building (shim_build.c) --------------------- */

/* The shim that OPTIONS ask for, loaded; it stays until the process ends. */
FX_NODISCARD struct fx_error *
fx_shim_load(const struct fx_shim_options *options,
	const struct fxs_functions **ret);

/* The shim that was loaded, or NULL: a process has one. */
const struct fxs_functions *fx_shim_loaded(void);

/* False when the shared object at PATH was cut short: to load it would end the
 * program.
 */
bool fx_shim_is_whole(const char *path);

/* Path of a shim for the torch in FOLDER, compiled if the cache has none; the
 * caller frees it.
 */
FX_NODISCARD struct fx_error *fx_shim_build(const char *folder,
	const struct fx_shim_options *options, char **path_ret);

/* Where compiled shims are kept; the caller frees.  NULL: no home folder. */
char *fx_shim_cache(void);
/* Folder of the shim's sources, which the caller frees; NULL: none. */
char *fx_shim_sources(void);
/* The folder of PYTHON's torch, which the caller frees. */
FX_NODISCARD struct fx_error *fx_shim_torch_folder(const char *python,
	char **ret);
/* "2.13.0" of the torch in FOLDER, without a local part; the caller frees. */
FX_NODISCARD struct fx_error *fx_shim_torch_version(const char *folder,
	char **ret);

/* The INDEXth program to try as C++ compiler, the user's choice first; NULL
 * after the last.
 */
const char *fx_shim_compiler(size_t index);

#define FX_SHIM_MOST_THREADS 1024L

/* Threads to compute with when nobody says: OMP_NUM_THREADS, MKL_NUM_THREADS,
 * else the processors this process may use.
 */
int fx_shim_thread_count(void);

#endif /* FX_GUEST_SHIM_PRIVATE_H */
