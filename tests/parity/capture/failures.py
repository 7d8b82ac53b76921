"""What fxdb says of models that do not trace; after each one that does."""
import subprocess
import sys

import torch

from session import DATA, FXDB, PYTHON, Session, find

GOOD = r"^Good(-\d+)?: 4 nodes, 10 parameters, traced in "

# What `trace` is given, and what is said, in this order.
CASES = [
    # Files, names, expressions.
    ("syntax_error.py:Net", r"error: SyntaxError: invalid syntax\n",
     r"  at syntax_error.py:7: return x \+\n",
     r"  hint: /.* reads it; what a later Python added needs that one"),
    ("import_fails.py:model",
     r"error: ModuleNotFoundError: .*'fxdb_no_such_package'\n",
     r"  at import_fails.py:2 in <module>: import fxdb_no_such_package\n",
     r"  hint: install it for /.*, or choose another Python \(--python\)"),
    ("import_raises.py:width", r"error: KeyError: 'width'\n",
     r"at import_raises.py:3 in <module>: width = settings"),
    ("import_exits.py:x", r"error: the model called sys.exit\('usage: .*'\)\n",
     r"at import_exits.py:4 in <module>: sys.exit",
     r'hint: .* if __name__ == "__main__":\n'),
    ("arguments.py:Net",
     r'error: "arguments.py:Net" needs arguments: width, depth, bias\n',
     r"hint: trace arguments.py:Net\(width=..., depth=..., bias=...\)"),
    ("arguments.py:Net()", r"error: TypeError: .*'width' and 'depth'"),
    ("arguments.py:Net(1, 2)", r"error: TypeError: .*argument: 'bias'"),
    ("arguments.py:Keywords", r"error: KeyError: 'width'\n",
     r"at arguments.py:17 in __init__: self.fc ="),
    ("arguments.py:Nett", r'error: arguments has no "Nett"\n',
     r"hint: nearest: Net\n"),
    ("arguments.py:Transformer", r'error: arguments has no "Transformer"\n',
     r"hint: it has Net, Keywords\n"),
    ("arguments.py", r'error: "arguments.py" names no model\n',
     r"hint: add :EXPR, such as :Net, :Keywords\n"),
    ("arguments.py:", r'error: "arguments.py:" names no model\n'),
    ("argument.py:Net", r'error: "argument.py" does not exist\n',
     r"hint: nearest: arguments.py\n"),
    ("zyzzyva-42.py:Net", r'error: "zyzzyva-42.py" does not exist\n',
     r"hint: there are: arguments.py, at_once.py, .*\.\.\.\n"),
    ("/proc/self/nothing.py:Net", r"hint: no Python file is in /proc/self\n"),
    (".:Net", r'error: "." is neither FILE.py nor a module\'s name\n',
     r"hint: a model is FILE.py:EXPR or package.module:EXPR\n"),
    (":Net", r'error: "" is neither FILE.py nor a module\'s name\n'),
    ("/:Net", r'error: "/" is no file\n'),
    ("no.such.package:X",
     r'error: no Python module "no.such.package": there is no "no"\n'),
    ("torch.nm:X", r'error: no Python module "torch.nm"\n',
     r"hint: nearest: .*torch.nn"),
    ("torch.nn:Linea", r'error: torch.nn has no "Linea"\n',
     r"hint: nearest: .*Linear"),
    ("torch.nn:Linear(", r'error: "Linear\(" is no expression: '),
    ("torch.nn:functional.gelo",
     r"error: module 'torch.nn.functional' has no attribute 'gelo'\n",
     r"nearest: .*gelu"),
    # Things that are no model.
    ("not_models.py:number", r'"not_models.py:number" is of type int, neither '
     r"a module nor a function\n", r"hint: not_models has: NoForward\n"),
    ("not_models.py:table", r"is of type dict, neither"),
    ("not_models.py:makes_number", r'makes_number\(\)" is of type int'),
    ("not_models.py:Plain", r'"not_models.py:Plain\(\)" is of type Plain'),
    ("not_models.py:NoForward", r"a NoForward, has no forward\n"),
    ("not_models.py:double", r"is a partial; a module or a Python function",
     r"hint: trace not_models.py:\(lambda x: double\(x\)\)\n"),
    ("not_models.py:(lambda x: double(x))",
     r"^not_models: 3 nodes, 0 parameters"),
    ("not_models.py:bound", r"is a bound method; a module or a Python",
     r"hint: trace not_models.py:\(lambda x: bound\(x\)\)\n"),
    ("not_models.py:halve", r"^halve: 3 nodes"),
    # Flags.
    ("good.py:Good -i x=f32[2,9]", "impossible shape, first %"),
    ("causes.py:Nested --leaf Decide", r'error: --leaf: no class "Decide"\n',
     r"nearest: Decides"),
    ("causes.py:Nested --leaf ACTIVATIONS", r"--leaf takes a class"),
    ("causes.py:Nested --leaf Decides", r"^Nested: 4 nodes"),
    ("causes.py:Flag --concrete flga=True",
     r'error: --concrete: the model has no input "flga"\n',
     r"hint: nearest: flag\n"),
    ("causes.py:Flag --concrete flag", r"--concrete takes NAME=VALUE"),
    ("causes.py:Flag --concrete flag=undefined",
     r"error: --concrete flag=undefined: NameError: "),
    ("causes.py:Flag --concrete flag=(1,)", r"^Flag: 6 nodes"),
    ("causes.py:Flag --concrete flag=(PH,{'a':PH})", r"^Flag(-\d+)?: 5 nodes"),
    ("causes.py:Flag --concrete nosuch=1",
     r'error: --concrete: the model has no input "nosuch"\n',
     r"hint: its inputs: x, flag\n"),
    ("causes.py:Flag --concrete flag=1 --concrete flag=2",
     r'error: --concrete fixes "flag" twice\n'),
    ("causes.py:Nested --leaf Zebra", r'error: --leaf: no class "Zebra"\n',
     r"hint: a class of the model's file, or a dotted name as nn.Linear\n"),
    ("causes.py:Flag --concrete flag=True", r"^Flag(-\d+)?: 6 nodes"),
    ("good.py:Good --tracer good.py:Good",
     r'error: "good.py:Good" is no subclass of fxdb.Tracer\n'),
    ("causes.py:Nested --tracer tracer.py:Whole", r"^Nested(-\d+)?: 3 nodes"),
    ("causes.py:Nested --tracer tracer.py:Whole --leaf ReLU",
     r'--leaf: no class "ReLU"'),
    ("causes.py:Nested --tracer tracer.py:Whole --leaf nn.ReLU",
     r"^Nested(-\d+)?: 3 nodes"),
    ("causes.py:Nested --tracer tracer.py:Hole", r'tracer has no "Hole"\n',
     r"hint: nearest: Whole"),
    ("causes.py:Nested --tracer tracer.py:Raises",
     r"AttributeError: .*'no_such_attribute'",
     r"at tracer.py:17 in is_leaf_module: ", r"at causes.py:\d+ in forward"),
    ("causes.py:Nested --leaf Decides --tracer tracer.py:GivesNothing",
     r"GivesNothing.trace gave a NoneType, not an fxdb.Graph"),
    # Models that print.
    ("prints.py:Lines", "importing\n", "building\n",
     r"tracing Proxy\(x\)\n", "to the error stream\n", "^Lines: 3 nodes"),
    ("prints.py:Control", r"red \\x1b\[31mtext", r"\\xff\\xfe end\n",
     "no newline at the end\n", "^Control: 3 nodes"),
    ("prints.py:Much", "00000 xxx", "01999 xxx", "^Much: 3 nodes"),
    # Models that raise.
    ("raises.py:InConstructor", r"error: TypeError: ",
     r'at raises.py:9 in __init__: self.fc = nn.Linear\(4, "four"\)'),
    ("raises.py:InForward", r"error: ValueError: the model is\n  not ready\n",
     r"  at raises.py:24 in forward: raise ValueError",
     r"  at raises.py:18 in forward: return self.inner",
     r"the graph so far, 3 nodes, is open too: graph InForward\n"),
    ("raises.py:Attribute", r"error: RuntimeError: no scale yet\n",
     r"at raises.py:30 in scale", r"at raises.py:33 in forward"),
    ("raises.py:Missing", r"AttributeError: .*'fc1'", r"at raises.py:38"),
    ("raises.py:Misspelt", r"AttributeError: .*'layer'",
     r"hint: nearest: .*layers"),
    ("raises.py:Unregistered", r"error: RuntimeError: operator torchvision::nms",
     r"hint: the compiled part of torchvision does not load: is it made for "
     r"torch \d+\.\d"),
    ("raises.py:Importing", r"error: ModuleNotFoundError: Could not import",
     r"hint: the compiled part of torchvision does not load"),
    ("raises.py:OddAttribute", r"^OddAttribute: 3 nodes"),
    # What makes a sequence packed decides by what it is given, not by nodes.
    ("packed.py:Packed --example -i x=f32[2,5,4] -i lengths=tensor([5,3])",
     r"^Packed: \d+ nodes, .* recorded in \d+ ms and checked on other values"),
    ("packed.py:gru() --example -i input=packed()",
     r"^gru: \d+ nodes, .* recorded in "),
    ("raises.py:OddArgument", r"error: RuntimeError: hands off ",
     r"at raises.py:62 in forward"),
    ("raises.py:RaisesOdd", r"error: OddError: \(its text cannot be had: "
     r"RuntimeError\)\n", r"at raises.py:\d+ in forward: raise OddError"),
    ("raises.py:Deep", r"error: RecursionError: ",
     r"at raises.py:\d+ in forward", r"called from \d+ more lines\n",
     r"hint: it calls itself without end"),
    ("raises.py:NestedList", r"more than 200 levels deep\n"),
    ("raises.py:SelfList", r"more than 200 levels deep\n"),
    # Models that end their process, or make more of them.
    ("ends.py:Exit", r"error: the model called sys.exit\(3\)\n",
     r"at ends.py:11 in forward: sys.exit\(3\)\n"),
    ("ends.py:ExitHard",
     r"error: the model ended its process: exit status 5\n",
     r"hint: something .* os._exit\(\) does\n"),
    ("ends.py:ExitZero",
     r"error: the model ended its process: exit status 0\n"),
    ("ends.py:Abort",
     r"error: the model ended its process: signal 6 \(Aborted\)\n",
     r"at ends.py:26 in forward\n"),
    ("ends.py:Crash", r"process: signal 11 \(Segmentation fault\)\n",
     r"at ends.py:31 in forward\n", r"hint: compiled code failed"),
    ("ends.py:Killed", r"process: signal 9 \(Killed\)\n",
     r"hint: the system kills what takes too much memory"),
    ("ends.py:KillsParent", r"error: the model's process is gone\n",
     r"hint: the next trace starts a new Python\n"),
    ("ends.py:CloseFiles", r"error: the model ended its process: "),
    ("ends.py:Fork", r"^Fork: 3 nodes"),
    ("ends.py:ForkExits", r"^ForkExits: 3 nodes"),
    ("ends.py:LeavesChild", r"^LeavesChild: 3 nodes"),
    ("ends.py:Thread", r"^Thread: 3 nodes"),
    # Causes of the reference, section 2, in its numbers.
    ("causes.py:Decorated", r"^Decorated: 6 nodes"),
    ("causes.py:Sizes", r"error: TraceError: .* the truth of %ne, ",
     r"  at causes.py:33 in forward: if h != 8 or w != 8:\n",
     r"  ne = getitem != 8\n",
     r"  getitem = getattr_1\[2\]  at causes.py:32: h, w = ",
     r"  x is an input\n", r"is open too: graph Sizes\n",
     r"hint: the shape of a tensor is not known here: move it into a "
     r"function marked with torch.fx.wrap\n"),
    ("causes.py:Dtype", r"the truth of %eq", r"weight = self.weight\n",
     r"hint: the dtype of a tensor is not known here"),
    ("causes.py:Device", r"the truth of %ne", r"getattr_1 = x.device\n",
     r"hint: the device of a tensor"),
    ("causes.py:Maximum", r"the truth of %lt",
     r"at causes.py:64 in forward: keep = max", r"sub = getitem - 4\n"),
    ("causes.py:Assertion", r"the truth of %eq", r"getattr_1 = x.ndim\n"),
    ("causes.py:Assignment", r"an item of %_kwargs is assigned",
     r"_kwargs is the input \*\*kwargs\n",
     r"hint: all of \*\*kwargs is one traced value"),
    ("causes.py:NoneOptions --concrete options=None",
     r"AttributeError: 'NoneType'", r"hint: options is fixed to None"),
    ("causes.py:SlicedConstant", r"TypeError: %getitem is used as an integer",
     r"at causes.py:99 in forward: return x \+ self.position_ids",
     r"hint: the shape of a tensor"),
    ("causes.py:Starred", r"TraceError: a loop, list\(\), \* or \*\* asks for "
     r"the items of %getitem", r"hint: name the items"),
    ("causes.py:StarredOptions", r"the items of %keys",
     r"hint: all of \*\*options is one traced value"),
    ("causes.py:Exclusive", r"error: ValueError: give exactly one",
     r"hint: tried, and it is traced: trace causes.py:Exclusive "
     r"--concrete embeddings=None\n"),
    ("causes.py:Exclusive --concrete embeddings=None",
     r"^Exclusive(-\d+)?: 5 nodes"),
    ("causes.py:Factory", r"error: TypeError: ones\(\)",
     r"at causes.py:138 in forward: return x \+ torch.ones",
     r"hint: x.new_ones\(...\) records the call"),
    ("causes.py:Finfo", r"error: TypeError: .*finfo", r"x is an input\n",
     r"hint: move it into a function"),
    ("causes.py:Length", r"error: RuntimeError: len\(\) of %x ",
     r'hint: torch.fx.wrap\("len"\)'),
    ("causes.py:Integer", r"TypeError: int\(\) of %sqrt",
     r"sqrt = math_sqrt\(getitem\)\n"),
    ("causes.py:Table", r"error: NameError: module is not installed as a "
     r"submodule: a torch.nn.modules.activation.GELU",
     r"hint: make it an attribute of the model"),
    ("causes.py:StrayParameter", r"NameError: a parameter",
     r"hint: make it an attribute"),
    # Control flow on data, and what else plain Python asks.
    ("causes.py:If", r"error: TraceError: control flow .* the truth of %gt",
     r"  at causes.py:189 in forward: if total > 0:\n", r"  gt = sum_1 > 0\n",
     r"  sum_1 = x.sum\(\)  at causes.py:188: total = x.sum\(\)\n",
     r"  x is an input\n",
     r"the graph so far, 3 nodes, is open too: graph If\n",
     r"  hint: the model decides by data"),
    ("remedies.py:Asks", r"asks for the truth of %flag",
     r"recorded: trace remedies.py:Asks --example -i x=\.\.\. -i mode=\.\.\.\n",
     r"  for \.\.\. of x, mode goes a shape, f32\[2,3\], or a value: ",
     r"  hint: --concrete flag=False fixes it to its default\n"),
    ("remedies.py:Table -i batch={'a':f32[2]}", r"the items of %batch",
     r"  no run can be recorded: the input batch = .*: NameError: ",
     r"  hint: within a value a tensor is a value too, as randn\(2, 3\)\n"),
    ("causes.py:While", r"the truth of %gt", r"norm = x.norm\(\)\n"),
    ("causes.py:For", r"the items of %x", r"hint: name the items"),
    ("causes.py:Range", r"%getitem is used as an integer",
     r"at causes.py:211 in forward: for i in range"),
    ("causes.py:Float", r"float\(\) of %max_1", r"max_1 = x.max\(\)\n"),
    ("causes.py:In", r"the truth of %eq"),
    ("causes.py:SetItem", r"an item of %clone is assigned",
     r"at causes.py:229", r"hint: torch.where"),
    ("causes.py:With", r"error: TypeError: .*Proxy", r"x is an input"),
    ("causes.py:Format", r"a number to format in %getitem"),
    ("causes.py:Round", r"round\(\) of %truediv"),
    ("causes.py:Key", r'has the traced value "x" as a key\n'),
    ("causes.py:SetArgument", r"NotImplementedError: a value of type "
     r"<class 'set'>", r"hint: pass numbers"),
    ("causes.py:Await", r"error: TypeError: ", r"at causes.py:262 in run"),
    ("causes.py:Script", r"error: RuntimeError: helper\(\)",
     r"hint: a scripted function"),
    *[("causes.py:%s%s" % (name, flags),
       r"error: NotImplementedError: forward gives a %s, and a graph gives" %
       kind, r"hint: have forward return list\(...\)")
      for name, kind in (("Yields", "generator"), ("Iterates", "map"),
                         ("SetGiven", "set"))
      for flags in ("", " --example -i x=f32[2,3]")],
    *[("causes.py:" + spec, r"\" is a Script%s: TorchScript compiled it" % kind,
       r"hint: trace what it was made from")
      for spec, kind in (("compiled", "Module"), ("compiled()", "Module"),
                         ("compiled() --example -i x=f32[2,3]", "Module"),
                         ("torch.jit.script(helper)", "Function"))],
    ("causes.py:HasCompiled", r"^HasCompiled: 4 nodes"),
    ("causes.py:HandsOn", r"the items of %keys",
     r"is one traced value: --example records a run"),
    ("causes.py:HandsOn --example -i x=f32[2,3]",
     r"unexpected keyword argument 'x'", r"hint: a Sequential takes input: "
     r"trace causes.py:HandsOn --example -i input=f32\[2,3\]\n"),
    ("causes.py:HandsOn --example -i input=f32[2,3]", r"^HandsOn: \d nodes"),
    ("causes.py:Caches", r"^Caches: 4 nodes"),
    ("causes.py:Nested", r"the truth of %gt", r"at causes.py:\d+ in forward: "
     r"if x.mean\(\)", r"blocks_0 = .*  at causes.py",
     r"hint: tried, and it is traced: trace causes.py:Nested "
     r"--leaf Decides\n"),
    ("causes.py:Flag", r"the truth of %flag",
     r"hint: tried, and it is traced: trace causes.py:Flag "
     r"--concrete flag=True\n"),
    ("causes.py:Flag as other -i x=f32[2,3]", r"the truth of %flag",
     r"hint: tried, and it is traced: trace causes.py:Flag "
     r"as other -i x=f32\[2,3\] --concrete flag=True\n"),
    ("remedies.py:Both", r"the truth of %training",
     r"hint: tried, and it is traced: trace remedies.py:Both "
     r"--concrete training=False --leaf Counts\n"),
    ("remedies.py:Elsewhere", r"the truth of %gt",
     r"hint: tried, and it is traced: trace remedies.py:Elsewhere "
     r"--leaf causes.Decides\n"),
    ("remedies.py:Hides", r"the truth of %gt",
     r"hint: tried, and it is traced: trace remedies.py:Hides --partial\n"),
    ("remedies.py:Both --partial --concrete training=False",
     r"^Both.*: 6 nodes.*; 1 module kept whole \(info trace\)"),
    ("remedies.py:Both --partial", r"the truth of %training",
     r"hint: tried, and it is traced: trace remedies.py:Both --partial "
     r"--concrete training=False"),
    ("remedies.py:Hides --partial --example -i x=f32[2]",
     r"error: --partial is of a trace"),
    ("remedies.py:Hides --partial --export -i x=f32[2]",
     r"error: --export .* --partial"),
    ("../../samples/pt2/tied.pt2", r"tied.pt2\" is no Python file",
     r"hint: load opens files that hold a graph"),
    ("remedies.py:Takes", r"hint: tried, and it is traced: "
     r"trace remedies.py:Takes --example -i x=f32\[2,3\]\n"),
    ("remedies.py:Decides", r"hint: tried, and it is traced: "
     r"trace remedies.py:Decides --example -i x=f32\[2,3\]\n"),
    ("remedies.py:Pictures", r"hint: tried, and it is traced: "
     r"trace remedies.py:Pictures --example -i x=f32\[1,3,4,5\]\n"),
    ("remedies.py:Takes --example -i x=f32[N,3]", r"for its sizes, not N\n",
     r"hint: such as -i x=f32\[2,3\]"),
    ("remedies.py:Takes --example -i x=...", r"a shape or a value goes there",
     r"hint: such as -i x=f32\[1,3\]"),
    ("remedies.py:Needs", r"one real run can be recorded: "
     r"trace remedies.py:Needs --example -i x="),
    ("remedies.py:Needs -i x=f32[2,4]", r"hint: tried, and it is traced: "
     r"trace remedies.py:Needs -i x=f32\[2,4\] --example\n"),
    ("remedies.py:Endless", r"the truth of %flag", r"hint: the model decides"),
]
# Where torch has export and no tracer sees what cond runs.
EXPORTED = [
    ("within.py:Branches -i x=f32[2,4]", r"at within.py:\d+ in forward",
     r"hint: --export: torch.export makes the graph"),
    ("within.py:Branches -i x=f32[2,4] --example", r"hint: --export: "),
    ("within.py:Loop -i x=f32[2,4]", r"hint: --export: "),
    ("within.py:Branches -i x=f32[2,4] --export", r"nodes, .* exported in "),
    ("causes.py:If -i x=f32[3,4] --export",
     r"hint: tried, and it is traced: trace causes.py:If -i x=f32\[3,4\] "
     r"--example\n"),
    ("good.py:Good -i x=f32[2,5] --export",
     r"error: RuntimeError: .*reduction dim((?!--example)[\s\S])*\Z"),
]
TRIED = "hint: tried, and it is traced: "

# One of each kind in a process of its own: the exit status, of a command and
# of a model given as argument.
STATUS = ["syntax_error.py:Net", "arguments.py:Net", "ends.py:ExitZero",
          "causes.py:If", "raises.py:InForward", "no_such.py:X",
          "causes.py:Flag --concrete nosuch=1", "import_exits.py:x"]
STATUS_OF_PYTHON = ["/bin/false", "/nonexistent/python"]


def status_of(python, *arguments):
    return subprocess.run([FXDB, "-nx", "-batch", "--python", python,
                           *arguments], cwd=DATA,
                          capture_output=True).returncode


def main():
    failed = 0
    session = Session()
    cases = CASES + (EXPORTED if hasattr(torch, "export") else [])
    find(session.run("trace good.py:Good"), "(?m)" + GOOD)
    for spec, *patterns in cases:
        said = session.run("trace " + spec)
        try:
            find(said, *("(?m)" + pattern for pattern in patterns))
            assert "Traceback" not in said, said
            # What a hint says to type is typed.
            if TRIED in said:
                line = said.partition(TRIED)[2].partition("\n")[0]
                find(session.run(line), r" nodes, .*(traced|recorded) in ")
            find(session.run("trace good.py:Good"), "(?m)" + GOOD)
            print("ok   %s" % spec)
        except AssertionError as error:
            failed += 1
            print("FAIL %s: %s" % (spec, error))
    session.end()
    runs = [(PYTHON, "-ex", "trace " + spec) for spec in STATUS]
    runs += [(PYTHON, spec) for spec in STATUS[3:5]]
    runs += [(python, "good.py:Good") for python in STATUS_OF_PYTHON]
    for run in runs:
        status = status_of(*run)
        if status != 3:
            failed += 1
            print("FAIL exit status of %s: %d, not 3" % (run, status))
    total = len(cases) + len(runs)
    print("%d passed, %d failed" % (total - failed, failed))
    return 1 if failed else 0


sys.exit(main())
