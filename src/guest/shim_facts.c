/* shim_facts.c - what fxdb --doctor tells of libtorch.
 *
 * BLAS decides how fast products of matrices are: with the reference
 * implementation a transformer takes some 70 times as long as with OpenBLAS
 * built for OpenMP, and OpenBLAS with threads of its own gets in the way of
 * libtorch's.
 */
#include <config.h>

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "guest/process.h"
#include "guest/shim_private.h"

#define BLAS_REMEDY "install libopenblas0-openmp"

/* The path of a BLAS library that this process has loaded, or NULL. */
static char *
find_blas(void)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[4096];
	char *found = NULL;

	while (maps && fgets(line, sizeof(line), maps)) {
		char *path = strchr(line, '/');

		if (!path || !strstr(path, "blas"))
			continue;
		path[strcspn(path, "\n")] = '\0';
		if (!found || strstr(path, "openblas")) {
			free(found);
			found = fx_xstrdup(path);
		}
	}
	if (maps)
		fclose(maps);
	return found;
}

static void
tell_blas(fx_shim_fact_fn *fact, void *context)
{
	FX_AUTO_FREE char *path = find_blas();
	const char *remedy = "";

	if (!path) {
		fact(context, "BLAS", "part of libtorch", "");
		return;
	}
	if (strstr(path, "pthread"))
		remedy = BLAS_REMEDY ": this build's threads get in the way "
				     "of libtorch's";
	else if (!strstr(path, "openblas") && !strstr(path, "mkl"))
		remedy = BLAS_REMEDY ": products of matrices are much faster "
				     "with it";
	fact(context, "BLAS", path, remedy);
}

static void
tell_compiler(fx_shim_fact_fn *fact, void *context)
{
	FX_AUTO_FREE char *path = NULL;
	const char *name;

	for (size_t i = 0; !path && (name = fx_shim_compiler(i)); i++)
		path = fx_process_find(name);
	fact(context, "C++ compiler", path ? path : "none",
		path ? ""
		     : "install g++: other versions of torch need it once");
}

void
fx_shim_describe(fx_shim_fact_fn *fact, void *context)
{
	const struct fxs_functions *shim;
	FX_AUTO_ERROR struct fx_error *err = fx_shim_load(NULL, &shim);
	FX_AUTO_FREE char *cache = fx_shim_cache();

	if (err) {
		const char *hint = fx_error_hint_text(err);

		fact(context, "libtorch", fx_error_message(err),
			hint ? hint : "");
	} else {
		FX_AUTO_FREE char *state =
			fx_xasprintf("%s, %d thread%s", shim->loaded,
				shim->threads, shim->threads == 1 ? "" : "s");

		fact(context, "libtorch", state, "");
		tell_blas(fact, context);
	}
	tell_compiler(fact, context);
	fact(context, "shims", cache ? cache : "no home folder to keep them in",
		cache ? "" : "set XDG_CACHE_HOME");
}

/* Whether a shared object is all there.
 *
 * The dynamic linker maps what the headers promise and reads behind the end
 * of a file that was cut short, which is a signal and no error.
 */

/* No shared object has more. */
#define SEGMENT_LIMIT 256

static bool
read_at(int fd, void *ret, size_t size, uint64_t offset)
{
	return offset <= INT64_MAX &&
	       pread(fd, ret, size, (off_t)offset) == (ssize_t)size;
}

static bool
has_segments(int fd, const ElfW(Ehdr) * header, uint64_t size)
{
	for (unsigned i = 0; i < header->e_phnum; i++) {
		ElfW(Phdr) segment;
		uint64_t at = header->e_phoff + i * sizeof(segment);

		if (!read_at(fd, &segment, sizeof(segment), at) ||
			segment.p_offset > size ||
			segment.p_filesz > size - segment.p_offset)
			return false;
	}
	return true;
}

/* What is no shared object is left to the dynamic linker to say. */
static bool
is_whole(int fd)
{
	ElfW(Ehdr) header;
	struct stat status;

	if (fstat(fd, &status) < 0 ||
		!read_at(fd, &header, sizeof(header), 0) ||
		header.e_phentsize != sizeof(ElfW(Phdr)) ||
		header.e_phnum > SEGMENT_LIMIT)
		return true;
	return has_segments(fd, &header, (uint64_t)status.st_size);
}

bool
fx_shim_is_whole(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool whole = fd < 0 || is_whole(fd);

	if (fd >= 0)
		close(fd);
	return whole;
}
