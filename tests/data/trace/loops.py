"""Models that never end: stopped by Ctrl-C, willing or not."""
import signal
import time

from torch import nn


class Loop(nn.Module):
    def forward(self, x):
        print("looping", flush=True)
        while True:
            pass


class Sleep(nn.Module):
    def forward(self, x):
        print("sleeping", flush=True)
        time.sleep(1000)


class Deaf(nn.Module):
    """Takes no notice of SIGINT."""

    def forward(self, x):
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        print("deaf", flush=True)
        while True:
            time.sleep(0.01)


class Stubborn(nn.Module):
    """Catches every KeyboardInterrupt."""

    def forward(self, x):
        print("stubborn", flush=True)
        while True:
            try:
                time.sleep(1000)
            except KeyboardInterrupt:
                pass


class Stopped(nn.Module):
    """Stops itself, as Ctrl-Z would."""

    def forward(self, x):
        print("stopped", flush=True)
        signal.raise_signal(signal.SIGSTOP)
        return x
