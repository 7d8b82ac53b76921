/* numpy's files, beside numpy where there is one. */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/blob.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "load/npy.h"
#include "run/values.h"
#include "tests/support/folder.h"
#include "tests/support/unit.h"

/* --- by hand ------------------------------------------------------------- */

/* A file of VERSION with HEADER and SIZE bytes of elements, read. */
static struct fx_error *
try(int version, const char *header, const void *bytes, size_t size,
	struct fx_npy *ret)
{
	FX_AUTO_FREE char *path = fx_xasprintf("npy-%ld.npy", (long)getpid());
	FX_AUTO_BUF struct fx_buf file = { 0 };
	size_t length = strlen(header);
	struct fx_error *err;

	fx_buf_add_n(&file, "\x93NUMPY", 6);
	fx_buf_add_char(&file, (char)version);
	fx_buf_add_char(&file, 0);
	fx_buf_add_char(&file, (char)(length & 255));
	fx_buf_add_char(&file, (char)(length >> 8));
	if (version != 1)
		fx_buf_add_n(&file, "\0\0", 2);
	fx_buf_add_n(&file, header, length);
	fx_buf_add_n(&file, bytes, size);
	CU_ASSERT(fxt_ok(fx_file_write(path, file.data, file.length)));
	err = fx_npy_read(path, ret);
	unlink(path);
	return err;
}

#define HEADER(descr, order, shape) \
	"{'descr': " descr ", 'fortran_order': " order ", 'shape': " shape "}" \
	"\n"

static void
a_file_of_each_version_is_read(void)
{
	static const float numbers[] = { 1, 2.5F };

	for (int version = 1; version <= 3; version++) {
		FX_AUTO_NPY struct fx_npy array = { .rank = 0 };

		FXT_OK(try(version, HEADER("'<f4'", "False", "(2, 1)"), numbers,
			sizeof(numbers), &array));
		FXT_EQ(array.dtype, FX_DTYPE_F32);
		FXT_EQ(array.rank, 2);
		FXT_EQ(array.sizes[0], 2);
		FXT_EQ(array.count, 2);
		CU_ASSERT(!memcmp(fx_blob_data(array.blob), numbers,
			sizeof(numbers)));
	}
}

static void
objects_are_never_unpickled(void)
{
	FX_AUTO_NPY struct fx_npy array = { .rank = 0 };

	FXT_FAILS(try(1, HEADER("'|O'", "False", "(1,)"), "cos\nsystem", 10,
			  &array),
		FX_ERR_UNSUPPORTED);
	FXT_FAILS(try(1, HEADER("'O'", "False", "()"), "", 0, &array),
		FX_ERR_UNSUPPORTED);
	FXT_FAILS(try(1, HEADER("[('a', '<f4')]", "False", "(1,)"), "abcd", 4,
			  &array),
		FX_ERR_UNSUPPORTED);
	FXT_FAILS(try(1, HEADER("'<U4'", "False", "(1,)"), "", 0, &array),
		FX_ERR_UNSUPPORTED);
	FXT_FAILS(try(1, HEADER("'<'", "False", "(1,)"), "", 0, &array),
		FX_ERR_UNSUPPORTED);
}

static void
damaged_files_are_refused_before_memory_is_taken(void)
{
	static const char *const headers[] = {
		"",
		"{",
		"[]",
		"{'descr': '<f4'}",
		"{1: 2, 'descr': '<f4', 'fortran_order': 1, 'shape': ()}",
		HEADER("'<f4'", "False", "[2]"),
		HEADER("'<f4'", "False", "(-1,)"),
		HEADER("'<f4'", "False", "(1.5,)"),
		HEADER("'<f4'", "False", "('x',)"),
		HEADER("'<f4'", "__import__('os')", "(1,)"),
		/* Cut short. */
		HEADER("'<f4'", "False", "(3,)"),
		HEADER("'<f8'", "False", "(1000000, 1000000)"),
	};
	FX_AUTO_NPY struct fx_npy array = { .rank = 0 };

	for (size_t i = 0; i < FX_ARRAY_LEN(headers); i++)
		FXT_FAILS(try(1, headers[i], "12345678", 8, &array),
			FX_ERR_FORMAT);
	FXT_FAILS(try(1, HEADER("'<f4'", "False", "(9000000000000000000, 3)"),
			  "", 0, &array),
		FX_ERR_LIMIT);
	FXT_FAILS(try(4, HEADER("'<f4'", "False", "(1,)"), "", 0, &array),
		FX_ERR_VERSION);
	FXT_OK(try(1, HEADER("'<f4'", "False", "(0, 9000000000000000000, 9)"),
		"", 0, &array));
	FXT_EQ(array.count, 0);
}

static void
every_cut_of_a_file_is_an_error(void)
{
	FX_AUTO_FREE char *path = fx_xasprintf("cut-%ld.npy", (long)getpid());
	static const char header[] = HEADER("'<i2'", "False", "(2,)");
	FX_AUTO_BUF struct fx_buf file = { 0 };
	FX_AUTO_NPY struct fx_npy array = { .rank = 0 };

	fx_buf_add_n(&file, "\x93NUMPY\1\0", 8);
	fx_buf_add_char(&file, (char)strlen(header));
	fx_buf_add_n(&file, "", 1);
	fx_buf_add(&file, header);
	fx_buf_add_n(&file, "\1\2\3\4", 4);
	for (size_t size = 0; size < file.length; size++) {
		FXT_OK(fx_file_write(path, file.data, size));
		FXT_FAILS(fx_npy_read(path, &array), FX_ERR_FORMAT);
	}
	unlink(path);
	FXT_FAILS(fx_npy_read(path, &array), FX_ERR_IO);
	FXT_FAILS(fx_npy_read(".", &array), FX_ERR_IO);
	FXT_FAILS(fx_npy_read("/dev/zero", &array), FX_ERR_IO);
}

static void
a_header_longer_than_the_file_or_the_limit_is_refused(void)
{
	FX_AUTO_FREE char *path = fx_xasprintf("long-%ld.npy", (long)getpid());
	FX_AUTO_NPY struct fx_npy array = { .rank = 0 };
	FX_AUTO_BUF struct fx_buf file = { 0 };

	fx_buf_add_n(&file, "\x93NUMPY\2\0\xff\xff\xff\xff", 12);
	FXT_OK(fx_file_write(path, file.data, file.length));
	FXT_FAILS(fx_npy_read(path, &array), FX_ERR_FORMAT);
	file.data[11] = 0;
	fx_buf_add_repeat(&file, '(', 0xffffff);
	FXT_OK(fx_file_write(path, file.data, file.length));
	FXT_FAILS(fx_npy_read(path, &array), FX_ERR_LIMIT);
	/* Deep, but within the limit: the parser's own. */
	file.data[10] = 1;
	FXT_OK(fx_file_write(path, file.data, file.length));
	FXT_FAILS(fx_npy_read(path, &array), FX_ERR_FORMAT);
	unlink(path);
}

/* --- numpy --------------------------------------------------------------- */

static const char script[] =
	"import numpy as np, sys\n"
	"for i, d in enumerate('b1 u1 i1 i2 i4 i8 u2 u4 u8 f2 f4 f8 c8 "
	"c16'.split()):\n"
	"    a = (np.arange(24) * 5 % 7 - (d[0] not in 'ub') * 3)\n"
	"    a = (a * (1 + 2j) if d[0] == 'c' else a).astype(d)\n"
	"    for k, s in enumerate([(24,), (2, 3, 4), (4, 6), (24, 1, 1)]):\n"
	"        b = a.reshape(s)\n"
	"        for o in '<>':\n"
	"            for f in 'CF':\n"
	"                c = np.array(b, order=f).astype(o + d, order=f)\n"
	"                np.save(f'{sys.argv[1]}/{d}-{k}{\"lb\"[o == \">\"]}{f}"
	".npy', c)\n";

/* The numbers of script's array for DTYPE, as bytes. */
static void
expected(enum fx_dtype dtype, char *bytes)
{
	bool is_complex = dtype == FX_DTYPE_C64 || dtype == FX_DTYPE_C128;
	bool is_signed =
		*fx_dtype_info(dtype)->numpy != 'u' && dtype != FX_DTYPE_BOOL;

	for (int i = 0; i < 24; i++) {
		double real = i * 5 % 7 - (is_signed ? 3 : 0);
		double imag = is_complex ? 2 * real : 0;

		fx_elements_encode(dtype, &real, &imag, 1,
			bytes + (size_t)i * fx_dtype_info(dtype)->size);
	}
}

static void
check_file(const char *folder, const char *name, enum fx_dtype dtype)
{
	FX_AUTO_FREE char *path = fx_xasprintf("%s/%s", folder, name);
	FX_AUTO_NPY struct fx_npy array = { .rank = 0 };
	char bytes[24 * 16];
	bool ok = fxt_ok(fx_npy_read(path, &array));

	expected(dtype, bytes);
	ok = ok && array.dtype == dtype && array.count == 24 &&
	     !memcmp(fx_blob_data(array.blob), bytes,
		     24 * fx_dtype_info(dtype)->size);
	if (!ok)
		printf("%s\n", name);
	CU_ASSERT(ok);
}

static bool
run_numpy(const char *text, const char *folder)
{
	FX_AUTO_FREE char *path = fx_xasprintf("%s/s.py", folder);
	FX_AUTO_FREE char *line =
		fx_xasprintf("/usr/bin/python3 %s %s > %s/out 2>&1", path,
			folder, folder);
	FILE *pipe;

	CU_ASSERT(fxt_ok(fx_file_write(path, text, strlen(text))));
	pipe = popen(line, "r");
	return pipe && pclose(pipe) == 0;
}

static bool
has_numpy(const char *folder)
{
	return run_numpy("import numpy\n", folder);
}

static void
what_numpy_saves_is_read(void)
{
	char *folder = fxt_folder_new();

	if (!has_numpy(folder)) {
		fxt_folder_free(folder);
		FXT_SKIP("no numpy");
	}
	CU_ASSERT(run_numpy(script, folder));
	for (int i = 1; i < FX_DTYPE_COUNT; i++) {
		const char *descr = fx_dtype_info((enum fx_dtype)i)->numpy;

		for (int k = 0; *descr && k < 16; k++) {
			FX_AUTO_FREE char *name = fx_xasprintf("%s-%d%c%c.npy",
				descr, k / 4, "lb"[k / 2 % 2], "CF"[k % 2]);

			check_file(folder, name, (enum fx_dtype)i);
		}
	}
	fxt_folder_free(folder);
}

static void
arrays_of_an_archive_are_read(void)
{
	static const char text[] =
		"import sys, numpy as np\n"
		"np.savez(sys.argv[1] + '/two.npz', x=np.ones((2, 3), 'f4'),\n"
		"         y=np.arange(4))\n"
		"np.savez_compressed(sys.argv[1] + '/one.npz',\n"
		"                    np.zeros((1000, 100)))\n"
		"np.savez(sys.argv[1] + '/none.npz')\n"
		"np.save(sys.argv[1] + '/plain.npy', np.arange(2))\n"
		"np.savez(sys.argv[1] + '/object.npz',\n"
		"         x=np.array([None, {}], dtype=object))\n";
	static const struct {
		const char *file;
		const char *name;
		int code; /* of the error, or -1: it is read */
		uint64_t count;
	} rows[] = {
		{ "two.npz", "x", -1, 6 },
		{ "two.npz", "y", -1, 4 },
		{ "two.npz", "z", FX_ERR_NO_NAME, 0 },
		{ "two.npz", NULL, FX_ERR_NO_NAME, 0 },
		{ "one.npz", NULL, -1, 100000 },
		{ "one.npz", "other", -1, 100000 },
		{ "none.npz", NULL, FX_ERR_FORMAT, 0 },
		{ "plain.npy", "x", -1, 2 },
		{ "object.npz", "x", FX_ERR_UNSUPPORTED, 0 },
	};
	char *folder = fxt_folder_new();

	if (!has_numpy(folder)) {
		fxt_folder_free(folder);
		FXT_SKIP("no numpy");
	}
	CU_ASSERT(run_numpy(text, folder));
	for (size_t i = 0; i < FX_ARRAY_LEN(rows); i++) {
		FX_AUTO_FREE char *path =
			fx_xasprintf("%s/%s", folder, rows[i].file);
		FX_AUTO_NPY struct fx_npy array = { .rank = 0 };
		struct fx_error *err = fx_npz_read(path, rows[i].name, &array);

		if (rows[i].code >= 0) {
			FXT_FAILS(err, (enum fx_error_code)rows[i].code);
			continue;
		}
		FXT_OK(err);
		FXT_EQ(array.count, rows[i].count);
	}
	fxt_folder_free(folder);
}

static struct fx_error *
give(void *context, uint64_t first, size_t count, void *bytes)
{
	const struct fx_npy *array = context;
	size_t size = fx_dtype_info(array->dtype)->size;

	memcpy(bytes, (char *)fx_blob_data(array->blob) + first * size,
		count * size);
	return NULL;
}

static void
what_is_written_numpy_reads(void)
{
	char *folder = fxt_folder_new();

	if (!has_numpy(folder)) {
		fxt_folder_free(folder);
		FXT_SKIP("no numpy");
	}
	for (int i = 1; i < FX_DTYPE_COUNT; i++) {
		struct fx_npy array = { .dtype = (enum fx_dtype)i,
			.rank = 3,
			.sizes = { 2, 3, 4 },
			.count = 24 };
		FX_AUTO_FREE char *path = fx_xasprintf("%s/%s.npy", folder,
			fx_dtype_info(array.dtype)->numpy);

		if (!*fx_dtype_info(array.dtype)->numpy) {
			FXT_FAILS(fx_npy_write(path, &array, give, &array),
				FX_ERR_UNSUPPORTED);
			continue;
		}
		FXT_OK(fx_blob_new(24 * fx_dtype_info(array.dtype)->size,
			&array.blob));
		expected(array.dtype, fx_blob_data(array.blob));
		FXT_OK(fx_npy_write(path, &array, give, &array));
		check_file(folder, path + strlen(folder) + 1, array.dtype);
		fx_npy_deinit(&array);
	}
	CU_ASSERT(run_numpy(
		"import numpy as np, sys\n"
		"for d in 'b1 u1 i1 i2 i4 i8 u2 u4 u8 f2 f4 f8 c8 c16'.split():"
		"\n"
		"    a = (np.arange(24) * 5 % 7 - (d[0] not in 'ub') * 3)\n"
		"    a = (a * (1 + 2j) if d[0] == 'c' else a).astype(d)\n"
		"    b = np.load(f'{sys.argv[1]}/{d}.npy')\n"
		"    assert b.dtype == a.dtype and b.shape == (2, 3, 4), d\n"
		"    assert (b.reshape(-1) == a).all(), d\n",
		folder));
	fxt_folder_free(folder);
}

int
main(void)
{
	static const struct fxt_case cases[] = {
		FXT_CASE(a_file_of_each_version_is_read),
		FXT_CASE(objects_are_never_unpickled),
		FXT_CASE(damaged_files_are_refused_before_memory_is_taken),
		FXT_CASE(every_cut_of_a_file_is_an_error),
		FXT_CASE(a_header_longer_than_the_file_or_the_limit_is_refused),
		FXT_CASE(what_numpy_saves_is_read),
		FXT_CASE(arrays_of_an_archive_are_read),
		FXT_CASE(what_is_written_numpy_reads),
	};

	return fxt_run("npy", cases, FX_ARRAY_LEN(cases));
}
