"""What tests of fxdb.debug share: a call with commands, and how it is judged."""
import os
import sys
import tempfile

FOLDER = os.path.join(os.environ["FXDB_BUILDDIR"], "src/capture")
sys.path.insert(0, FOLDER)

import torch

WORK = tempfile.TemporaryDirectory()
passed = 0


def said(commands, call):
    """What CALL gives while COMMANDS run in the debugger, and what was said."""
    path = os.path.join(WORK.name, "c.fxdb")
    with open(path, "w") as file:
        file.write("\n".join(commands) + "\n")
    log = os.path.join(WORK.name, "log")
    outputs = [os.dup(1), os.dup(2)]
    sys.stdout.flush()
    with open(log, "w") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    try:
        result = call(path)
    except BaseException as error:
        result = error
    finally:
        sys.stdout.flush()
        for number, saved in enumerate(outputs, 1):
            os.dup2(saved, number)
            os.close(saved)
    with open(log) as file:
        return result, file.read()


def check(truth, *shown):
    global passed
    if not truth:
        raise AssertionError(shown)
    passed += 1


def state(model):
    return {name: value.clone() for name, value in model.state_dict().items()}


def same(a, b):
    return a.keys() == b.keys() and all(torch.equal(a[k], b[k]) for k in a)
