"""A file that needs a package that nobody has."""
import fxdb_no_such_package


def model(x):
    return fxdb_no_such_package.f(x)
