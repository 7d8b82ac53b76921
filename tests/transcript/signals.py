"""A signal that ends fxdb leaves the terminal as it was, at the prompt and on
the full screen, with no shell behind to repair it.

An operation that cannot be broken off says so at the second Ctrl-C and ends
with the program at the third.

usage: signals.py FXDB MODEL [SHIMS]
"""
import glob
import os
import select
import signal
import sys
import termios
import time

import terminal

PROMPT_WAIT = 20


def start(arguments):
    return terminal.start(arguments, dict(
        os.environ, TERM="xterm-256color", LC_ALL="C.UTF-8",
        HOME="/nonexistent"))


def read_until(ours, wanted):
    """What came until WANTED did; fails when it does not."""
    text, deadline = b"", time.monotonic() + PROMPT_WAIT
    while wanted not in text:
        left = deadline - time.monotonic()
        if left <= 0:
            sys.exit("no %r within %d s: %r" % (wanted, PROMPT_WAIT, text))
        if select.select([ours], [], [], left)[0]:
            text += os.read(ours, 65536)
    return text


def rest(ours):
    text = b""
    while select.select([ours], [], [], 0)[0]:
        try:
            text += os.read(ours, 65536)
        except OSError:
            break
    return text


def is_on(text, mode):
    """Whether private MODE was switched on and not off again."""
    return text.rfind(b"\x1b[?%dh" % mode) > text.rfind(b"\x1b[?%dl" % mode)


def differences(text, before, theirs):
    problems = []
    if termios.tcgetattr(theirs) != before:
        problems.append("the modes differ")
    for mode in (2004, 1049, 1000):
        if is_on(text, mode):
            problems.append("mode %d is still on" % mode)
    return problems


# Long on any machine; nobody waits for its end.
ENDLESS = b"p torch.linalg.svd(randn(7000, 7000))"


def check_endless(fxdb, model, flags):
    """Ctrl-C three times, a second apart."""
    process, ours, theirs, before = start([fxdb, "-nx", model] + flags)
    text = read_until(ours, b"(fxdb)")
    # A build without the full screen has the prompt all the same.
    colon = b":" if is_on(text, 1049) else b""
    os.write(ours, colon + b"start\n")
    text += read_until(ours, b"=>")
    os.write(ours, colon + ENDLESS + b"\n")
    time.sleep(1.5)
    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGINT)  # too soon to mean anything
    time.sleep(1)
    early = rest(ours)
    if b"broken off" in early:
        return ["impatient"]
    text += early
    process.send_signal(signal.SIGINT)
    text += read_until(ours, b"cannot be broken off")
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    status = process.wait()
    text += rest(ours)
    problems = differences(text, before, theirs)
    if status != -signal.SIGINT:
        problems.append("status %d" % status)
    os.close(ours)
    os.close(theirs)
    return problems


def check(fxdb, model, number, flags):
    process, ours, theirs, before = start([fxdb, "-nx", model] + flags)
    text = read_until(ours, b"(fxdb)")
    process.send_signal(number)
    process.wait()
    text += rest(ours)
    problems = differences(text, before, theirs)
    os.close(ours)
    os.close(theirs)
    return problems


def main():
    failed = 0
    for flags in ([], ["--tui"]):
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
            problems = check(sys.argv[1], sys.argv[2], number, flags)
            failed += bool(problems)
            print("%s %s: %s" % (number.name, flags,
                                 ", ".join(problems) or "good"))
        if sys.argv[3:] and glob.glob(sys.argv[3] + "/fxdb-torch-*.so"):
            problems = check_endless(sys.argv[1], sys.argv[2], flags)
            failed += bool(problems)
            print("Ctrl-C thrice %s: %s" % (flags, ", ".join(problems)
                                            or "good"))
    return 1 if failed else 0


sys.exit(main())
