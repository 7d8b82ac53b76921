/* guard.c - pages of mapped files that are gone when they are touched.
 *
 * The handler puts pages of zeros over the rest of the mapping and returns, so
 * the instruction runs again and goes on.  It may run in any thread, while
 * only the thread that adds and removes guards waits for the operator: hence
 * atomic links, and no lock.
 */
#include <config.h>

#include "base/guard.h"

#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static struct {
	struct fx_guard *_Atomic first;
	bool is_installed;
	uintptr_t page;
	struct sigaction before;
} guards;

/* --- the fault ----------------------------------------------------------- */

/* Where the last page ends. */
static uintptr_t
end_of(const struct fx_guard *guard)
{
	return guard->end +
	       (guards.page - guard->end % guards.page) % guards.page;
}

static struct fx_guard *
find(uintptr_t begin, uintptr_t end)
{
	struct fx_guard *guard = atomic_load(&guards.first);

	while (guard && (end <= guard->begin || begin >= end_of(guard)))
		guard = atomic_load(&guard->next);
	return guard;
}

/* Two threads may fault at once: the lower address counts. */
static void
note_lost(struct fx_guard *guard, uintptr_t from)
{
	uintptr_t known = atomic_load(&guard->lost);

	while ((!known || from < known) &&
		!atomic_compare_exchange_weak(&guard->lost, &known, from))
		;
}

/* Zeros from the page at ADDRESS to the end of its mapping: what follows the
 * first page that is gone is gone too.  (mmap is a bare system call.)
 */
static bool
put_zeros(uintptr_t address)
{
	struct fx_guard *guard = find(address, address + 1);
	uintptr_t from = address - address % guards.page;

	if (!guard)
		return false;
	note_lost(guard, from);
	return mmap((void *)from, end_of(guard) - from, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE,
		       -1, 0) != MAP_FAILED;
}

/* Faults of others end as they did before: the instruction runs again. */
static void
on_fault(int number, siginfo_t *info, void *context)
{
	int saved = errno;
	bool is_fault = info->si_code > 0;

	(void)context;
	if (!is_fault || !put_zeros((uintptr_t)info->si_addr)) {
		sigaction(SIGBUS, &guards.before, NULL);
		if (!is_fault)
			raise(number);
	}
	errno = saved;
}

static void
install(void)
{
	struct sigaction action = { .sa_sigaction = on_fault,
		.sa_flags = SA_SIGINFO };

	guards.is_installed = true;
	guards.page = (uintptr_t)sysconf(_SC_PAGESIZE);
	sigemptyset(&action.sa_mask);
	sigaction(SIGBUS, &action, &guards.before);
}

/* --- guards -------------------------------------------------------------- */

void
fx_guard_add(struct fx_guard *guard)
{
	if (!guards.is_installed)
		install();
	atomic_store(&guard->lost, 0);
	atomic_store(&guard->next, atomic_load(&guards.first));
	atomic_store(&guards.first, guard);
}

void
fx_guard_remove(struct fx_guard *guard)
{
	struct fx_guard *_Atomic *link = &guards.first;

	while (atomic_load(link) && atomic_load(link) != guard)
		link = &atomic_load(link)->next;
	if (atomic_load(link))
		atomic_store(link, atomic_load(&guard->next));
}

bool
fx_guard_any(void)
{
	return atomic_load_explicit(&guards.first, memory_order_relaxed);
}

/* The end of a file need not lie between pages, and to touch what follows it
 * in the last one is no fault: so the file is asked.
 */
static void
ask_file(struct fx_guard *guard)
{
	struct stat st;

	if (fstat(guard->fd, &st) == 0 &&
		(uintmax_t)st.st_size < guard->file_end)
		note_lost(guard,
			FX_MAX(guard->begin,
				guard->end - (guard->file_end -
						     (size_t)st.st_size)));
}

struct fx_error *
fx_guard_check(uintptr_t address, size_t size, const struct fx_guard **seen)
{
	struct fx_guard *guard = size ? find(address, address + size) : NULL;
	uintptr_t lost;

	if (!guard)
		return NULL;
	if (!seen || *seen != guard)
		ask_file(guard);
	if (seen)
		*seen = guard;
	lost = atomic_load(&guard->lost);
	if (!lost || address + size <= lost)
		return NULL;
	return fx_error_hint(fx_error_new(FX_ERR_FORMAT,
				     "\"%s\" was cut short while it was in use",
				     guard->path),
		"load it again");
}
