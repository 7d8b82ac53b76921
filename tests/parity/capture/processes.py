"""Processes around a capture: interrupted, killed, left behind, exchanged."""
import glob
import json
import os
import pty
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

from session import DATA, FXDB, PYTHON, Session, Skip, check, find, gone, \
    shared

FAKE = """#!/bin/sh
echo started >>"%s"
%s
"""


def fake_python(folder, does):
    """A program to give as --python, and the file that shows that it ran."""
    path, trace = os.path.join(folder, "python"), os.path.join(folder, "ran")
    with open(path, "w") as file:
        file.write(FAKE % (trace, does))
    os.chmod(path, 0o755)
    return path, trace


def still_works(session):
    find(session.run("trace good.py:Good"), r"Good(-\d+)?: 4 nodes")


def interrupted(model, word, seconds):
    session = Session()
    still_works(session)
    session.type("trace " + model)
    if word:
        session.wait(word)
    else:
        time.sleep(0.5)
    began = time.monotonic()
    session.signal()
    # What comes without a terminal is a script, which ends there.
    find(session.rest(), r"error: interrupted\n")
    took = time.monotonic() - began
    assert took < seconds, "took %.1f s" % took


def ctrl_c_stops_a_loop():
    interrupted("loops.py:Loop", "looping", 20)


def ctrl_c_stops_a_sleep():
    interrupted("loops.py:Sleep", "sleeping", 20)


def ctrl_c_stops_an_import():
    interrupted("import_loops.py:x", None, 20)


def ctrl_c_stops_a_model_that_ignores_it():
    interrupted("loops.py:Deaf", "deaf", 30)


def ctrl_c_stops_a_model_that_catches_it():
    interrupted("loops.py:Stubborn", "stubborn", 30)


def ctrl_c_stops_a_stopped_model():
    interrupted("loops.py:Stopped", "stopped", 30)


def ctrl_c_stops_endless_output():
    interrupted("prints.py:Endless", "yyyy", 30)


def ctrl_c_before_torch_is_there():
    with tempfile.TemporaryDirectory() as folder:
        path, _ = fake_python(folder, "exec sleep 1000")
        session = Session(python=path)
        session.type("trace good.py:Good")
        time.sleep(0.3)
        server = session.server()
        session.signal()
        find(session.rest(), r"error: interrupted\n")
        assert gone(server), "the fake Python lives on"


def the_server_killed_between_two_captures():
    session = shared()
    still_works(session)
    server = session.server()
    os.kill(server, signal.SIGKILL)
    assert gone(server)
    still_works(session)
    assert session.server() != server


def safetensors(path):
    """{name: (dtype, shape, bytes)} of the file at PATH."""
    with open(path, "rb") as file:
        data = file.read()
    start = 8 + int.from_bytes(data[:8], "little")
    return {name: (entry["dtype"], entry["shape"],
                   data[slice(*(start + at for at in entry["data_offsets"]))])
            for name, entry in json.loads(data[8:start]).items()
            if name != "__metadata__"}


def weights_come_over_whole():
    """Every kind of tensor, tied and turned ones, against bytes made here."""
    def pack(code, *values):
        return struct.pack("<%d%s" % (len(values), code), *values)
    weight = pack("f", *(i / 4 for i in range(6)))
    wanted = {
        "first.weight": ("F32", [2, 3], weight),
        "first.bias": ("F32", [2], pack("f", -1.5, 2e30)),
        "turned": ("F32", [3, 2], pack("f", 0, 3, 1, 4, 2, 5)),
        "part": ("I64", [3], pack("q", 2, 5, 8)),
        "short": ("F16", [2], pack("e", 0.5, -2)),
        "brain": ("BF16", [2], pack("H", 0x3f80, 0x4040)),
        "truth": ("BOOL", [3], b"\1\0\1"),
        "small": ("U8", [3], b"\xff\0\7"),
        "one": ("F64", [], pack("d", 7.25)),
        "none": ("F32", [0, 3], b""),
        "_tensor_constant0": ("F32", [1], pack("f", 3)),
    }
    session = shared()
    find(session.run("trace weights.py:Kinds"), "Kinds: 6 nodes")
    with tempfile.TemporaryDirectory() as folder:
        said = session.run("save %s/kinds.fxg" % folder)
        assert "error" not in said, said
        find(said, r"kinds.fxg \(", r"without the values of (complex, nowhere"
             r"|nowhere, complex): a file of weights cannot hold them\n")
        name, = [name for name in os.listdir(folder)
                 if name.endswith(".safetensors")]
        found = safetensors(os.path.join(folder, name))
        assert found == wanted, [key for key in set(found) | set(wanted)
                                 if found.get(key) != wanted.get(key)]
        with open(folder + "/kinds.fxg") as file:
            find(file.read(), '"tensor":"tied.weight".*'
                 '"storage":"first.weight"')  # one of them was written
        find(session.run("load %s/kinds.fxg" % folder), "6 nodes")


def weights_outlive_the_server():
    session = shared()
    still_works(session)
    server = session.server()
    os.kill(server, signal.SIGKILL)
    assert gone(server)
    with tempfile.TemporaryDirectory() as folder:
        said = session.run("save %s/good.fxg" % folder)
        assert "error" not in said, said
        names = os.listdir(folder)
        assert any(name.endswith(".safetensors") for name in names), names


def the_server_killed_during_a_capture():
    session = shared()
    session.type("trace loops.py:Sleep")
    session.wait("sleeping")
    os.kill(session.server(), signal.SIGKILL)
    find(session.run("echo"), r"error: the model's process is gone\n")
    still_works(session)


def the_model_killed_during_a_capture():
    session = shared()
    session.type("trace loops.py:Sleep")
    session.wait("sleeping")
    for child in session.children(session.server()):
        os.kill(child, signal.SIGKILL)
    find(session.run("echo"),
         r"error: the model ended its process: signal 9 \(Killed\)\n")
    still_works(session)


def the_model_killed_between_two_captures():
    session = shared()
    still_works(session)
    find(session.run("info graph"), r"process +\d+ holds the weights")
    for child in session.children(session.server()):
        os.kill(child, signal.SIGKILL)
        assert gone(child)
    assert "holds the weights" not in session.run("info graph")
    with tempfile.TemporaryDirectory() as folder:
        find(session.run("save %s/x.fxg" % folder),
             r"error: the process that traced the model is gone; trace the "
             r"model again\n")
        assert not os.listdir(folder)
    still_works(session)


def values_in_a_killed_process_are_said_to_be_gone():
    session = shared()
    still_works(session)
    session.run("set backend python")
    session.run("input x = randn(3, 4)")
    session.run("start")
    session.run("next")
    find(session.run("print fc"), r"f32\[3,2\]  min ")
    for child in session.children(session.server()):
        os.kill(child, signal.SIGKILL)
        assert gone(child)
    find(session.run("print fc"), r"f32\[3,2\]  \(the process .*gone")
    find(session.run("next"), r"Stopped at @2 relu: the process .*gone")
    find(session.run("when"), r"Before @2 of 4")
    still_works(session)


def an_interrupt_of_a_run_says_where_and_how_long():
    if not glob.glob(os.environ["FXDB_SHIMS"] + "/fxdb-torch-*.so"):
        raise Skip("without libtorch nothing takes long")
    session = Session()
    still_works(session)
    session.run("insert after fc : big = torch.randn(9000, 3000)")
    for i in range(30):
        session.run("insert before relu : s%d = torch.sort(big)" % i)
    session.run("input x = randn(3, 4)")
    session.type("run")
    time.sleep(1)
    session.process.send_signal(signal.SIGINT)
    find(session.rest(),
         r"Interrupted before @\d+ \(\d+\.\d s\); state kept")


def run_and_press(session, model, presses):
    """Run MODEL, which hears Ctrl-C so often."""
    session.run("trace waits.py:" + model)
    session.run("set backend python")
    session.run("input x = randn(3)")
    session.type("run")
    for _ in range(presses):
        time.sleep(1)
        session.process.send_signal(signal.SIGINT)


def what_a_node_prints_is_shown():
    for backend in "auto", "python":
        session = shared()
        session.run("trace waits.py:Loud")
        session.run("set backend " + backend)
        session.run("input x = ones(3)")
        find(session.run("run"), r"(?m)^the first is 2\.0$")
        session.run("goto loud")
        find(session.run("step"), r"(?m)^=>   3 ")


def a_node_in_python_is_interrupted():
    session = Session()
    run_and_press(session, "Naps", 1)
    find(session.rest(), r"Interrupted before @2 \(\d+\.\d s\); state kept")


def a_ctrl_c_between_nodes_in_python_is_not_lost():
    session = Session()
    session.run("trace waits.py:Many")
    session.run("set backend python")
    session.run("input x = randn(3)")
    session.type("run")
    time.sleep(0.3)
    session.process.send_signal(signal.SIGINT)
    find(session.rest(), r"Interrupted before @\d+ ")


def a_node_in_python_that_heeds_no_interrupt_ends_with_its_process():
    session = shared()
    run_and_press(session, "Stubborn", 3)
    find(session.run("when"), r"does not heed Ctrl-C; Ctrl-C again ends the "
         r"process", r"Stopped at @2 stubborn: Ctrl-C ended the process",
         r"Before @2 of 4")
    still_works(session)


def kill_ends_the_process():
    session = shared()
    still_works(session)
    child, = session.children(session.server())
    find(session.run("kill"), r"Python process ended, its weights stay\.")
    assert gone(child)
    find(session.run("kill"), r"Good is not running now\.\n")
    assert "holds" not in session.run("info graph")


def kill_leaves_the_weights():
    found = []
    for line in "echo", "kill":
        session = shared()
        still_works(session)
        session.run(line)
        found.append(session.run('printf "%.9f\\n", fc.weight.sum()'))
    assert found[0] == found[1] and "error" not in found[0], found
    assert "no values" not in session.run("run")


def weights_that_are_gone_are_traced_again():
    session = shared()
    still_works(session)
    for child in session.children(session.server()):
        os.kill(child, signal.SIGKILL)
        assert gone(child)
    session.run("kill")
    find(session.run("run"),
         r"fc\.\w+ has no values \(trace \S+Good\S* has them again\)")


def dropping_the_graph_ends_the_process():
    session = shared()
    still_works(session)
    child, = session.children(session.server())
    session.run("graph drop Good")
    assert gone(child)


def leave_nothing(end):
    session = Session()
    still_works(session)
    session.run("trace ends.py:LeavesChild")
    session.type("trace loops.py:Deaf")
    session.wait("deaf")
    server = session.server()
    children = session.children(server)
    below = [pid for child in children for pid in session.children(child)]
    assert len(children) == 3 and len(below) == 1, (children, below)
    end(session)
    for pid in [server] + children + below:
        assert gone(pid), "process %d lives on" % pid


def nothing_lives_after_fxdb_is_killed():
    leave_nothing(lambda session: session.signal(signal.SIGKILL))


def what_a_model_left_running_ends_without_fxdb_and_server():
    session = Session()
    session.run("trace ends.py:LeavesChild")
    server = session.server()
    child, = session.children(server)
    below, = session.children(child)
    os.kill(server, signal.SIGKILL)
    assert gone(server)
    session.signal(signal.SIGKILL)
    assert gone(child), "the model's process lives on"
    assert gone(below), "what it started lives on"


def nothing_lives_after_quit():
    def end(session):
        session.signal()
        session.wait("interrupted")
        session.end()
    leave_nothing(end)


def info_trace_says_how():
    session = shared()
    session.run("trace causes.py:Flag --concrete flag=True --train")
    find(session.run("info trace"), r"spec +causes.py:Flag\n",
         r"options +--concrete flag=True\n", r"mode +train\n",
         r"python +.*python.* \(python3", r"torch +\d", r"built +.* ms",
         r"traced +.* ms", r"complete +yes\n", r"process +\d+ holds")
    session.run("trace causes.py:If")
    find(session.run("info trace"), r"complete +yes\n")
    session.run("graph If")
    find(session.run("info trace"), r"complete +no\n")


def one_python(python, *patterns):
    session = Session(python=python)
    for _ in range(2):
        find(session.run("trace good.py:Good"), *patterns)
    find(session.run("load no_such.fxg"), "error: ")
    session.end()


def python_that_fails():
    one_python("/bin/false",
               r"error: no Python with torch: /bin/false \(--python\) is no "
               r"Python\n", r"hint: .*--python PATH")


def python_that_is_not_there():
    one_python("/nonexistent/python", r"/nonexistent/python \(--python\) "
               r"cannot be started\n")


def python_that_is_a_folder():
    one_python("/tmp", r"/tmp \(--python\) cannot be started\n")


def python_without_torch():
    with tempfile.TemporaryDirectory() as folder:
        path, _ = fake_python(folder, 'exec %s -I -S "$@"' % PYTHON)
        one_python(path, r"is Python 3\.\d+ without torch\n")


def python_too_old():
    with tempfile.TemporaryDirectory() as folder:
        path, _ = fake_python(
            folder, 'exec %s -c "import sys; sys.version_info = (3, 8)\n$2" '
            '"$3"' % PYTHON)
        one_python(path, r"is Python 3\.8, and 3\.9 or later is needed\n")


def python_with_a_broken_torch():
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(folder + "/torch")
        with open(folder + "/torch/__init__.py", "w") as file:
            file.write("raise ImportError('libcudart.so.11: no such file')\n")
        path, _ = fake_python(
            folder, 'PYTHONPATH=%s exec %s "$@"' % (folder, PYTHON))
        one_python(path, r"error: .*python cannot load the tracer: "
                   r"ImportError: libcudart.so.11", r'hint: .*import torch')


def the_first_python_with_torch_is_taken():
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(folder + "/bin")
        path, trace = fake_python(folder + "/bin", "exit 1")
        os.symlink(PYTHON, folder + "/python3")
        session = Session(python=None, env={
            "VIRTUAL_ENV": folder, "PATH": folder + ":/usr/bin:/bin"})
        still_works(session)
        assert os.path.exists(trace), "VIRTUAL_ENV was not asked"
        find(session.run("info trace"), r"python +.*/python")
        session.end()


def files_here_are_not_imported():
    """A torch.py in the current folder is not what a model imports."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("torch.py", "json.py", "socket.py"):
            with open(os.path.join(folder, name), "w") as file:
                file.write("raise RuntimeError('not this one')\n")
        done = subprocess.run(
            [FXDB, "-nx", "-batch", "--python", PYTHON, "-ex",
             "trace %s/good.py:Good" % DATA], cwd=folder,
            capture_output=True, text=True)
        find(done.stdout, r"Good: 4 nodes")


def an_extension_of_another_build():
    with tempfile.TemporaryDirectory() as folder:
        build = os.environ["FXDB_BUILDDIR"]
        os.makedirs(folder + "/src/capture")
        shutil.copy(FXDB, folder + "/fxdb")
        shutil.copytree(build + "/src/capture/fxdb",
                        folder + "/src/capture/fxdb")
        path = folder + "/src/capture/fxdb/_capture.abi3.so"
        with open(path, "rb") as file:
            data = file.read()
        with open(build + "/config.h") as file:
            ours = [line.split('"')[1] for line in file
                    if "FX_BUILD_ID" in line][0].encode()
        assert ours in data
        with open(path, "wb") as file:
            file.write(data.replace(ours, b"9" * len(ours)))
        done = subprocess.run(
            [folder + "/fxdb", "-nx", "-batch", "--python", PYTHON, "-ex",
             "trace good.py:Good"], cwd=DATA, capture_output=True, text=True)
        find(done.stderr, r"error: the capture extension in .* is of another "
             r"build \(9+, not ", r"hint: build or install fxdb anew")


def output_is_never_in_a_json_result():
    session = subprocess.run(
        [FXDB, "-nx", "--json", "--keep-going", "--python", PYTHON],
        input="trace prints.py:Lines\ntrace prints.py:Control\n"
              "trace causes.py:If\n", cwd=DATA, capture_output=True,
        text=True)
    lines = session.stdout.splitlines()
    objects = [json.loads(line) for line in lines]
    assert len(objects) == 3, lines
    assert objects[0]["nodes"] == 3, objects[0]
    assert objects[2]["error"]["code"] == "trace", objects[2]
    assert "tracing Proxy(x)" not in session.stdout
    assert "\x1b" not in session.stdout + session.stderr
    find(session.stderr, "tracing Proxy")


def batch_starts_no_python():
    """Neither the one given nor the first on PATH; a trace starts that."""
    with tempfile.TemporaryDirectory() as folder:
        path, mark = fake_python(folder, "exit 1")
        os.symlink(path, folder + "/python3")
        env = dict(os.environ, PATH=folder + ":" + os.environ["PATH"])
        env.pop("VIRTUAL_ENV", None)
        begin = [FXDB, "-nx", "-batch"]
        subprocess.run(begin + ["-ex", "quit", "--python", path], check=True)
        for more in ("quit", "help trace", "info graph"):
            subprocess.run(begin + ["-ex", more], env=env,
                           capture_output=True)
        assert not os.path.exists(mark), "a Python was started"
        subprocess.run(begin + ["good.py:Good"], env=env, cwd=DATA,
                       capture_output=True)
        assert os.path.exists(mark), "the fake Python is never started"


def doctor(*arguments, **changes):
    env = dict(os.environ, **changes)
    if "VIRTUAL_ENV" not in changes:
        env.pop("VIRTUAL_ENV", None)
    return subprocess.run([FXDB, "--doctor", *arguments], env=env, text=True,
                          capture_output=True, check=True).stdout


def doctor_says_which_python_and_why():
    state = r"%s \(%s\): Python 3\.\d+\.\d+, torch %s"
    taken = r"\d\S*; trace takes it"
    said = doctor("--python", PYTHON)
    find(said, r"(?m)^capture +/", state % (PYTHON, "--python", taken))
    assert said.count("\nPython ") == 1, said
    find(doctor("--python", "/bin/false"),
         r"/bin/false \(--python\) does not run +install python3-torch, or "
         r"--python PATH")
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(folder + "/bin")
        bare, _ = fake_python(folder + "/bin", 'exec %s -I -S "$@"' % PYTHON)
        os.mkdir(folder + "/first")
        good, _ = fake_python(folder + "/first", 'exec %s "$@"' % PYTHON)
        os.rename(good, folder + "/first/python3")
        find(doctor(VIRTUAL_ENV=folder, PATH=folder + "/first:/usr/bin:/bin"),
             state % (bare, r"\$VIRTUAL_ENV", "none\n"),
             state % (folder + "/first/python3", "PATH", taken))


def info_graph_says_where_from():
    session = shared()
    session.run("trace good.py:Good")
    find(session.run("info graph"), r"origin +trace good.py:Good\n",
         r"dialect +\d", r"process +\d+ holds the weights; kill ends it\n")


def the_prompt_starts_python():
    """And Ctrl-C there does not reach it."""
    with tempfile.TemporaryDirectory() as folder:
        path, trace = fake_python(folder, "exec sleep 1000")
        pid, terminal = pty.fork()
        if pid == 0:
            os.environ["TERM"] = "dumb"
            os.execv(FXDB, [FXDB, "-nx", "-q", "--python", path])
        end = time.monotonic() + 20
        while not os.path.exists(trace) and time.monotonic() < end:
            time.sleep(0.02)
        assert os.path.exists(trace), "no Python was started"
        server, = Session.children(None, pid)
        os.write(terminal, b"\x03")
        time.sleep(0.3)
        os.write(terminal, b"echo here\n")
        said = b""
        while b"here\r\nhere" not in said.replace(b"(fxdb) ", b"") and \
                time.monotonic() < end:
            said += os.read(terminal, 4096)
            if said.count(b"here") >= 2:
                break
        assert not gone(server, 0.2), "Ctrl-C ended the server"
        os.write(terminal, b"quit\n")
        while True:
            try:
                if not os.read(terminal, 4096):
                    break
            except OSError:
                break
        os.waitpid(pid, 0)
        assert gone(server), "the server lives on"


def main():
    only = sys.argv[1:]
    tests = [value for name, value in globals().items()
             if callable(value) and value.__module__ == "__main__" and
             value.__code__.co_argcount == 0 and name not in ("main",)]
    tests = [test for test in tests if not only or test.__name__ in only]
    return 1 if check(tests) or not tests else 0


sys.exit(main())
