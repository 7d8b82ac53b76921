#!/usr/bin/env bash
# wheel.sh FOLDER - what scripts/wheel made, installed in the virtual environment
# FOLDER that has a torch: the program, what it is linked with, the files that
# come with it, the shim, the package.  Called by .ci/run; its last line counts.
set -u
venv=$(realpath "$1")
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place" || exit 1
unset FXDB FXDB_SHIMS FXDB_BUILDDIR FXDB_SRCDIR PYTHONPATH VIRTUAL_ENV
export HOME=$place XDG_CACHE_HOME=$place/cache
passed=0 failed=0

# check WHAT COMMAND...
check()
{
	local what=$1
	shift
	if "$@" >said 2>&1; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAILED $what"
		tail -n 5 said
	fi
}

cat >net.py <<'END'
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(4, 3)

    def forward(self, x):
        return torch.relu(self.fc(x)) + 1
END
cat >uses.py <<'END'
import fxdb
import net
import torch

model, x = net.Net(), torch.ones(2, 4)
assert "torch.relu" in fxdb.symbolic_trace(model).code
assert torch.equal(fxdb.debug(model, x, script="look.fxdb"), model(x))
END
echo 'print relu' >look.fxdb

package=$("$venv/bin/python" -c 'import importlib.util
print(importlib.util.find_spec("fxdb").submodule_search_locations[0])')
program=$package/program

inside()
{
	case $(realpath "$package") in "$venv"/*) ;; *) return 1 ;; esac
}

own_libraries()
{
	! ldd "$program/bin/fxdb" | grep ' => ' | grep -vF "$venv" |
		grep -vE '/lib(c|m)\.so\.6 '
}

# said_by TEXT ARGUMENT...: the program says TEXT.
said_by()
{
	local text=$1
	shift
	"$venv/bin/fxdb" -nx -batch "$@" 2>&1 | tee all
	grep -qE -- "$text" all
}

# By libtorch, and not in Python or by shapes alone, which would be said.
computes()
{
	"$venv/bin/fxdb" -nx -batch -ex 'trace net.py:Net' \
		-ex 'input x = ones(2, 4)' -ex run 2>&1 | tee all
	grep -q '^Finished. output f32.2,3.  min' all && ! grep -q running all
}

check "the package lies in the environment" inside
check "the program brings its libraries" own_libraries
check "a file that comes with it" said_by '7 nodes, 76 parameters' \
	"$program/share/fxdb/examples/mlp.fxg"
check "pictures say what is missing" said_by 'draw -o graph.dot needs' \
	"$program/share/fxdb/examples/mlp.fxg" -ex 'draw -o a.svg'
check "and what they say works" said_by 'graph.dot: [0-9]+ bytes' \
	"$program/share/fxdb/examples/mlp.fxg" -ex 'draw -o graph.dot'
check "the environment's Python traces" said_by '^Net: 5 nodes' \
	-ex 'trace net.py:Net'
check "the shim comes with it" computes
check "the package and its debugger" "$venv/bin/python" uses.py
check "a program that was moved" mv "$venv" "$venv.moved"
check "a program that was moved still starts" \
	"${program/#$venv/$venv.moved}/bin/fxdb" -nx -batch -ex 'help step'
mv "$venv.moved" "$venv"
echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
