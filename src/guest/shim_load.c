/* shim_load.c - finding and opening the shim. */
#define _GNU_SOURCE
#include <config.h>

#include <dlfcn.h>
#include <link.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/blob.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"
#include "guest/shim_private.h"

/* --- what the shim may ask of us ---------------------------------------- */

/* Return how many bytes libtorch's allocator says in TEXT that it did not get,
 * or 0 if TEXT does not say so.
 */
static uint64_t
asked_for(const char *text, size_t length)
{
	static const char words[] = "tried to allocate ";
	FX_AUTO_FREE char *copy = fx_xstrndup(text, length);
	const char *at = strstr(copy, words);

	return at ? strtoull(at + sizeof(words) - 1, NULL, 10) : 0;
}

static void *
error_new(enum fxs_failure failure, const char *text, size_t length)
{
	uint64_t bytes = failure == FXS_NO_MEMORY ? asked_for(text, length) : 0;
	static const enum fx_error_code codes[] = {
		[FXS_NO_OPERATOR] = FX_ERR_UNSUPPORTED,
		[FXS_NO_MATCH] = FX_ERR_TYPE,
		[FXS_RAISED] = FX_ERR_BACKEND,
		[FXS_NO_MEMORY] = FX_ERR_NO_SPACE,
		[FXS_NO_DATA] = FX_ERR_TYPE,
	};

	if (bytes)
		return fx_blob_no_space(bytes);
	return fx_error_new(codes[failure], "%.*s",
		(int)FX_MIN(length, (size_t)2000), text);
}

static void
warn(const char *text, size_t length)
{
	fx_log("torch", "%.*s", (int)FX_MIN(length, (size_t)2000), text);
}

/* Return the number of threads that the environment asks for, or 0.  As in
 * torch, a variable may list several numbers, of which the first counts.
 */
static int
environment_threads(void)
{
	static const char *const names[] = { "OMP_NUM_THREADS",
		"MKL_NUM_THREADS" };

	for (size_t i = 0; i < FX_ARRAY_LEN(names); i++) {
		const char *text = getenv(names[i]);
		long count = text ? strtol(text, NULL, 10) : 0;

		if (count > 0)
			return (int)FX_MIN(count, FX_SHIM_MOST_THREADS);
	}
	return 0;
}

int
fx_shim_thread_count(void)
{
	int wanted = environment_threads();
	cpu_set_t set;

	if (wanted)
		return wanted;
	if (sched_getaffinity(0, sizeof(set), &set) == 0)
		return FX_MAX(CPU_COUNT(&set), 1);
	return (int)FX_MAX(sysconf(_SC_NPROCESSORS_ONLN), 1L);
}

/* --- opening ------------------------------------------------------------ */

/* The first line of what dlopen says. */
static struct fx_error *
cannot_open(const char *path)
{
	const char *why = dlerror();

	if (!why)
		why = "unknown";
	return fx_error_hint(fx_error_new(FX_ERR_UNSUPPORTED,
				     "the shim %s cannot be loaded: %.*s", path,
				     (int)strcspn(why, "\n"), why),
		"is libtorch installed? (Debian package: libtorch-dev)");
}

/* As the dynamic linker keeps the library itself. */
static const struct fxs_functions *the_shim;

const struct fxs_functions *
fx_shim_loaded(void)
{
	return the_shim;
}

/* Open the shim at PATH, which must be of these sources and, unless null, for
 * VERSION of torch.
 */
static struct fx_error *
shim_open(const char *path, const char *version,
	const struct fxs_functions **ret)
{
	static struct fxs_host host = {
		.error_new = error_new,
		.log = warn,
		.source_id = FX_SHIM_ID,
	};
	fxs_open_fn *open;
	const struct fxs_functions *functions;
	void *library;

	if (!fx_shim_is_whole(path))
		return fx_error_hint(fx_error_new(FX_ERR_UNSUPPORTED,
					     "the shim %s cannot be loaded: "
					     "it is cut short",
					     path),
			"build and install fxdb again");
	library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!library)
		return cannot_open(path);
	/* ISO C has no conversion from a data pointer to a function pointer,
	 * but POSIX promises that this one works.
	 */
	*(void **)&open = dlsym(library, "fxs_open");
	host.threads = fx_shim_thread_count();
	functions = open ? open(&host) : NULL;
	if (!functions)
		return fx_error_hint(fx_error_new(FX_ERR_VERSION,
					     "%s is of another build of fxdb",
					     path),
			"build and install fxdb again");
	if (version && strcmp(functions->version, version) != 0)
		return fx_error_new(FX_ERR_VERSION,
			"%s is compiled for torch %s, not %s", path,
			functions->version, version);
	if (strcmp(functions->loaded, functions->version) != 0)
		return fx_error_hint(
			fx_error_new(FX_ERR_VERSION,
				"the shim is compiled for torch %s, but the "
				"libtorch that is installed says it is %s",
				functions->version, functions->loaded),
			"build fxdb again for this libtorch");
	fx_log("torch", "%s: libtorch %s, %d threads", path, functions->loaded,
		functions->threads);
	the_shim = functions;
	*ret = functions;
	return NULL;
}

/* --- one libtorch a process --------------------------------------------- */

static int
is_libtorch(struct dl_phdr_info *info, size_t size, void *context)
{
	const char *slash = strrchr(info->dlpi_name, '/');
	char **ret = context;

	(void)size;
	if (!slash || !fx_str_starts(slash + 1, "libtorch_cpu.so"))
		return 0;
	*ret = fx_xstrdup(info->dlpi_name);
	return 1;
}

/* The libtorch that is loaded, or NULL; the caller frees. */
static char *
loaded_library(void)
{
	char *path = NULL;

	dl_iterate_phdr(is_libtorch, &path);
	return path;
}

static bool
is_same_file(const char *a, const char *b)
{
	FX_AUTO_FREE char *first = realpath(a, NULL);
	FX_AUTO_FREE char *second = realpath(b, NULL);

	return first && second && strcmp(first, second) == 0;
}

static struct fx_error *
second_libtorch(const char *loaded)
{
	return fx_error_hint(fx_error_new(FX_ERR_LIMIT,
				     "%s is loaded already, and a process "
				     "has only one libtorch",
				     loaded),
		"start another fxdb for this torch");
}

/* --- which one ---------------------------------------------------------- */

static char *
if_readable(char *path_taken)
{
	if (path_taken && access(path_taken, R_OK) == 0)
		return path_taken;
	free(path_taken);
	return NULL;
}

/* The configured shim: in the folder that FXDB_SHIMS names (for what runs
 * from elsewhere in a build folder), beside the program, or installed.
 */
static char *
configured_path(void)
{
	static const char name[] = "fxdb-torch-" FX_LIBTORCH_VERSION ".so";
	const char *folder = getenv("FXDB_SHIMS");
	char *path = NULL;

	if (folder && *folder)
		path = if_readable(fx_xasprintf("%s/%s", folder, name));
	if (!path)
		path = if_readable(fx_file_beside_program(name));
	if (!path)
		path = if_readable(fx_file_installed(FX_PKGLIBEXECDIR
			"/fxdb-torch-" FX_LIBTORCH_VERSION ".so"));
	return path;
}

static struct fx_error *
load_configured(const struct fxs_functions **ret)
{
	FX_AUTO_FREE char *path = configured_path();
	FX_AUTO_FREE char *loaded = loaded_library();

	if (!path)
		return fx_error_hint(fx_error_new(FX_ERR_UNSUPPORTED,
					     "the shim for torch %s is missing",
					     FX_LIBTORCH_VERSION),
			"build and install fxdb again");
	if (loaded && !is_same_file(loaded, FX_LIBTORCH_LIBRARY))
		return second_libtorch(loaded);
	return shim_open(path, FX_LIBTORCH_VERSION, ret);
}

static struct fx_error *
load_of_python(const struct fx_shim_options *options,
	const struct fxs_functions **ret)
{
	FX_AUTO_FREE char *folder = NULL;
	FX_AUTO_FREE char *loaded = loaded_library();
	FX_AUTO_FREE char *version = NULL;
	FX_AUTO_FREE char *path = NULL;
	FX_AUTO_FREE char *library = NULL;
	struct fx_error *err = fx_shim_torch_folder(options->python, &folder);

	if (err)
		return err;
	library = fx_xasprintf("%s/lib/libtorch_cpu.so", folder);
	/* Debian's torch runs on the system's library. */
	if (is_same_file(library, FX_LIBTORCH_LIBRARY))
		return load_configured(ret);
	if (loaded && !is_same_file(loaded, library))
		return second_libtorch(loaded);
	err = fx_shim_build(folder, options, &path);
	if (!err)
		err = fx_shim_torch_version(folder, &version);
	return err ? err : shim_open(path, version, ret);
}

struct fx_error *
fx_shim_load(const struct fx_shim_options *options,
	const struct fxs_functions **ret)
{
	if (options && options->python)
		return load_of_python(options, ret);
	/* Whoever names none is content with the one that is there. */
	if (the_shim)
		*ret = the_shim;
	return the_shim ? NULL : load_configured(ret);
}
