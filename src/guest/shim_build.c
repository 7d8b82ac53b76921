/* shim_build.c - compiling the shim for a torch that is met later.
 *
 * What is compiled stays in the user's cache, named by all that it depends on:
 * the torch, its library, our sources and the compiler.
 */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/mem.h"
#include "guest/process.h"
#include "guest/shim_private.h"

#define ASK_MS     20000
#define COMPILE_MS 300000

/* --- folders ------------------------------------------------------------ */

char *
fx_shim_cache(void)
{
	const char *cache = getenv("XDG_CACHE_HOME");
	const char *home = getenv("HOME");

	if (cache && *cache == '/')
		return fx_xasprintf("%s/fxdb", cache);
	if (home && *home == '/')
		return fx_xasprintf("%s/.cache/fxdb", home);
	return NULL;
}

static bool
has_sources(const char *folder)
{
	FX_AUTO_FREE char *probe = fx_xasprintf("%s/torch/shim.cc", folder);

	return access(probe, R_OK) == 0;
}

/* In the build folder they are where configure found them. */
char *
fx_shim_sources(void)
{
	FX_AUTO_FREE char *installed = fx_file_installed(FX_PKGDATADIR "/shim");

	if (has_sources(installed))
		return FX_TAKE(installed);
	if (has_sources(FX_SOURCE_FOLDER))
		return fx_xstrdup(FX_SOURCE_FOLDER);
	return NULL;
}

/* --- the torch ---------------------------------------------------------- */

struct fx_error *
fx_shim_torch_folder(const char *python, char **ret)
{
	static const char question[] =
		"import importlib.util as u\n"
		"s = u.find_spec('torch')\n"
		"print(s.submodule_search_locations[0] if s else '')";
	const char *argv[] = { python, "-c", question, NULL };
	struct fx_error *err = fx_process_output(argv, ASK_MS, ret);

	if (err)
		return err;
	(*ret)[strcspn(*ret, "\n")] = 0;
	if (**ret)
		return NULL;
	free(*ret);
	*ret = NULL;
	return fx_error_new(FX_ERR_UNSUPPORTED, "%s has no torch", python);
}

/* The text after KEY up to any of END in the file PATH. */
static char *
text_after(const char *path, const char *key, const char *end)
{
	FX_AUTO_FREE char *text = NULL;
	FX_AUTO_ERROR struct fx_error *err =
		fx_file_read(path, 1 << 20, &text, NULL);
	const char *at = err ? NULL : strstr(text, key);

	if (!at)
		return NULL;
	at += strlen(key);
	return fx_xstrndup(at, strcspn(at, end));
}

struct fx_error *
fx_shim_torch_version(const char *folder, char **ret)
{
	static const char *const headers[] = {
		"include/torch/headeronly/version.h",
		"include/torch/csrc/api/include/torch/version.h",
	};

	for (size_t i = 0; i < FX_ARRAY_LEN(headers); i++) {
		FX_AUTO_FREE char *path =
			fx_xasprintf("%s/%s", folder, headers[i]);
		FX_AUTO_FREE char *major =
			text_after(path, "#define TORCH_VERSION_MAJOR ", "\n");
		FX_AUTO_FREE char *minor =
			text_after(path, "#define TORCH_VERSION_MINOR ", "\n");
		FX_AUTO_FREE char *patch =
			text_after(path, "#define TORCH_VERSION_PATCH ", "\n");

		if (!major || !minor || !patch)
			continue;
		*ret = fx_xasprintf("%s.%s.%s", major, minor, patch);
		return NULL;
	}
	return fx_error_new(FX_ERR_UNSUPPORTED,
		"the torch in %s has no headers", folder);
}

/* --- the compiler ------------------------------------------------------- */

const char *
fx_shim_compiler(size_t index)
{
	static const char *const names[] = { "g++", "c++", "clang++" };
	const char *chosen = getenv("CXX");
	bool is_chosen = chosen && *chosen;

	if (is_chosen && index == 0)
		return chosen;
	index -= is_chosen;
	return index < FX_ARRAY_LEN(names) ? names[index] : NULL;
}

/* The first that answers; its version line to *VERSION_RET. */
static struct fx_error *
find_compiler(const char **compiler_ret, char **version_ret)
{
	const char *name;

	for (size_t i = 0; (name = fx_shim_compiler(i)); i++) {
		const char *argv[] = { name, "--version", NULL };
		struct fx_error *err =
			fx_process_output(argv, ASK_MS, version_ret);

		if (!err) {
			(*version_ret)[strcspn(*version_ret, "\n")] = 0;
			*compiler_ret = name;
			return NULL;
		}
		fx_error_free(err);
	}
	return fx_error_hint(fx_error_new(FX_ERR_UNSUPPORTED,
				     "there is no C++ compiler to build the "
				     "shim with"),
		"install one (Debian package: g++), or: set backend python");
}

struct build {
	const char *folder; /* of the torch */
	char *version;
	char *sources;
	const char *compiler;
	char *compiler_version;
	char *path; /* what comes out */
};

static void
build_deinit(struct build *build)
{
	free(build->version);
	free(build->sources);
	free(build->compiler_version);
	free(build->path);
}
FX_DEFINE_DEINIT(build, struct build, build_deinit);

/* Size and time say when a library was replaced. */
static void
add_library(struct fx_hasher *hasher, const char *folder)
{
	FX_AUTO_FREE char *path =
		fx_xasprintf("%s/lib/libtorch_cpu.so", folder);
	struct stat status;

	fx_hasher_add_text(hasher, path);
	if (stat(path, &status) == 0) {
		FX_AUTO_FREE char *text = fx_xasprintf("%lld %lld",
			(long long)status.st_size, (long long)status.st_mtime);

		fx_hasher_add_text(hasher, text);
	}
}

static struct fx_error *
name_output(struct build *build)
{
	FX_AUTO_FREE char *cache = fx_shim_cache();
	struct fx_hasher *hasher;
	char digest[33];

	if (!cache)
		return fx_error_new(FX_ERR_IO,
			"there is no folder for the shim: neither "
			"XDG_CACHE_HOME nor HOME is set");
	hasher = fx_hasher_new();
	fx_hasher_add_text(hasher, FX_SHIM_ID);
	fx_hasher_add_text(hasher, build->version);
	fx_hasher_add_text(hasher, build->compiler_version);
	add_library(hasher, build->folder);
	fx_hash_text(fx_hasher_free(hasher), digest);
	build->path = fx_xasprintf("%s/fxdb-torch-%s-%.16s.so", cache,
		build->version, digest);
	return fx_file_make_folder(cache);
}

/* --- compiling ---------------------------------------------------------- */

static bool
is_before(const char *version, long major, long minor)
{
	char *end;
	long first = strtol(version, &end, 10);
	long second = *end == '.' ? strtol(end + 1, NULL, 10) : 0;

	return first < major || (first == major && second < minor);
}

/* Wheels before 2.7 were built with the old std::string. */
static bool
has_old_strings(const char *folder)
{
	FX_AUTO_FREE char *path = fx_xasprintf("%s/lib/libc10.so", folder);
	FX_AUTO_FREE char *bytes = NULL;
	size_t size;
	FX_AUTO_ERROR struct fx_error *err =
		fx_file_read(path, (size_t)1 << 28, &bytes, &size);
	static const char symbol[] = "_ZN3c105ErrorC1ENS_14SourceLocationESs";

	return !err && memmem(bytes, size, symbol, sizeof(symbol));
}

#define LINE_LIMIT 300

static bool
tells_why(const char *line, size_t length)
{
	static const char *const words[] = { "rror:", "failed", "cannot",
		"No space" };

	for (size_t i = 0; i < FX_ARRAY_LEN(words); i++)
		if (memmem(line, length, words[i], strlen(words[i])))
			return true;
	return false;
}

/* Return the line of a compiler's OUTPUT that names the error, else its first
 * line with text, else NULL.  The caller frees it.
 */
static char *
telling_line(const char *output)
{
	const char *first = NULL;
	size_t length;

	for (const char *line = output; *line;) {
		length = strcspn(line, "\n");
		if (!first && length)
			first = line;
		if (tells_why(line, length)) {
			first = line;
			break;
		}
		line += length + (line[length] == '\n');
	}
	if (!first)
		return NULL;
	length = strcspn(first, "\n");
	return fx_xstrndup(first, FX_MIN(length, (size_t)LINE_LIMIT));
}

/* The error of a compiler that ended as ERR_TAKEN tells and said OUTPUT: one
 * line.
 */
static struct fx_error *
compile_error(const struct build *build, struct fx_error *err_taken,
	const char *output)
{
	FX_AUTO_ERROR struct fx_error *ended = err_taken;
	FX_AUTO_FREE char *line = telling_line(output);

	return fx_error_hint(
		fx_error_new(fx_error_code(ended),
			"the shim for torch %s could not be built: %s",
			build->version, line ? line : fx_error_message(ended)),
		"set backend python runs every operation without it");
}

static struct fx_error *
compile(const struct build *build)
{
	FX_AUTO_FREE char *output =
		fx_xasprintf("%s.%ld", build->path, (long)getpid());
	FX_AUTO_FREE char *ours = fx_xasprintf("-I%s", build->sources);
	FX_AUTO_FREE char *include = fx_xasprintf("%s/include", build->folder);
	FX_AUTO_FREE char *api =
		fx_xasprintf("%s/include/torch/csrc/api/include",
			build->folder);
	FX_AUTO_FREE char *source =
		fx_xasprintf("%s/torch/shim.cc", build->sources);
	FX_AUTO_FREE char *library = fx_xasprintf("-L%s/lib", build->folder);
	FX_AUTO_FREE char *rpath =
		fx_xasprintf("-Wl,-rpath,%s/lib", build->folder);
	FX_AUTO_FREE char *text = NULL;
	const char *argv[] = { build->compiler, "-O2",
		is_before(build->version, 2, 14) ? "-std=c++17" : "-std=c++20",
		has_old_strings(build->folder) ? "-D_GLIBCXX_USE_CXX11_ABI=0"
					       : "-D_GLIBCXX_USE_CXX11_ABI=1",
		"-fPIC", "-fvisibility=hidden", "-shared", "-w",
		"-DFXS_SOURCE_ID=\"" FX_SHIM_ID "\"", ours, "-isystem", include,
		"-isystem", api, source, library, "-ltorch_cpu", "-lc10", rpath,
		"-o", output, NULL };
	struct fx_error *err = fx_process_messages(argv, COMPILE_MS, &text);

	if (!err && rename(output, build->path) != 0)
		err = fx_file_error("write", build->path, errno);
	if (err)
		unlink(output);
	return err ? compile_error(build, err, text) : NULL;
}

static void
tell(const struct build *build, const struct fx_shim_options *options)
{
	FX_AUTO_FREE char *line = fx_xasprintf("Building the shim for torch "
					       "%s, once, 10 to 20 seconds.",
		build->version);

	if (options->tell)
		options->tell(options->context, line);
}

struct fx_error *
fx_shim_build(const char *folder, const struct fx_shim_options *options,
	char **path_ret)
{
	FX_AUTO(build) struct build build = { .folder = folder };
	struct fx_error *err = fx_shim_torch_version(folder, &build.version);

	if (!err)
		err = find_compiler(&build.compiler, &build.compiler_version);
	if (!err)
		err = name_output(&build);
	if (err)
		return err;
	build.sources = fx_shim_sources();
	if (access(build.path, R_OK) != 0 || !fx_shim_is_whole(build.path)) {
		if (!build.sources)
			return fx_error_new(FX_ERR_UNSUPPORTED,
				"the sources of the shim are not installed");
		if (options->is_built)
			return fx_error_new(FX_ERR_UNSUPPORTED,
				"the shim for torch %s is not built yet",
				build.version);
		tell(&build, options);
		err = compile(&build);
	}
	if (err)
		return err;
	*path_ret = build.path;
	build.path = NULL;
	return NULL;
}
