/* process.h - starting programs and reading what they say. */
#ifndef FX_GUEST_PROCESS_H
#define FX_GUEST_PROCESS_H

#include <sys/types.h>

#include "base/error.h"

/* Start ARGV[0] (looked up on PATH) in a process group of its own, standard
 * input empty.  OUT and ERR become its descriptors 1 and 2 (-1: /dev/null);
 * KEEP (-1: none) stays open in it under the same number.
 */
struct fx_spawn {
	const char *const *argv;
	int out;
	int err;
	int keep;
};
FX_NODISCARD struct fx_error *fx_process_spawn(const struct fx_spawn *spawn,
	pid_t *pid_ret);

/* The path of the program NAME as PATH has it, or NAME itself when it is a path
 * to one; the caller's.  NULL when there is none.
 */
char *fx_process_find(const char *name);

/* Run ARGV and return what it printed (at most 64 KiB, the caller's), or an
 * error when it cannot start, fails, or takes longer than TIMEOUT_MS.
 */
FX_NODISCARD struct fx_error *fx_process_output(const char *const *argv,
	int timeout_ms, char **text_ret);

/* Like fx_process_output, but *TEXT_RET also has the error messages of the
 * process, and is set even if the function fails.  The caller frees it.
 */
FX_NODISCARD struct fx_error *fx_process_messages(const char *const *argv,
	int timeout_ms, char **text_ret);

/* "exit status 5", "signal 11 (Segmentation fault)" of a wait status; the
 * caller frees.
 */
char *fx_process_status_text(int status);

/* NEWEST is a descriptor just made: when half of those that this process may
 * have are in use, it and PID may have as many as the system lets them.
 */
void fx_process_make_room(pid_t pid, int newest);

/* WHAT, a pipe or a socket, could not be made: errno was NUMBER. */
FX_NODISCARD struct fx_error *fx_process_no_file(const char *what, int number);

#endif /* FX_GUEST_PROCESS_H */
