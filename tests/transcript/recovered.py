"""What recover brings back of one kind each, and what it says of the rest."""
import os

from died import CAN_TRACE, Session, check, end, forget, home, mlp

NET = """import torch
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(4, 4)
        self.bn = nn.BatchNorm1d(4)
        self.fc2 = nn.Linear(4, 2)
    def forward(self, x):
        return self.fc2(torch.relu(self.bn(self.fc1(x))))
"""
net = home + "/net.py"
with open(net, "w") as f:
    f.write(NET)


def die(lines, *arguments):
    """A session of LINES that is killed; what the last was answered."""
    forget()
    s = Session(*arguments)
    said = [s.ask(line) for line in lines][-1]
    s.kill()
    return said


def revive(lines):
    """What recover 1 is answered, and LINES after it."""
    s = Session()
    said = [s.ask(line) for line in ["recover 1", *lines]]
    s.quit()
    return said


# A parameter of a module that stands at two paths.
if CAN_TRACE:
    python = "--python", os.environ["TRACING_PYTHON"]
    for line in "outline {name=fc1 or name=bn} as blk", "split {name=fc1 or name=bn}":
        die([f"trace {net}:Net -i x=f32[2,4]", line,
             "set value fc1.weight[0,0] = nan"], *python)
        said = revive(["print self.fc1.weight[0,0]"])
        check("nan" in said[-1], f"a value after {line}: {said}")

# Graphs that nobody edited, whose stops stay theirs.
die(["break fc2", "graph copy mlp as second", "rename fc1 first",
     "graph copy second as third"], mlp)
said = revive(["info breakpoints", "dump python", "graph"])
check("error" not in said[0] and said[1].rstrip().endswith("mlp") and
      "fc1 =" not in said[2], f"graphs beside the edited one: {said}")
check([name in said[3] for name in ("mlp", "second", "third")] == [True] * 3,
      f"open graphs: {said[3]}")

forget()
end()
