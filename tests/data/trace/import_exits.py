"""A script without the usual guard: importing it ends the process."""
import sys

sys.exit("usage: import_exits.py FILE")
