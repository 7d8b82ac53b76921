# libtorch.m4 - which libtorch the shim is compiled for.
#
# FX_LIBTORCH reads $with_libtorch (DIR, python, no, auto) and sets
# TORCH_VERSION, TORCH_CPPFLAGS, TORCH_LIBS, TORCH_STD, the conditional
# WITH_TORCH and $fx_libtorch for the summary.
AC_DEFUN([FX_LIBTORCH], [
fx_libtorch=no
fx_torch_version=
fx_torch_library=
fx_torch_include=
AS_CASE([$with_libtorch],
	[no], [],
	[auto|yes], [
		fx_torch_include=/usr/include
		fx_torch_library=`$CXX -print-file-name=libtorch_cpu.so 2>/dev/null`],
	[python], [
		fx_torch_folder=`$PYTHON3 -c 'import importlib.util as u; print(u.find_spec("torch").submodule_search_locations[[0]])' 2>/dev/null`
		fx_torch_include=$fx_torch_folder/include
		fx_torch_library=$fx_torch_folder/lib/libtorch_cpu.so
		AS_IF([test ! -d "$fx_torch_include"],
			[AC_MSG_ERROR([the torch of $PYTHON3 has no headers; give --with-libtorch=DIR])])],
	[
		fx_torch_include=$with_libtorch/include
		fx_torch_library=$with_libtorch/lib/libtorch_cpu.so
		AS_IF([test ! -f "$fx_torch_library"],
			[AC_MSG_ERROR([there is no $fx_torch_library])])])

AS_IF([test "x$with_libtorch" != xno], [
	AC_MSG_CHECKING([for libtorch])
	fx_torch_api=$fx_torch_include/torch/csrc/api/include
	AS_IF([test -f "$fx_torch_include/torch/csrc/jit/runtime/operator.h" \
		&& test -f "$fx_torch_library"],
		[fx_torch_header=$fx_torch_api/torch/version.h
		AS_IF([test -f "$fx_torch_include/torch/headeronly/version.h"],
			[fx_torch_header=$fx_torch_include/torch/headeronly/version.h])
		fx_torch_version=`sed -n \
			's/^#define TORCH_VERSION_\(MAJOR\|MINOR\|PATCH\) \(@<:@0-9@:>@*\)$/\2/p' \
			"$fx_torch_header" | paste -sd.`])
	AS_IF([test -n "$fx_torch_version"],
		[AC_MSG_RESULT([$fx_torch_version, $fx_torch_library])
		fx_libtorch=$fx_torch_version],
		[AC_MSG_RESULT([no])
		AS_IF([test "x$with_libtorch" != xauto],
			[AC_MSG_ERROR([the headers of libtorch are missing (Debian package: libtorch-dev)])],
			[AC_MSG_WARN([no libtorch, so graphs are not run (Debian package: libtorch-dev)])])])])

TORCH_VERSION=$fx_torch_version
TORCH_CPPFLAGS="-isystem $fx_torch_api"
AS_IF([test "$fx_torch_include" != /usr/include],
	[TORCH_CPPFLAGS="-isystem $fx_torch_include $TORCH_CPPFLAGS"])
fx_torch_lib=`dirname "$fx_torch_library"`
TORCH_LIBS="-ltorch_cpu -lc10"
AS_IF([test "$fx_torch_include" != /usr/include],
	[TORCH_LIBS="-L$fx_torch_lib $TORCH_LIBS -Wl,-rpath,$fx_torch_lib"])
# The headers of 2.14 and later are C++20; wheels before 2.7 have the old
# strings.
AS_CASE([$fx_torch_version],
	[1.*|2.?.*|2.1@<:@0123@:>@.*], [TORCH_STD=-std=c++17],
	[TORCH_STD=-std=c++20])
AS_IF([test -n "$fx_torch_version" && nm -D "$fx_torch_lib/libc10.so" 2>/dev/null |
	grep -q _ZN3c105ErrorC1ENS_14SourceLocationESs],
	[TORCH_CPPFLAGS="$TORCH_CPPFLAGS -D_GLIBCXX_USE_CXX11_ABI=0"])
AC_SUBST([TORCH_VERSION])
AC_SUBST([TORCH_CPPFLAGS])
AC_SUBST([TORCH_LIBS])
AC_SUBST([TORCH_STD])
AM_CONDITIONAL([WITH_TORCH], [test "$fx_libtorch" != no])
AS_IF([test "$fx_libtorch" != no],
	[AC_DEFINE([FX_WITH_TORCH], [1], [The torch backend is built.])])
AC_DEFINE_UNQUOTED([FX_LIBTORCH_VERSION], ["$fx_torch_version"],
	[The libtorch that the shim beside the program is compiled for.])
# The file itself: links to it come with the headers alone.
AS_IF([test -n "$fx_torch_library"],
	[fx_torch_library=`readlink -f "$fx_torch_library"`])
AC_DEFINE_UNQUOTED([FX_LIBTORCH_LIBRARY], ["$fx_torch_library"],
	[Where it is.])
# fxdb and its shim exchange this, so that a stale one is noticed.
SHIM_ID=`cat "$srcdir"/src/torch/*.h "$srcdir"/src/torch/*.hh \
	"$srcdir"/src/torch/*.cc | cksum | tr -d ' '`
AC_SUBST([SHIM_ID])
AC_DEFINE_UNQUOTED([FX_SHIM_ID], ["$SHIM_ID"],
	[What fxdb and the shim must agree on.])
])
