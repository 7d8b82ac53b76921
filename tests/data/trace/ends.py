"""Models that end their process, in every way."""
import os
import signal
import sys

from torch import nn


class Exit(nn.Module):
    def forward(self, x):
        sys.exit(3)


class ExitHard(nn.Module):
    def forward(self, x):
        os._exit(5)


class ExitZero(nn.Module):
    def forward(self, x):
        os._exit(0)


class Abort(nn.Module):
    def forward(self, x):
        os.abort()


class Crash(nn.Module):
    def forward(self, x):
        os.kill(os.getpid(), signal.SIGSEGV)
        return x


class Killed(nn.Module):
    def forward(self, x):
        os.kill(os.getpid(), signal.SIGKILL)
        return x


class KillsParent(nn.Module):
    """Ends the server that forked it; the capture goes with it."""

    def forward(self, x):
        os.kill(os.getppid(), signal.SIGKILL)
        signal.pause()


class CloseFiles(nn.Module):
    def forward(self, x):
        os.closerange(0, 256)
        return x + 1


class Fork(nn.Module):
    """Both processes go on."""

    def forward(self, x):
        os.fork()
        return x + 1


class ForkExits(nn.Module):
    def forward(self, x):
        pid = os.fork()
        if not pid:
            os._exit(0)
        os.waitpid(pid, 0)
        return x + 1


class LeavesChild(nn.Module):
    """Its child would sleep long after."""

    def forward(self, x):
        if not os.fork():
            signal.alarm(60)
            signal.pause()
            os._exit(0)
        return x + 1


class Thread(nn.Module):
    """A thread that never ends."""

    def forward(self, x):
        import threading
        threading.Thread(target=threading.Event().wait).start()
        return x + 1
