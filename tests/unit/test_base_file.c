/* test_base_file.c - whole files, atomic writes, counted bytes. */
#include <config.h>

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/blob.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "tests/support/folder.h"
#include "tests/support/unit.h"

/* Every test works in a folder of its own, which is also the current one. */
static char *folder;

static void
enter_folder(void)
{
	folder = fxt_folder_new();
	FXT_EQ_FATAL(chdir(folder), 0);
}

/* Remove the folder; how many files were in it. */
static int
leave_folder(void)
{
	DIR *dir = opendir(".");
	struct dirent *entry;
	int count = 0;

	while ((entry = readdir(dir)) != NULL)
		count += strcmp(entry->d_name, ".") != 0 &&
			 strcmp(entry->d_name, "..") != 0;
	closedir(dir);
	FXT_EQ(chdir("/"), 0);
	fxt_folder_free(folder);
	return count;
}

static bool
content_is(const char *path, const char *expected)
{
	FX_AUTO_FREE char *data = NULL;
	size_t size = 0;

	return fxt_ok(fx_file_read(path, 0, &data, &size)) &&
	       size == strlen(expected) && fxt_same(data, expected);
}

static void
what_is_written_is_read(void)
{
	enter_folder();
	FXT_OK(fx_file_write("a", "one\n", 4));
	CU_ASSERT(content_is("a", "one\n"));
	FXT_OK(fx_file_write("a", "", 0));
	CU_ASSERT(content_is("a", ""));
	FXT_EQ(leave_folder(), 1);
}

static void
large_files_are_written_in_pieces(void)
{
	struct fx_file_writer *file = NULL;
	FX_AUTO_FREE char *data = NULL;
	static char large[600000];
	size_t size = 0;

	enter_folder();
	memset(large, 'x', sizeof(large));
	FXT_OK(fx_file_writer_new("a", &file));
	for (int i = 0; i < 100000; i++)
		FXT_OK(fx_file_writer_add(file, "0123456789", 10));
	FXT_OK(fx_file_writer_add(file, large, sizeof(large)));
	FXT_OK(fx_file_writer_add(file, "end", 3));
	FXT_IS(access("a", F_OK), !=, 0);
	FXT_OK(fx_file_writer_commit(file));
	FXT_OK(fx_file_read("a", 0, &data, &size));
	FXT_EQ(size, 1000000 + sizeof(large) + 3);
	FXT_EQ(memcmp(data + 999990, "0123456789x", 11), 0);
	FXT_SAME(data + size - 4, "xend");
	FXT_EQ(leave_folder(), 1);
}

static void
an_aborted_write_leaves_the_old_file_alone(void)
{
	struct fx_file_writer *file = NULL;

	enter_folder();
	FXT_OK(fx_file_write("a", "old", 3));
	FXT_OK(fx_file_writer_new("a", &file));
	FXT_OK(fx_file_writer_add(file, "new", 3));
	fx_file_writer_abort(file);
	CU_ASSERT(content_is("a", "old"));
	FXT_EQ(leave_folder(), 1);
}

/* A limit on the size of files fails in the middle, like a full disk. */
static void
a_full_disk_leaves_the_old_file_alone(void)
{
	struct rlimit saved;
	struct rlimit small;
	char *data = fx_xcalloc(1 << 20, 1);
	struct fx_error *err;

	enter_folder();
	FXT_OK(fx_file_write("a", "old", 3));
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &saved);
	small = saved;
	small.rlim_cur = 65536;
	setrlimit(RLIMIT_FSIZE, &small);
	err = fx_file_write("a", data, 1 << 20);
	setrlimit(RLIMIT_FSIZE, &saved);
	FXT_FAILS(err, FX_ERR_NO_SPACE);
	CU_ASSERT(content_is("a", "old"));
	FXT_EQ(leave_folder(), 1);
	free(data);
}

static void
a_full_device_is_an_error(void)
{
	struct fx_error *err = fx_file_write("/dev/full", "text", 4);

	CU_ASSERT_PTR_NOT_NULL_FATAL(err);
	FXT_SAME(fx_error_message(err),
		"cannot write \"/dev/full\": no space left on device");
	FXT_FAILS(err, FX_ERR_NO_SPACE);
	FXT_OK(fx_file_write("/dev/null", "text", 4));
}

static void
permissions_and_links_are_kept(void)
{
	struct stat st;

	enter_folder();
	FXT_OK(fx_file_write("real", "1", 1));
	FXT_EQ(chmod("real", 0640), 0);
	FXT_EQ(symlink("real", "link"), 0);
	FXT_EQ(symlink("later", "dangling"), 0);
	FXT_OK(fx_file_write("link", "2", 1));
	FXT_OK(fx_file_write("dangling", "3", 1));
	CU_ASSERT(content_is("real", "2"));
	CU_ASSERT(content_is("later", "3"));
	FXT_EQ(lstat("link", &st), 0);
	CU_ASSERT(S_ISLNK(st.st_mode));
	FXT_EQ(stat("real", &st), 0);
	FXT_EQ(st.st_mode & 07777, 0640);
	FXT_EQ(leave_folder(), 4);
}

static void
what_cannot_be_written_says_why(void)
{
	struct fx_error *err;

	enter_folder();
	FXT_EQ(mkdir("d", 0755), 0);
	err = fx_file_write("nowhere/a", "x", 1);
	CU_ASSERT_PTR_NOT_NULL_FATAL(err);
	FXT_SAME(fx_error_message(err),
		"cannot write \"nowhere/a\": no such file or directory");
	FXT_FAILS(err, FX_ERR_IO);
	FXT_FAILS(fx_file_write("d", "x", 1), FX_ERR_IO);
	FXT_FAILS(fx_file_write("", "x", 1), FX_ERR_IO);
	FXT_EQ(symlink("loop", "loop"), 0);
	FXT_FAILS(fx_file_write("loop", "x", 1), FX_ERR_IO);
	FXT_EQ(leave_folder(), 2);
}

static void
what_cannot_be_read_says_why(void)
{
	char *data = NULL;
	size_t size;

	enter_folder();
	FXT_FAILS(fx_file_read("none", 0, &data, &size), FX_ERR_IO);
	FXT_FAILS(fx_file_read(".", 0, &data, &size), FX_ERR_IO);
	FXT_FAILS(fx_file_read("/dev/zero", 0, &data, &size), FX_ERR_IO);
	FXT_OK(fx_file_write("a", "12345", 5));
	FXT_FAILS(fx_file_read("a", 4, &data, &size), FX_ERR_LIMIT);
	CU_ASSERT_PTR_NULL(data);
	FXT_OK(fx_file_read("a", 5, &data, &size));
	free(data);
	leave_folder();
}

/* Opens it a moment later. */
static void *
write_late(void *context)
{
	int fd;

	(void)context;
	poll(NULL, 0, 50);
	fd = open("pipe", O_WRONLY);
	if (write(fd, "late", 4) != 4)
		abort();
	close(fd);
	return NULL;
}

static void
a_pipe_waits_for_its_writer(void)
{
	FX_AUTO_FREE char *data = NULL;
	pthread_t writer;

	enter_folder();
	FXT_EQ(mkfifo("pipe", 0600), 0);
	pthread_create(&writer, NULL, write_late, NULL);
	FXT_OK(fx_file_read("pipe", 0, &data, NULL));
	CU_ASSERT_STRING_EQUAL(data, "late");
	pthread_join(writer, NULL);
	leave_folder();
}

static void
touch(const char *name)
{
	int fd = open(name, O_WRONLY | O_CREAT, 0600);

	CU_ASSERT_TRUE(fd >= 0);
	close(fd);
}

static void
what_a_killed_writer_left_is_removed(void)
{
	FX_AUTO_FREE char *ours =
		fx_xasprintf(".fxdb-%ld-7.tmp", (long)getppid());
	/* The largest number of a process is 2^22. */
	static const char dead[] = ".fxdb-99999999-0.tmp";
	static const char other[] = ".fxdb-99999999-0.tmpx";

	enter_folder();
	touch(dead);
	touch(other);
	touch(ours);
	FXT_OK(fx_file_write("a", "new", 3));
	CU_ASSERT_NOT_EQUAL(access(dead, F_OK), 0);
	CU_ASSERT_EQUAL(access(other, F_OK), 0);
	CU_ASSERT_EQUAL(access(ours, F_OK), 0);
	leave_folder();
}

static void
files_appear_together_or_not_at_all(void)
{
	struct fx_file_writer *files[2];
	struct rlimit before;
	struct rlimit small;

	enter_folder();
	getrlimit(RLIMIT_FSIZE, &before);
	small = before;
	small.rlim_cur = 1000;
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &small);
	FXT_OK(fx_file_writer_begin("a", "small", 5, &files[0]));
	FXT_OK(fx_file_writer_new("b", &files[1]));
	for (int i = 0; i < 200; i++)
		FXT_OK(fx_file_writer_add(files[1], "0123456789", 10));
	FXT_FAILS(fx_file_writers_commit(files, 2), FX_ERR_NO_SPACE);
	setrlimit(RLIMIT_FSIZE, &before);
	CU_ASSERT_NOT_EQUAL(access("a", F_OK), 0);
	CU_ASSERT_NOT_EQUAL(access("b", F_OK), 0);
	leave_folder();
}

/* Whoever waits for ever does not pass. */
static void
on_alarm(int number)
{
	static volatile sig_atomic_t count;

	(void)number;
	if (++count == 1000)
		_exit(1);
}

static void
a_signal_breaks_off_the_wait_for_a_pipe(void)
{
	struct sigaction action = { .sa_handler = on_alarm };
	struct sigaction before;
	struct itimerval soon = { { 0, 10000 }, { 0, 10000 } };
	struct itimerval never = { { 0, 0 }, { 0, 0 } };
	char *data = fx_xcalloc(1 << 20, 1);
	char *got = NULL;
	int holder;

	enter_folder();
	FXT_EQ(mkfifo("pipe", 0600), 0);
	holder = open("pipe", O_RDWR);
	sigaction(SIGALRM, &action, &before);
	setitimer(ITIMER_REAL, &soon, NULL);
	FXT_FAILS(fx_file_read("pipe", 0, &got, NULL), FX_ERR_INTERRUPTED);
	FXT_FAILS(fx_file_write("pipe", data, 1 << 20), FX_ERR_INTERRUPTED);
	setitimer(ITIMER_REAL, &never, NULL);
	sigaction(SIGALRM, &before, NULL);
	close(holder);
	free(data);
	leave_folder();
}

static void
an_open_pipe_is_written_by_its_name(void)
{
	FX_AUTO_FREE char *path = NULL;
	char text[10] = "";
	int ends[2];

	FXT_EQ_FATAL(pipe(ends), 0);
	path = fx_xasprintf("/dev/fd/%d", ends[1]);
	FXT_OK(fx_file_write(path, "text", 4));
	close(ends[1]);
	FXT_EQ(read(ends[0], text, sizeof(text)), 4);
	close(ends[0]);
	FXT_SAME(text, "text");
}

static void
files_of_the_kernel_are_read_though_their_size_is_0(void)
{
	FX_AUTO_FREE char *data = NULL;
	size_t size = 0;

	FXT_OK(fx_file_read("/proc/self/status", 0, &data, &size));
	FXT_IS(size, >, 10);
}

static bool
path_is(char *path, const char *expected)
{
	bool same = fxt_same(path, expected);

	free(path);
	return same;
}

static void
paths_are_taken_apart(void)
{
	CU_ASSERT(path_is(fx_file_dirname("a/b/c"), "a/b"));
	CU_ASSERT(path_is(fx_file_dirname("c"), "."));
	CU_ASSERT(path_is(fx_file_dirname("/c"), "/"));
	CU_ASSERT(path_is(fx_file_dirname("a//c"), "a"));
	CU_ASSERT(path_is(fx_file_basename("a/b/c.py"), "c.py"));
	CU_ASSERT(path_is(fx_file_basename("c.py"), "c.py"));
	CU_ASSERT(path_is(fx_file_beside("a/b", "w"), "a/w"));
	CU_ASSERT(path_is(fx_file_beside("b", "w"), "w"));
	CU_ASSERT(path_is(fx_file_beside("a/b", "/w"), "/w"));
	CU_ASSERT(path_is(fx_file_beside("/b", "w"), "/w"));
	setenv("HOME", "/home/me", 1);
	CU_ASSERT(path_is(fx_file_expand("~/x"), "/home/me/x"));
	CU_ASSERT(path_is(fx_file_expand("~"), "/home/me"));
	CU_ASSERT(path_is(fx_file_expand("a~"), "a~"));
	CU_ASSERT(path_is(fx_file_expand("~no such user/x"),
		"~no such user/x"));
}

static void
note_release(void *context)
{
	++*(int *)context;
}

static void
a_blob_lives_as_long_as_its_parts(void)
{
	char bytes[] = "0123456789";
	int released = 0;
	struct fx_blob *blob = fx_blob_wrap(bytes, 10, note_release, &released);
	struct fx_blob *part = fx_blob_slice(blob, 2, 5);
	struct fx_blob *smaller = fx_blob_slice(part, 1, 2);
	char out[3] = "";

	fx_blob_unref(blob);
	fx_blob_unref(part);
	FXT_EQ(released, 0);
	FXT_EQ(fx_blob_size(smaller), 2);
	FXT_OK(fx_blob_read(smaller, 0, 2, out));
	FXT_SAME(out, "34");
	FXT_FAILS(fx_blob_read(smaller, 1, 2, out), FX_ERR_RANGE);
	FXT_FAILS(fx_blob_read(smaller, SIZE_MAX, 2, out), FX_ERR_RANGE);
	fx_blob_unref(smaller);
	FXT_EQ(released, 1);
	fx_blob_unref(NULL);
}

static void
a_new_blob_is_zero_or_an_error(void)
{
	struct fx_blob *blob = NULL;

	FXT_OK(fx_blob_new(1000, &blob));
	for (size_t i = 0; i < 1000; i++)
		FXT_EQ(((char *)fx_blob_data(blob))[i], 0);
	FXT_EQ(fx_blob_ref(blob), blob);
	fx_blob_unref(blob);
	fx_blob_unref(blob);
#ifndef FX_SANITIZERS
	FXT_FAILS(fx_blob_new(SIZE_MAX / 2, &blob), FX_ERR_NO_SPACE);
#endif
	FXT_OK(fx_blob_new(0, &blob));
	fx_blob_unref(blob);
}

static void
a_mapped_file_has_its_bytes(void)
{
	struct fx_blob *blob = NULL;
	char *data = fx_xcalloc(20000, 1);
	char out[4] = "";

	enter_folder();
	snprintf(data + 10000, 4, "abc");
	FXT_OK(fx_file_write("a", data, 20000));
	FXT_OK(fx_blob_map("a", 9999, 10001, &blob));
	FXT_EQ(fx_blob_size(blob), 10001);
	FXT_OK(fx_blob_read(blob, 1, 3, out));
	FXT_SAME(out, "abc");
	((char *)fx_blob_data(blob))[1] = 'X';
	CU_ASSERT_FALSE(content_is("a", "X"));
	fx_blob_unref(blob);
	FXT_OK(fx_blob_map("a", 20000, 0, &blob));
	fx_blob_unref(blob);
	FXT_FAILS(fx_blob_map("a", 10000, 10001, &blob), FX_ERR_FORMAT);
	FXT_FAILS(fx_blob_map("a", SIZE_MAX, 2, &blob), FX_ERR_RANGE);
	FXT_FAILS(fx_blob_map("none", 0, 1, &blob), FX_ERR_IO);
	FXT_FAILS(fx_blob_map(".", 0, 1, &blob), FX_ERR_IO);
	free(data);
	leave_folder();
}

static void
a_mapped_file_cut_short_is_an_error_not_a_fault(void)
{
	struct fx_blob *blob = NULL;
	struct fx_blob *part;
	char *data = fx_xcalloc(20000, 1);
	char out[4];

	enter_folder();
	FXT_OK(fx_file_write("a", data, 20000));
	FXT_OK(fx_blob_map("a", 0, 20000, &blob));
	part = fx_blob_slice(blob, 12000, 8000);
	FXT_EQ(truncate("a", 100), 0);
	FXT_FAILS(fx_blob_read(part, 7000, 4, out), FX_ERR_FORMAT);
	fx_blob_unref(part);
	fx_blob_unref(blob);
	free(data);
	leave_folder();
}

/* Whoever touches the pages, an operator of libtorch say, goes on. */
static void
touching_what_was_cut_off_is_no_fault(void)
{
	struct fx_blob *blob = NULL;
	struct fx_blob *begin;
	struct fx_blob *end;
	char *data = fx_xcalloc(200000, 1);
	volatile char *bytes;
	char out[4];

	enter_folder();
	memset(data, 'x', 200000);
	FXT_OK(fx_file_write("a", data, 200000));
	FXT_OK(fx_blob_map("a", 1, 199999, &blob));
	begin = fx_blob_slice(blob, 0, 50000);
	end = fx_blob_slice(blob, 50000, 100000);
	bytes = fx_blob_data(blob);
	FXT_EQ(bytes[120000], 'x');
	FXT_EQ(truncate("a", 60000), 0);
	FXT_EQ(bytes[120000], 0);
	FXT_EQ(bytes[199998], 0);
	FXT_EQ(bytes[100], 'x');
	FXT_OK(fx_blob_read(begin, 0, 4, out));
	FXT_FAILS(fx_blob_read(end, 0, 4, out), FX_ERR_FORMAT);
	/* That it grows again brings nothing back. */
	FXT_EQ(truncate("a", 200000), 0);
	FXT_FAILS(fx_blob_read(end, 0, 4, out), FX_ERR_FORMAT);
	FXT_OK(fx_blob_read(begin, 0, 4, out));
	fx_blob_unref(begin);
	fx_blob_unref(end);
	fx_blob_unref(blob);
	free(data);
	leave_folder();
}

int
main(void)
{
	static const struct fxt_case cases[] = {
		FXT_CASE(what_is_written_is_read),
		FXT_CASE(large_files_are_written_in_pieces),
		FXT_CASE(an_aborted_write_leaves_the_old_file_alone),
		FXT_CASE(a_full_disk_leaves_the_old_file_alone),
		FXT_CASE(a_full_device_is_an_error),
		FXT_CASE(permissions_and_links_are_kept),
		FXT_CASE(what_cannot_be_written_says_why),
		FXT_CASE(what_cannot_be_read_says_why),
		FXT_CASE(a_pipe_waits_for_its_writer),
		FXT_CASE(what_a_killed_writer_left_is_removed),
		FXT_CASE(files_appear_together_or_not_at_all),
		FXT_CASE(a_signal_breaks_off_the_wait_for_a_pipe),
		FXT_CASE(an_open_pipe_is_written_by_its_name),
		FXT_CASE(files_of_the_kernel_are_read_though_their_size_is_0),
		FXT_CASE(paths_are_taken_apart),
		FXT_CASE(a_blob_lives_as_long_as_its_parts),
		FXT_CASE(a_new_blob_is_zero_or_an_error),
		FXT_CASE(a_mapped_file_has_its_bytes),
		FXT_CASE(a_mapped_file_cut_short_is_an_error_not_a_fault),
		FXT_CASE(touching_what_was_cut_off_is_no_fault),
	};

	return fxt_run("base file", cases, FX_ARRAY_LEN(cases));
}
