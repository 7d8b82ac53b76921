/* shim_file.c - whether a shared object is all there.
 *
 * The dynamic linker maps what the headers promise and reads behind the end
 * of a file that was cut short, which is a signal and no error.
 */
#include <config.h>

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>

#include "guest/shim_private.h"

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
