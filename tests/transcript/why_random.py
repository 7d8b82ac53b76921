"""One element of a node or parameter is changed, at random: why --against ends
at that element, wherever the output shows it.  CASES says how many are tried."""
import json
import os
import random
import subprocess
import sys
import tempfile

FXDB = os.environ["FXDB"]
SOURCE = os.environ["FXDB_SRCDIR"]
CASES = int(os.environ.get("CASES", "25"))

NET = '''class GraphModule(torch.nn.Module):
    def forward(self, x: "f32[2,3,8,8]", w: "f32[4,3,3,3]", v: "f32[16,6]"):
        conv = torch.conv2d(x, w, None, 2, 1)
        act = torch.nn.functional.silu(conv)
        pool = torch.nn.functional.avg_pool2d(act, 2)
        flat = pool.flatten(1)
        mm = torch.matmul(flat, v)
        soft = torch.softmax(mm, -1)
        cat = torch.cat([soft, mm], 1)
        norm = torch.nn.functional.layer_norm(cat, (12,))
        return norm
'''
VIEWS = '''class GraphModule(torch.nn.Module):
    def forward(self, x: "f32[4,6]", y: "f32[6,4]"):
        a = x.t()
        b = a + y
        c = b.reshape(3, 8)
        d = c[1:]
        e = torch.tanh(d)
        f = e * 1
        g = f.view(4, 4)
        h = g.mul_(2)
        i = f.sum(1, keepdim=True)
        j = f / i
        k = torch.stack([j, f])
        l = k.permute(2, 0, 1)
        m = l.cumsum(0)
        return m
'''
ATTEND = '''class GraphModule(torch.nn.Module):
    def forward(self, q: "f32[2,5,8]", k: "f32[2,5,8]", v: "f32[2,5,8]"):
        t = k.transpose(1, 2)
        s = torch.bmm(q, t)
        n = s / 2.8
        p = torch.softmax(n, -1)
        o = torch.bmm(p, v)
        g = torch.nn.functional.gelu(o)
        c = torch.chunk(g, 2, -1)
        x = c[0]
        y = c[1]
        z = x * torch.sigmoid(y)
        return z
'''


def run(lines, folder):
    out = subprocess.run([FXDB, "-nx", "-batch", "--json", "--keep-going",
                          "-x", "-"], input="\n".join(lines) + "\n",
                         capture_output=True, text=True, cwd=folder).stdout
    return [json.loads(line) for line in out.splitlines()
            if line.startswith("{")]


def places(path, folder):
    """Names, and shapes, of what can be changed: not what is written in place,
    which would no longer be one memory."""
    found = []
    for answer in run([f"load {path}", "nodes -m 0", "info params"], folder):
        for row in answer.get("nodes", []) if isinstance(
                answer.get("nodes"), list) else []:
            if (row["dtype"] == "float32" and row["op"] != "output" and
                    row["users"] and row["name"] not in ("f", "g")):
                found.append((row["name"], row["shape"], False))
        for row in answer.get("params", []):
            if row["kind"] == "parameter":
                found.append((row["name"], row["shape"], True))
    return found


def case(place, name):
    label, shape, is_parameter = place
    count = 1
    for size in shape:
        count *= size
    at = random.randrange(count)
    index, rest = [], at
    for size in reversed(shape):
        index.insert(0, rest % size)
        rest //= size
    reshape = f".reshape({','.join(map(str, shape))})" if shape else "[0]"
    lines = [f"set value {label} = torch.where(arange({count}){reshape} == "
             f"{at}, $v + 1.5, $v)", "run", "why output --against base",
             "undo" if is_parameter else f"unset value {label}", "run"]
    where = f"[{','.join(map(str, index))}]" if shape else ""
    return lines, (name, label, where)


def main():
    random.seed(int(os.environ.get("SEED", "1")))
    tried = named = silent = 0
    with tempfile.TemporaryDirectory() as folder:
        models = {"mlp": f"{SOURCE}/doc/examples/mlp.fxg",
                  "transformer": f"{SOURCE}/doc/examples/transformer.fxg"}
        for name, text in (("net", NET), ("views", VIEWS),
                           ("attend", ATTEND)):
            models[name] = f"{folder}/{name}.py"
            with open(models[name], "w") as file:
                file.write(text)
        for name, path in models.items():
            all_places = places(path, folder)
            lines = [f"load {path}", f"graph copy {name} as base",
                     f"graph {name}", "run"]
            meant = []
            for _ in range(CASES // len(models)):
                more, what = case(random.choice(all_places), name)
                lines += more
                meant.append(what)
            answers = [a for a in run(lines, folder)
                       if a.get("command") == "why"]
            if len(answers) != len(meant):
                print(f"{name}: {len(answers)} answers to {len(meant)}")
                sys.exit(1)
            for what, answer in zip(meant, answers):
                tried += 1
                got = answer.get("cause"), answer.get("cause_element")
                if "cause" not in answer and answer.get("ok"):
                    silent += 1
                elif got == what[1:]:
                    named += 1
                else:
                    print(f"{what}: {got} {answer.get('lines')}"
                          f" {answer.get('error')}")
    print(f"{tried} changed, {silent} without effect, {named} named")
    sys.exit(named + silent != tried or not named)


main()
