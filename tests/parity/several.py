"""Runs several programs that import torch, each in a process of its own made
by one that has it: an import takes longer than many of them.

several.py FILE.py... - the exit status is 1 when one of them failed.
"""
import os
import runpy
import sys

import torch  # noqa: F401, for all of them


def run(path):
    """The exit status of the program at PATH, as if Python had begun it."""
    pid = os.fork()
    if pid:
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    sys.argv[:] = [path]
    sys.path[0] = os.path.dirname(path)
    status = 1
    try:
        runpy.run_path(path, run_name="__main__")
        status = 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(
            end.code is not None)
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def main():
    failed = [path for path in sys.argv[1:] if run(path) != 0]
    for path in failed:
        print("%s failed" % os.path.basename(path))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
