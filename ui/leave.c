/* leave.c - the end of the program.
 *
 * Everything of ours is written by now.  Three things would still keep the
 * person from the prompt of the shell, and nobody needs them:
 *
 * - libtorch's destructors, a tenth of a second.  main leaves them out.
 * - Freeing graphs, weights and values one by one, which grows with them.  The
 *   system takes the memory back whole.
 * - The system's own work at that, some 20 ms for libtorch and a small model,
 *   after which alone the shell hears that the program has ended.  So a process
 *   that shares our memory, and nothing else, outlives us: it is started with
 * no file open and all signals blocked, and the system kills it when we have
 *   ended.  The shell goes on, and the memory is given back beside it.
 */
#include <config.h>

#include "ui/leave.h"

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "session/session.h"

/* Less is given back within three milliseconds. */
#define LARGE ((size_t)32 << 20)

void
ui_leave_session(struct fx_session *session)
{
#ifdef FX_SANITIZERS
	fx_session_free(session);
#else
	fx_session_leave(session);
#endif
}

#if defined SYS_close_range && !defined FX_SANITIZERS
/* How much memory the program has, in bytes; 0 where nobody says. */
static size_t
resident(void)
{
	FILE *file = fopen("/proc/self/statm", "r");
	unsigned long pages = 0;

	if (!file)
		return 0;
	if (fscanf(file, "%*u %lu", &pages) != 1)
		pages = 0;
	fclose(file);
	return pages * (size_t)sysconf(_SC_PAGESIZE);
}

/* (It shares all variables with the other, so it has none and changes none.) */
static int
keep_memory(void *parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (getppid() == *(const pid_t *)parent)
		pause();
	return 0;
}

/* Without such a process all is as it would be, later. */
void
ui_leave_memory(void)
{
	static _Alignas(16) char stack[16384];
	static pid_t self;
	sigset_t all;

	/* valgrind, and whoever else looks from inside, knows no such thing. */
	if (getenv("LD_PRELOAD") || resident() < LARGE)
		return;
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	if (syscall(SYS_close_range, 0, ~0u, 0))
		return;
	self = getpid();
	clone(keep_memory, stack + sizeof(stack), CLONE_VM | SIGCHLD, &self);
}
#else
void
ui_leave_memory(void)
{
}
#endif
