"""A program on a terminal of its own, for prompt.py and signals.py."""
import fcntl
import os
import pty
import signal
import subprocess
import termios


def take():
    """As a shell starts it, also where the tests run in the background of a
    script or under nohup, which ignore some of these.
    """
    for number in signal.SIGINT, signal.SIGQUIT, signal.SIGHUP:
        signal.signal(number, signal.SIG_DFL)
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def start(arguments, environment):
    """The process, our end and its end, the modes of the line before."""
    ours, theirs = pty.openpty()
    before = termios.tcgetattr(theirs)
    process = subprocess.Popen(
        arguments, stdin=theirs, stdout=theirs, stderr=theirs,
        env=environment, start_new_session=True, preexec_fn=take)
    return process, ours, theirs, before
