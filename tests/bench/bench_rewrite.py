"""Rewrites, passes and comparing, each beside what torch.fx takes for the same
in this run, where it has the like.  A figure of fxdb is processor time of the
process: the command and its undo, some number of times, less the same without
them; the least of several.  What takes less than loading its graph is measured
in one process, from the command to the prompt.  torch.fx is timed in its own
process, on a copy of the graph that was made before.
"""
import copy
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import threading
import time

FXDB = os.environ["FXDB"]
TIMES = 3
MANY = 11  # where loading takes longer than what is measured
RULES = {"add": ("x, y", "x + y", "torch.sub(x, y)"),
         "relu": ("x", "F.relu(x)", "F.gelu(x)")}
good = True


# --- torch.fx, in a process of its own ---------------------------------------

def torch_model(name):
    import torch
    sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..",
                                    "parity"))
    import zoo
    zoo.declare_operators()
    import torchvision
    if name == "chain":
        class Chain(torch.nn.Module):
            def forward(self, x):
                for _ in range(10000):
                    x = torch.nn.functional.relu(x)
                return x
        return Chain()
    torch.manual_seed(0)
    return getattr(torchvision.models, name)().eval()


def torch_rewrite(name, rule):
    """Milliseconds of replace_pattern, and how many matches it found."""
    import torch
    import torch.fx
    parameters, pattern, replacement = RULES[rule]
    sides = [eval("lambda %s: %s" % (parameters, side),
                  {"torch": torch, "F": torch.nn.functional})
             for side in (pattern, replacement)]
    traced = torch.fx.symbolic_trace(torch_model(name))
    least = 1e9
    # The chain is too deep to be copied, and takes long enough once.
    for _ in range(1 if name == "chain" else TIMES):
        again = traced if name == "chain" else copy.deepcopy(traced)
        begin = time.process_time()
        matches = torch.fx.replace_pattern(again, *sides)
        least = min(least, time.process_time() - begin)
    return [1e3 * least, len(matches)]


def torch_fuse(name):
    import torch
    from torch.fx.experimental.optimization import fuse
    torch.set_num_threads(1)
    model = torch_model(name)
    least = 1e9
    for _ in range(TIMES):
        begin = time.process_time()
        fuse(model)
        least = min(least, time.process_time() - begin)
    return [1e3 * least, 0]


def ask_torch(python, *words):
    """What this file prints when PYTHON runs it for torch's side; None where
    there is no torch or no torchvision."""
    done = subprocess.run([python, __file__, "torch", *words],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return json.loads(done.stdout) if done.stdout else None


def torch_side():
    print(json.dumps(torch_fuse(sys.argv[3]) if sys.argv[2] == "fuse"
                     else torch_rewrite(*sys.argv[3:])), flush=True)


if sys.argv[1:2] == ["torch"]:
    # Its search for cycles goes as deep as the graph.
    sys.setrecursionlimit(1000000)
    threading.stack_size(512 << 20)
    thread = threading.Thread(target=torch_side)
    thread.start()
    thread.join()
    sys.exit(0)


# --- fxdb ---------------------------------------------------------------------

def used():
    now = resource.getrusage(resource.RUSAGE_CHILDREN)
    return now.ru_utime + now.ru_stime


def process(commands, times=TIMES):
    # Graphs that are compared differ, as they shall: an error of the command.
    arguments = [FXDB, "-nx", "-batch", "--keep-going"]
    for command in commands:
        arguments += ["-ex", command]
    least = 1e9
    for _ in range(times):
        before = used()
        done = subprocess.run(arguments, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL)
        if done.returncode > 1:
            sys.exit("%s: status %d" % (commands, done.returncode))
        least = min(least, used() - before)
    return 1e3 * least


def waited(commands):
    """Seconds by the clock, the least of several."""
    least = 1e9
    for _ in range(TIMES):
        begin = time.perf_counter()
        process(commands, 1)
        least = min(least, time.perf_counter() - begin)
    return least


def cost(before, commands, repeat, times=TIMES):
    """Milliseconds of COMMANDS after BEFORE, run REPEAT times."""
    return (process(before + commands * repeat, times) -
            process(before, times)) / repeat


def processor_time(process):
    """Nanoseconds that PROCESS has run."""
    tasks = "/proc/%d/task" % process.pid
    total = 0
    for task in os.listdir(tasks):
        with open(os.path.join(tasks, task, "schedstat")) as file:
            total += int(file.read().split()[0])
    return total


def prompt_costs(commands):
    """Milliseconds from each of COMMANDS to its prompt, in one process."""
    process = subprocess.Popen([FXDB, "-nx", "--keep-going"],
                               stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT)
    costs = []
    for number, command in enumerate(commands):
        done = "done-%d" % number
        before = processor_time(process)
        process.stdin.write(("%s\necho %s\n" % (command, done)).encode())
        process.stdin.flush()
        for line in process.stdout:
            words = line.decode().split()
            if words[-1:] == [done] and "echo" not in words:
                break
        else:
            sys.exit("%s ended at %s" % (FXDB, command))
        costs.append((processor_time(process) - before) / 1e6)
    process.stdin.close()
    process.stdout.read()
    process.wait()
    return costs


def least_prompt_costs(before, commands):
    """The least of several, for each of COMMANDS after BEFORE."""
    tries = [prompt_costs(before + commands)[len(before):]
             for _ in range(MANY)]
    return [min(costs) for costs in zip(*tries)]


def row(what, figure, bar, beside="", unit="ms"):
    global good
    over = bar is not None and figure > bar
    good &= not over
    print("%s\t%.2f %s%s\t%s\t%s" % (
        what, figure, unit, "  OVER" if over else "",
        "%.3g %s" % (bar, unit) if bar is not None else "", beside),
        flush=True)


def output_of(commands):
    arguments = [FXDB, "-nx", "-batch"]
    for command in commands:
        arguments += ["-ex", command]
    return subprocess.run(arguments, check=True, stdout=subprocess.PIPE,
                          text=True).stdout


def ask_any(pythons, *words):
    """What the first of PYTHONS that has torch says, and which one it is."""
    for python in pythons:
        answer = ask_torch(python, *words)
        if answer:
            return answer, os.path.basename(os.path.dirname(
                os.path.dirname(python)))
    return None, None


def rewrite_row(pythons, name, path, rule, share, repeat):
    _, pattern, replacement = RULES[rule]
    command = "rewrite --fx %s => %s" % (pattern, replacement)
    took = cost(["set verify off", "load " + path], [command, "undo"], repeat)
    said = output_of(["set verify off", "load " + path, command])
    matches = said.split(" match")[0].split()[-1]
    torch, where = ask_any(pythons, "rewrite", name, rule)
    beside = "no torch there"
    if torch:
        beside = "replace_pattern %.1f ms, %d matches, %s: 1/%.0f" % (
            torch[0], torch[1], where, torch[0] / took)
    row("rewrite --fx %s => %s, %s, %s matches, with its undo" % (
        pattern, replacement, name, matches), took,
        torch[0] / share if torch else None, beside)


def fusion_rows(load):
    """What the run gains, beside what the paper on torch.fx says."""
    for threads, paper in ((0, 40), (1, 18)):
        took = []
        for fuse in ([], ["pass run fuse-conv-bn"]):
            before = ["set threads %d" % threads, "set verify off"] + load + \
                fuse + ["run"]
            took.append((waited(before + ["run"] * 20) - waited(before)) / 20)
        row("run of resnet50 after fuse-conv-bn, %s, less than before" % (
            "one thread" if threads else "all threads"),
            100 * (1 - took[1] / took[0]), None,
            "%.1f ms before, %.1f after; the paper (arXiv 2112.08429): %d %%"
            % (1e3 * took[0], 1e3 * took[1], paper), "%")


def verification_row(before, rules):
    """A change of the first or of the last nodes; the model's own runs are
    what an early change doubles.  The late one for the first time, and as the
    next command, which knows what the one before it ran."""
    late = "rewrite " + rules["the last"]
    took = {which: cost(before, ["rewrite " + rule], 1)
            for which, rule in rules.items()}
    again = cost(before + [late], ["undo", late], 5)
    own = took["the first"] / 2
    row("verification of a late change of resnet50, the next one, in the "
        "graph's own trials", again / own, 1 / 3,
        "three inputs in f64: %.0f ms, the first time %.0f ms, of an early "
        "change %.0f ms" % (again, took["the last"], took["the first"]),
        "trials")


def compare_row(before):
    """The two take turns, so that what slows the machine slows both."""
    took = []
    for _ in range(TIMES):
        costs = prompt_costs(before + ["run", "compare resnet50 other"] * 9)
        took += zip(costs[len(before)::2], costs[len(before) + 1::2])
    row("compare of resnet50 with another add, in runs, the median of %d pairs"
        % len(took), statistics.median(both / run for run, both in took), 2.2,
        "run %.0f ms" % statistics.median(run for run, _ in took), "runs")


def chain(path, count, period):
    """relu, neg, tanh, exp one after the other; or PERIOD of ten relu."""
    words = ["relu", "neg", "tanh", "exp"]
    with open(path, "w") as file:
        file.write("def forward(self, x):\n")
        last = "x"
        for i in range(count - 2):
            word = words[i % 4] if period == 4 else \
                "relu" if i % 10 < period else "tanh"
            file.write("    n%d = torch.%s(%s)\n" % (i, word, last))
            last = "n%d" % i
        file.write("    return %s\n" % last)


def traced(folder, name):
    path = os.path.join(folder, name + ".fxg")
    subprocess.run([FXDB, "-nx", "-batch", "-ex",
                    "trace torchvision.models:%s() -i x=f32[1,3,224,224]"
                    % name, "-ex", "save " + path], check=True,
                   stdout=subprocess.DEVNULL)
    return path


def functional_chain(path):
    with open(path, "w") as file:
        file.write("def forward(self, x):\n")
        last = "x"
        for i in range(10000):
            name = "relu_%d" % i if i else "relu"
            file.write("    %s = torch.nn.functional.relu(%s, inplace = "
                       "False)\n" % (name, last))
            last = name
        file.write("    return %s\n" % last)


with tempfile.TemporaryDirectory() as folder:
    python = os.environ["FXDB_PYTHON"]
    pythons = [os.environ.get("FXDB_TORCH2", ""), python]
    pythons = [one for one in pythons if os.access(one, os.X_OK)]
    many = os.path.join(folder, "many.py")
    four = os.path.join(folder, "four.py")
    deep = os.path.join(folder, "deep.py")
    chain(many, 100000, 9)
    chain(four, 100000, 4)
    functional_chain(deep)
    has_vision = ask_torch(python, "fuse", "resnet18") is not None
    if has_vision:
        for name in ("resnet50", "efficientnet_b7"):
            path = traced(folder, name)
            rewrite_row(pythons, name, path, "add", 20, 200)
    rewrite_row(pythons, "chain", deep, "relu", 200, 3)
    quiet = ["set backend meta", "set verify off"]
    rewrite, undo = least_prompt_costs(
        quiet + ["load " + many],
        ["rewrite torch.relu(x) => F.gelu(x)", "undo"])
    row("rewrite torch.relu(x) => F.gelu(x), 90,000 of 100,000 nodes",
        rewrite, 100)
    row("and its undo", undo, 100)
    row("match of four nodes, 25,000 times in 100,000 nodes",
        cost(quiet + ["load " + four],
             ["match -m 1 torch.exp(torch.tanh(torch.neg(torch.relu(x))))"],
             3), 100)
    if has_vision:
        path = os.path.join(folder, "resnet50.fxg")
        torch, where = ask_any(pythons, "fuse", "resnet50")
        one = ["set threads 1", "load " + path, "weights random"]
        # From a file, as drawing them takes longer than the pass.
        whole = os.path.join(folder, "whole.fxg")
        output_of(one + ["save " + whole])
        row("pass run fuse-conv-bn, resnet50, the first time, unverified",
            cost(["set verify off", "load " + whole],
                 ["pass run fuse-conv-bn"], 1, MANY),
            min(20, torch[0] / 3), "torch.fx's fuse %.1f ms, %s" % (
                torch[0], where))
        fusion_rows(["load " + path, "weights random"])
        # The first run of a process loads libtorch.
        one += ["run"]
        compare_row(one + ["graph copy resnet50 as other",
                           "set %add.target = torch.sub", "graph resnet50"])
        verification_row(one, {
            "the first": "nn.MaxPool2d(x) => F.max_pool2d(x, 3, 2, 1)",
            "the last": "torch.flatten(x, 1) => torch.reshape(x, (1, 2048))"})
sys.exit(not good)
