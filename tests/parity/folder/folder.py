"""What `dump folder` writes, imported by Python: the same outputs, the same
state dict; and read back by fxdb: the same code and the same folder."""
import filecmp
import importlib
import os
import subprocess
import sys
import tempfile

import torch
import torch.fx

import folder_models

FXDB = os.environ["FXDB"]
EXAMPLES = os.path.join(os.environ["FXDB_SRCDIR"], "doc", "examples")
HERE = os.path.dirname(os.path.abspath(__file__))


def run(*lines):
    command = [FXDB, "-nx", "-batch", "--python",
               os.environ.get("FXDB_TRACE_PYTHON", sys.executable)]
    for line in lines:
        command += ["-ex", line]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise AssertionError(done.stdout + done.stderr)
    return done.stdout + done.stderr


def write_and_reread(opening, name):
    """Two folders: of what OPENING opens, and of that folder read back."""
    code = run(opening, "dump folder " + name, "dump python -o %s.py" % name)
    assert "from %s import FxModule" % name in code, code
    again = name + "_again"
    run("load " + name, "dump folder " + again,
        "dump python -o %s.py" % again)
    for file in ("%s/module.py", "%s/weights.safetensors", "%s.py"):
        one, two = file % name, file % again
        assert not os.path.exists(one) or \
            filecmp.cmp(one, two, shallow=False), file


def compare(name, model, inputs):
    made = importlib.import_module(name).FxModule()
    torch.manual_seed(1)
    want = model(*inputs)
    torch.manual_seed(1)
    got = made(*inputs)
    # Kernels round by how a tensor lies in memory; the folder's are dense.
    strides = [p.stride() for p in model.state_dict().values()]
    if strides == [p.stride() for p in made.state_dict().values()]:
        assert torch.equal(want, got), (want - got).abs().max()
    torch.testing.assert_close(got, want, rtol=1e-6, atol=1e-6)
    # Modules that nothing calls are kept, as in the model; buffers that the
    # model does not keep are kept, as by torch.fx.
    want = {**torch.fx.symbolic_trace(model).state_dict(),
            **model.state_dict()}
    got = made.state_dict()
    assert set(want) == set(got), set(want) ^ set(got)
    for key in want:
        assert want[key].dtype == got[key].dtype, key
        assert torch.equal(want[key], got[key]), key
    assert [n for n, _ in model.named_parameters()] == \
        [n for n, _ in made.named_parameters()]
    grads = {n: p.requires_grad for n, p in model.named_parameters()}
    assert grads == {n: p.requires_grad for n, p in made.named_parameters()}


def check_model(model_class):
    name = "made_" + model_class.__name__
    write_and_reread("trace %s/folder_models.py:%s" %
                     (HERE, model_class.__name__), name)
    torch.manual_seed(2)
    inputs = [torch.randn(*shape) for shape in model_class.inputs]
    compare(name, model_class(), inputs)


def check_nested(opening, *lines):
    """A graph some of whose nodes are in nested graphs, beside it as it was."""
    run(opening, "dump folder flat")
    run(opening, *lines, "dump folder cut", "dump python -o cut.py")
    run("load cut", "dump folder cut_again", "dump python -o cut_again.py")
    for file in ("%s/module.py", "%s/weights.safetensors", "%s.py"):
        assert filecmp.cmp(file % "cut", file % "cut_again", shallow=False)
    flat, cut = (importlib.import_module(n).FxModule() for n in
                 ("flat", "cut"))
    inputs = torch.randn(2, 4)
    assert torch.equal(flat(inputs), cut(inputs))
    assert any("FxGraph_" in type(m).__name__ for m in cut.modules())
    kept = cut.state_dict()
    for key, value in flat.state_dict().items():
        assert torch.equal(kept[key], value), key
    assert {"first.own.weight", "first.deep.more.weight"} < set(kept)


def check_flattened():
    said = run("trace %s/folder_models.py:Flattened "
               "--concrete batch={'a':PH,'b':[PH]}" % HERE, "dump folder flattened")
    assert "takes the flattened inputs one by one" in said, said
    made = importlib.import_module("flattened").FxModule()
    x, a, b = torch.randn(3, 2, 4)
    want = folder_models.Flattened()(x, {"a": a, "b": [b]})
    got = made(x, a, b)
    assert all(map(torch.equal, got, (want["y"], *want["z"][:1], x)))


def check_only_here():
    try:
        run("trace %s/folder_models.py:only_here --example -i x=f32[2,4]" %
            HERE, "dump folder no")
    except AssertionError as error:
        assert "only the process that recorded it can" in str(error), error
        assert not os.path.exists("no")
    else:
        raise AssertionError("Python cannot import what vmap maps")


def check_refusal():
    try:
        run("load %s/module.py" % "made_Plain", "load made_Plain.py",
            "dump folder no")
    except AssertionError as error:
        assert "without its modules" in str(error), error
        assert not os.path.exists("no")
    else:
        raise AssertionError("bare code has no modules to write")


def main():
    failed = 0
    folder = tempfile.TemporaryDirectory()
    os.chdir(folder.name)
    sys.path[:0] = [folder.name]
    checks = [(c.__name__, check_model, (c,)) for c in folder_models.MODELS]
    checks += [(n, write_and_reread, ("load %s/%s.fxg" % (EXAMPLES, n), n))
               for n in ("mlp", "transformer", "resnet18")]
    checks += [("nested", check_nested,
                ("load %s/mlp.fxg" % EXAMPLES,
                 "outline {name=fc1 or name=act} as first",
                 "outline {name=drop or name=fc2} as second",
                 "graph /first", "outline {name=act} as deep",
                 "set module own = nn.Linear(8, 8)", "graph /first.deep",
                 "set module more = nn.PReLU(3)", "graph /"))]
    checks += [("flattened", check_flattened, ()),
               ("only_here", check_only_here, ()),
               ("refusal", check_refusal, ())]
    for name, check, arguments in checks:
        try:
            check(*arguments)
            print("ok   " + name)
        except Exception as error:
            failed += 1
            print("FAIL %s: %s: %s" % (name, type(error).__name__, error))
    print("%d passed, %d failed" % (len(checks) - failed, failed))
    return 1 if failed else 0


sys.exit(main())
