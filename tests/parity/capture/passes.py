"""`pass run python:` beside the same passes in torch.fx itself."""
import ast
import os
import re
import subprocess
import sys
import tempfile

from session import DATA, PYTHON, Session, check, find

# What torch.fx makes of the same model by the same function: the listing, and
# the output on the debugger's input.
IN_TORCH = '''
import importlib, os, sys
import torch, torch.fx
sys.path.insert(0, sys.argv[1])
import passes

def show(spec):
    torch.manual_seed(0)
    model = passes.Net().eval()
    given = torch.fx.symbolic_trace(model)
    if spec.startswith("passes.py:"):
        function = getattr(passes, spec[10:])
    else:
        owner, _, name = spec.rpartition(".")
        try:
            function = getattr(importlib.import_module(owner), name)
        except ImportError:
            made = given.graph.eliminate_dead_code()
            function = lambda module: None
    if isinstance(function, type) and \\
            issubclass(function, torch.fx.Transformer):
        function = lambda module, kind=function: kind(module).transform()
    elif isinstance(function, type):
        function = function()
    torch.manual_seed(0)
    made = function(given)
    made = getattr(made, "graph_module", made)
    if isinstance(made, torch.fx.Graph):
        made = torch.fx.GraphModule(given, made)
    made = given if made is None else made
    if hasattr(made, "run_folding"):
        made.run_folding()
    made.recompile()
    print(str(made.graph).strip())
    torch.manual_seed(0)
    with torch.no_grad():
        print("output", made(torch.randn(2, 3, 8, 8)).flatten().tolist())

# Each in a process of its own, which has torch already.
torch.set_num_threads(1)
for spec in sys.argv[2:]:
    if os.fork() == 0:
        show(spec)
        sys.stdout.flush()
        os._exit(0)
    if os.wait()[1]:
        sys.exit(spec)
    print("=" * 40, flush=True)
'''

PASSES = [
    "torch.fx.experimental.optimization.fuse",
    "torch.fx.experimental.optimization.remove_dropout",
    "torch.fx.Graph.eliminate_dead_code",
    "torch.fx.experimental.normalize.NormalizeArgs",
    "torch.fx.experimental.normalize.NormalizeOperators",
    "passes.py:same", "passes.py:gelu", "passes.py:copied",
    "passes.py:graph_alone", "passes.py:folded", "passes.py:shaped",
    "passes.py:halves", "passes.py:later", "passes.py:own_function",
    "passes.py:own_module", "passes.py:Result",
]
try:
    import torchvision  # noqa: F401
    PASSES.append("passes.py:features")
except (ImportError, RuntimeError):  # without its operators
    pass


def in_torch():
    """(listing, output) of each of PASSES."""
    said = subprocess.run(
        [PYTHON, "-W", "ignore", "-c", IN_TORCH, DATA, *PASSES],
        check=True, stdout=subprocess.PIPE).stdout.decode()
    for each in said.split("=" * 40 + "\n")[:-1]:
        listing, _, output = each.rpartition("output ")
        yield listing.strip(), output.strip()


def fxdb(*lines):
    """What a new session over the model says to the last of LINES."""
    session = Session()
    find(session.run("trace passes.py:Net"), "Net: 16 nodes")
    for line in lines:
        said = session.run(line)
    session.end()
    return said


def equal_to_torch():
    """The graph, and what it computes, is what torch.fx makes."""
    session = Session()
    session.run("set verify off")
    for spec, (listing, output) in zip(PASSES, in_torch(), strict=True):
        find(session.run("trace passes.py:Net as net"), "net: 16 nodes")
        said = session.run("pass run python:" + spec)
        find(said, r"\d+ -\d+ ~\d+ nodes")
        assert "error" not in said, said
        mine = session.run("dump fx").strip()
        assert mine == listing, "%s:\n%s\n%s" % (spec, mine, listing)
        session.run("input x = randn(2,3,8,8)")
        find(session.run("run"), "Finished")
        given = re.search(r"return %?(\w+)$", mine).group(1)
        find(session.run("print allclose(%s.flatten(), torch.tensor(%s), "
                         "1e-4, 1e-5)" % (given, output)), "= True")
        assert "error" not in session.run("lint"), spec
        session.run("graph drop net -f")
    session.end()


def what_was_not_changed_stays():
    """Ids, by which breakpoints hold; values; lines of the model."""
    session = Session()
    session.run("set verify off")
    session.run("trace passes.py:Net")
    session.run("input x = randn(2,3,8,8)")
    session.run("break bn")
    session.run("tbreak mean")
    session.run("run")
    find(session.run("continue"), "mean")
    find(session.run("pass run python:passes.py:gelu"), r"\+1 -1 ~3 nodes",
         "the stop: now before @3")
    find(session.run("node gelu"), r"passes.py:\d+")
    find(session.run("continue"), "Finished")
    find(session.run("info record"), "executed +2[0-9]")
    session.run("run")
    find(session.run("pass run python:passes.py:rename"), "~[12] node")
    find(session.run("info breakpoints"), "norm")
    session.run("continue")
    find(session.run("run"), "Breakpoint 1", "norm")
    session.end()


def undone_and_redone():
    """One transaction, with its modules and parameters."""
    session = Session()
    session.run("set verify off")
    session.run("trace passes.py:Net")
    session.run("input x = randn(2,3,8,8)")
    session.run("run")
    session.run("set $was = output")
    for spec in "passes.py:doubles_weights", "passes.py:folded", \
            "passes.py:halves":
        find(session.run("pass run python:" + spec), "undo: 1")
        find(session.run("undo"), "undo: 0")
        find(session.run("diff"), "No differences")
        session.run("run")
        find(session.run("print allclose(output, $was, 0, 0)"), "= True")
        session.run("redo")
        find(session.run("run"), "Finished")
        session.run("undo")
    session.run("begin")
    session.run("pass run python:passes.py:gelu")
    session.run("pass run python:passes.py:own_module")
    session.run("abort")
    find(session.run("diff"), "No differences")
    find(session.run("pass run -n python:passes.py:gelu"), "dry run")
    find(session.run("diff"), "No differences")
    session.end()


def bugs_are_named():
    """Passes that are right are verified, others refused."""
    session = Session()
    session.run("trace passes.py:Net")
    session.run("input x = randn(2,3,8,8)")
    session.run("run")
    for name in "doubles_weights", "loses_activation", "wrong_epsilon", "gelu":
        find(session.run("pass run python:passes.py:" + name),
             "error: refused: python:passes.py:%s changed output: max rel" % name)
        find(session.run("diff"), "No differences")
    # What changes there does not hang together: the part to blame is named.
    for line in ("pass run python:passes.py:one_of_three", "pass diff"):
        find(session.run(line), "first in change 2 of 3: .*%expm1", r"-%exp\b")
    find(session.run("pass run python:passes.py:gelu"),
         r"which hangs together: \+%gelu -%act ~%neg")
    session.run("set verify off")
    for line in ("insert after act : unused = torch.exp(act)",
                 "pass run python:passes.py:one_of_three",
                 "pass run dce"):
        find(session.run(line), "undo: ")
    find(session.run("bisect"), "t2: pass run python:passes.py:one_of_three",
         "first in change 2 of 3: .*%expm1")
    find(session.run("bisect if count{name=expm1} = 0"),
         "first in change 2 of 3: .*%expm1")
    session.run("undo 3")
    session.run("set verify on")
    session.run("run")
    session.run("set $was = output")
    for spec in "torch.fx.experimental.optimization.fuse", \
            "torch.fx.experimental.optimization.remove_dropout", \
            "torch.fx.Graph.eliminate_dead_code", "passes.py:halves", \
            "passes.py:own_function", "passes.py:folded":
        find(session.run("pass run python:" + spec), "undo: 1",
             "verified on 3 inputs|same")
        session.run("undo")
    session.end()


def step_by_step():
    """Its changes are candidates: listed, chosen, stepped and caught."""
    spec = "pass run python:passes.py:one_of_three"
    session = Session()
    session.run("trace passes.py:Net")
    session.run("input x = randn(2,3,8,8)")
    session.run("break act")
    find(session.run(spec + " -n"), r"planned +\+%relu -%act .* act\n",
         r"planned +\+%expm1 -%exp ~%add_1 +exp\n", "neg_1", "dry run")
    find(session.run(spec + " --only nothing"), "no candidate \"nothing\"")
    find(session.run("diff"), "No differences")
    find(session.run(spec + " -s"), r"1/3 \+%relu -%act")
    find(session.run("pass diff"), "\\+ relu = ", "- act = ")
    find(session.run("insert after act : z = torch.neg(act)"),
         "one_of_three is being stepped")
    find(session.run("n"), r"2/3 \+%expm1")
    find(session.run("y"), r"3/3 \+%neg_1")
    find(session.run("q"), "Everything that the pass did is undone")
    find(session.run("diff"), "No differences")
    session.run(spec + " -s")
    for line in "y", "n", "y":
        said = session.run(line)
    find(said, r"\+2 -1 ~3 nodes; undo: 1", "verified on 3 inputs")
    find(session.run("dump script"), re.escape(spec + " --only act,neg_1\n"))
    listing = session.run("dump fx")
    session.run("undo")
    find(session.run(spec + " --only neg_1,act"), "verified on 3 inputs")
    assert session.run("dump fx") == listing
    session.run("undo")
    # What is wrong is named among those that were taken.
    session.run(spec + " -s")
    find(session.run("a"), "refused: .* first in change 2 of 3: .*%expm1")
    session.run(spec + " -s")
    for line in "n", "y":
        session.run(line)
    find(session.run("k"), r"refused: .* which hangs together: \+%expm1")
    find(session.run("diff"), "No differences")
    find(session.run("info breakpoints"), r"1 +on +act")
    # A name is a change of its own.
    find(session.run("pass run python:passes.py:rename -n"),
         r"planned +=%norm \(was %bn\) +bn\n")
    session.run("pass run python:passes.py:rename -s")
    find(session.run("n"), r"\+0 -0 ~0")
    for what in "pass", "pass python:", "pass python:passes.py:rename", \
            "pass *rename", "pass python:rename":
        session.run("delete")
        session.run("catch " + what)
        find(session.run("pass run python:passes.py:rename"),
             "Catchpoint .*: pass python:passes.py:rename", "1/1 =%norm")
        session.run("q")
    find(session.run("pass run python:passes.py:same"), r"\+0 -0 ~0")
    for what in "pass python:gelu", "pass dce":
        session.run("delete")
        session.run("catch " + what)
        find(session.run("pass run python:passes.py:rename"), "undo: 1")
        session.run("undo")
    session.end()


def said_in_one_sentence():
    """Whatever a pass does wrong, and all is as before."""
    session = Session()
    session.run("trace passes.py:Net")
    for name, words in (
            ("raises", "passes.py:raises raised ValueError: no such luck"),
            ("layer", "passes.py:layer returned a Linear"),
            ("others_graph", "inputs a, b; this one has x"),
            ("disordered", "a graph that cannot be: .* before it"),
            ("exits", "passes.py:exits asked Python to exit with 4"),
            ("ends", "passes.py:ends ended its process with status 3"),
            ("crashes", "passes.py:crashes crashed: Segmentation fault"),
            ("NUMBER", "is of type int, no function"),
            ("nothing", "passes has no \"nothing\""),
            ("gelu(", "is no expression"),
            ("nn.Linear(2, 2)", "passes.py:nn.Linear.* raised ")):
        said = session.run("pass run 'python:passes.py:%s'" % name)
        find(said, "error: .*" + words)
        assert len(re.findall("error: ", said)) == 1, said
        find(session.run("diff"), "No differences")
    for spec, words in (
            ("nowhere.at_all", "no Python module \"nowhere\""),
            ("nowhere.py:f", "does not exist"), ("gelu", "names no function"),
            ("", "expected a function"), ("torch.fx", "type module")):
        find(session.run("pass run python:" + spec), "error: .*" + words)
    find(session.run("pass run python:passes.py:prints"), "a word from Net")
    find(session.run("pass run python:passes.py:gelu 3"), "takes no options")
    find(session.run("input x = randn(2,3,8,8)"), "x")
    find(session.run("run"), "Finished")
    session.end()


def whatever_it_does():
    """Each pass of bad_passes.py, by its row there: what is said, and all is as
    before."""
    with open(os.path.join(DATA, "bad_passes.py")) as file:
        tree = ast.parse(file.read())
    rows = [(row.name, ast.get_docstring(row, False)) for row in tree.body
            if isinstance(row, (ast.FunctionDef, ast.AsyncFunctionDef))
            and row.name[0] != "_"]
    assert len(rows) > 45, rows
    session = Session()
    session.run("trace bad_passes.py:Net")
    for line in ("input x = randn(2,4)", "break act", "rename fc2 last", "run"):
        session.run(line)

    def state():
        return [re.sub(r"\$\d+ =", "", session.run(line)) for line in (
            "dump fx", "info undo", "info breakpoints", "when", "params",
            "print/v fc1")]
    before = state()
    wrong = []
    for name, words in rows:
        said = session.run("pass run python:bad_passes.py:" + name)
        own = re.sub("[yz]{9,}\n*", "", said)
        if not re.search(words, said) or own.count("\n") > 6 or \
                said.count("error: ") != ("no candidates" not in said):
            wrong.append("%s: %s" % (name, own[:1000]))
        elif state() != before:
            wrong.append("%s: not as before" % name)
    find(session.run("continue"), "Finished")
    session.end()
    assert not wrong, "\n".join(wrong)


def interrupted():
    """Ctrl-C ends it, also one that does not want to."""
    for name in "loops", "loops_on":
        session = Session()
        session.run("trace passes.py:Net")
        session.type("pass run python:passes.py:" + name)
        session.wait("begun")
        session.signal()
        # What comes without a terminal is a script, which ends there.
        find(session.rest(), "error: passes.py:%s was interrupted" % name)


def on_values_of_the_session():
    """A pass sees weights and modules that were set, and a run that wrote."""
    session = Session()
    session.run("set verify off")
    session.run("trace passes.py:Net --train")
    session.run("input x = randn(2,3,8,8)")
    session.run("set backend python")
    session.run("run")
    find(session.run("pass run python:passes.py:same"), r"\+0 -0 ~0")
    find(session.run("diff"), "No differences")
    session.run("set backend auto")
    session.run("set value conv.weight = $v * 0")
    session.run("set module fc = nn.Linear(4, 2)")
    session.run("run")
    session.run("set $was = output")
    find(session.run("pass run python:passes.py:same"), r"\+0 -0 ~0")
    session.run("run")
    find(session.run("print allclose(output, $was, 0, 0)"), "= True")
    session.end()


def a_graph_from_a_file():
    """Modules are made of their classes; what has none is named."""
    with tempfile.TemporaryDirectory() as folder:
        session = Session()
        session.run("set verify off")
        session.run("trace passes.py:Net")
        session.run("input x = randn(2,3,8,8)")
        session.run("pass run python:passes.py:own_function")
        session.run("save %s/net.fxg" % folder)
        session.run("run")
        session.run("dump value output %s/net.npy" % folder)
        session.run("trace weights.py:Kinds().first as kinds")
        session.run("save %s/kinds.fxg" % folder)
        session.end()
        session = Session()
        session.run("set verify off")
        session.run("load %s/net.fxg" % folder)
        find(session.run("pass run python:torch.fx.experimental.optimization."
                         "remove_dropout"), "-1|-2")
        find(session.run("pass run python:passes.py:gelu"), r"\+1 -1")
        find(session.run("undo"), "nodes")
        find(session.run("undo"), "nodes")
        find(session.run("pass run python:passes.py:same"), r"\+0 -0 ~0")
        session.run("load %s/kinds.fxg" % folder)
        find(session.run("pass run python:passes.py:same"), r"\+0 -0 ~0")
        session.end()


def after_other_edits():
    """Layers that went from where they stood, or are in an outlined graph, in
    the model and in a copy, which no process has."""
    for copies in ([], ["graph copy Deep as other"]):
        for edits in (["pass run fuse-conv-bn --only body_1_1"],
                      ["pass run fuse-conv-bn"],
                      ["outline body as tail"],
                      ["outline body.0 as tail", "outline tail as outer"]):
            session = Session()
            session.run("trace passes.py:Deep")
            for line in copies + ["input x = randn(2,3,12,12)",
                                  "set verify strict"] + edits:
                session.run(line)
            find(session.run("pass run python:passes.py:same"), r"\+0 -0 ~0")
            find(session.run("verify"), "verified on 3 inputs")
            session.end()


def a_script_and_a_recovery():
    """The command is a line of the script."""
    session = Session()
    session.run("set verify off")
    session.run("trace passes.py:Net")
    session.run("input x = randn(2,3,8,8)")
    session.run("pass run python:passes.py:gelu")
    find(session.run("dump script"), "trace passes.py:Net\n"
         "input x = .*\npass run python:passes.py:gelu\n")
    find(session.run("pass diff"), "t1: pass run", r"\+ gelu", "- act")
    session.end()


IN_PROGRAM = '''
import sys
sys.path[:0] = sys.argv[1:3]
import torch, fxdb, passes
model, x = passes.Net().eval(), torch.randn(2, 3, 8, 8)
for name in "halves", "torch.fx.Graph.eliminate_dead_code":
    with open(sys.argv[3], "w") as file:
        file.write("pass run python:%s" % (
            name if "." in name else "passes.py:" + name))
    try:
        print(torch.equal(fxdb.debug(model, x, script=sys.argv[3]), model(x)))
    except Exception as error:
        print(error)
'''


def in_a_program():
    """Nodes may change there; modules and parameters are the program's."""
    with tempfile.NamedTemporaryFile() as script:
        said = subprocess.run(
            [PYTHON, "-c", IN_PROGRAM,
             os.path.join(os.environ["FXDB_BUILDDIR"], "src/capture"), DATA,
             script.name], cwd=DATA, check=True, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT).stdout.decode()
    find(said, "halves changes modules or parameters", "True")


TESTS = [equal_to_torch, bugs_are_named, step_by_step, whatever_it_does, what_was_not_changed_stays,
         undone_and_redone, said_in_one_sentence, interrupted, on_values_of_the_session,
         a_graph_from_a_file, after_other_edits, a_script_and_a_recovery,
         in_a_program]

sys.exit(1 if check([test for test in TESTS if len(sys.argv) < 2 or
                     test.__name__ in sys.argv[1:]]) else 0)
