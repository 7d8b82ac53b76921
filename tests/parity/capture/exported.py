"""What torch.export gives is traced as torch.fx traces its module(), and runs
as eager PyTorch does.  torch 2.x."""
import subprocess
import sys

from session import DATA, FXDB, PYTHON

import torch

if torch.__version__.startswith("1."):
    sys.exit()
sys.path.insert(0, DATA)

import exported  # noqa: E402


def run(*lines):
    words = [word for line in lines for word in ("-ex", line)]
    done = subprocess.run([FXDB, "-nx", "-batch", "--python", PYTHON, *words],
                          capture_output=True, text=True, cwd=DATA)
    return done.returncode, done.stdout + done.stderr


failed = 0
for name in "program", "module", "dynamic":
    torch.manual_seed(0)
    model = getattr(exported, name)()
    model = model if name == "module" else model.module()
    want = str(torch.fx.symbolic_trace(model).graph).strip()
    value = float(model(torch.ones(2, 4)).detach().sum())
    status, said = run("trace exported.py:%s()" % name, "dump fx",
                       "input x = ones(2, 4)", "run",
                       "assert abs(output.sum() - %r) < 1e-4" % value)
    if status or want not in said or "exported mode" not in said:
        print(name, said, "\nwanted", want, value)
        failed = 1
sys.exit(failed)
