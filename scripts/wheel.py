"""Pack the tree that scripts/wheel laid out: wheel.py TREE VERSION GLIBC OUT.

TREE/fxdb is the package, TREE/licenses what the licences say.  The format is
that of the Python packaging user guide, "Binary distribution format": a zip
archive with the sizes and digests of its files in RECORD.
"""
import base64
import hashlib
import os
import platform
import sys
import zipfile

# Starts the program without importing the package, which needs torch.
LAUNCHER = """#!python
import importlib.util
import os
import sys

package = os.path.dirname(importlib.util.find_spec("fxdb").origin)
if sys.prefix != sys.base_prefix:
    os.environ.setdefault("VIRTUAL_ENV", sys.prefix)
program = os.path.join(package, "program", "bin", "fxdb")
os.execv(program, [program] + sys.argv[1:])
"""
METADATA = """Metadata-Version: 2.1
Name: fxdb
Version: %s
Summary: gdb for PyTorch graphs
License: MIT, with libraries under their own licences
Requires-Python: >=3.9
Description-Content-Type: text/markdown

%s"""
WHEEL = """Wheel-Version: 1.0
Generator: fxdb
Root-Is-Purelib: false
Tag: %s
"""
# The same files give the same archive.
DATE = 1980, 1, 1, 0, 0, 0


def files_below(folder):
    for here, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            path = os.path.join(here, name)
            yield path, os.path.relpath(path, folder)


def main(tree, version, glibc, out):
    tag = "cp39-abi3-manylinux_%s_%s" % (glibc, platform.machine())
    info = "fxdb-%s.dist-info" % version
    path = os.path.join(out, "fxdb-%s-%s.whl" % (version, tag))
    record = []
    with zipfile.ZipFile(path + ".tmp", "w", zipfile.ZIP_DEFLATED) as archive:
        def add(name, data, mode=0o644):
            entry = zipfile.ZipInfo(name, DATE)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100000 | mode) << 16
            archive.writestr(entry, data)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest())
            record.append("%s,sha256=%s,%d" % (
                name, digest.decode().rstrip("="), len(data)))

        for folder, below in ("fxdb", "fxdb"), ("licenses", info + "/licenses"):
            for file, name in files_below(os.path.join(tree, folder)):
                with open(file, "rb") as source:
                    add("%s/%s" % (below, name), source.read(),
                        0o755 if os.access(file, os.X_OK) else 0o644)
        with open("README.md") as readme:
            add(info + "/METADATA", (METADATA % (
                version, readme.read())).encode())
        add("fxdb-%s.data/scripts/fxdb" % version, LAUNCHER.encode(), 0o755)
        add(info + "/WHEEL", (WHEEL % tag).encode())
        record.append(info + "/RECORD,,")
        archive.writestr(zipfile.ZipInfo(info + "/RECORD", DATE),
                         "\n".join(record) + "\n")
    os.replace(path + ".tmp", path)
    print(path)


main(*sys.argv[1:])
