/* test_base.c - errors, tables, digests, the log. */
#include <config.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/dtype.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "tests/support/unit.h"

static void
an_error_keeps_what_is_said_about_it(void)
{
	FX_AUTO_ERROR struct fx_error *err =
		fx_error_new(FX_ERR_NO_NODE, "no node \"%s\" in %s", "x", "g");

	FXT_EQ(fx_error_code(err), FX_ERR_NO_NODE);
	FXT_SAME(fx_error_message(err), "no node \"x\" in g");
	CU_ASSERT_PTR_NULL(fx_error_hint_text(err));
	CU_ASSERT_PTR_NULL(fx_error_text(err));
	CU_ASSERT_PTR_NULL(fx_error_file(err));
	err = fx_error_note(err, "at node %s", "relu");
	err = fx_error_note(err, "while loading %s", "a.py");
	err = fx_error_hint(err, "try %d", 1);
	err = fx_error_hint(err, "%s again", fx_error_hint_text(err));
	err = fx_error_at(err, "inner", (struct fx_span){ 1, 2 });
	err = fx_error_at(err, "outer", (struct fx_span){ 3, 4 });
	err = fx_error_place(err, "a.py", 7);
	err = fx_error_place(err, "b.py", 8);
	FXT_EQ(fx_error_note_count(err), 2);
	FXT_SAME(fx_error_note_text(err, 0), "at node relu");
	FXT_SAME(fx_error_note_text(err, 1), "while loading a.py");
	CU_ASSERT_PTR_NULL(fx_error_note_text(err, 2));
	FXT_SAME(fx_error_hint_text(err), "try 1 again");
	FXT_SAME(fx_error_text(err), "inner");
	FXT_EQ(fx_error_span(err).end, 2);
	FXT_SAME(fx_error_file(err), "a.py");
	FXT_EQ(fx_error_line(err), 7);
}

static void
long_words_and_quotes_are_shortened(void)
{
	FX_AUTO_BUF struct fx_buf name = { 0 };
	FX_AUTO_BUF struct fx_buf words = { 0 };
	FX_AUTO_ERROR struct fx_error *err = NULL;
	const char *text;

	fx_buf_add_repeat(&name, 'a', 3000);
	for (int i = 0; i < 1000; i++)
		fx_buf_add(&words, "\u00e4b ");
	err = fx_error_new(FX_ERR_NO_NODE, "no node \"%s\" in %s", name.data,
		"net");
	err = fx_error_note(err, "%%%s is a name", name.data);
	err = fx_error_hint(err, "not \"%s\" and \"b\"", words.data);
	text = fx_error_message(err);
	FXT_IS(strlen(text), <, 120);
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "no node \"aaaa"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text,
		"aaa...\" (3000 characters) in net"));
	text = fx_error_note_text(err, 0);
	CU_ASSERT_PTR_NOT_NULL(strstr(text,
		"a... (3001 characters) is a name"));
	text = fx_error_hint_text(err);
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "(3000 characters) and \"b\""));
	FXT_EQ(fx_utf8_valid(text, strlen(text)), strlen(text));
}

static void
a_message_of_many_words_is_whole(void)
{
	FX_AUTO_BUF struct fx_buf words = { 0 };
	FX_AUTO_ERROR struct fx_error *err = NULL;

	for (int i = 0; i < 1000; i++)
		fx_buf_addf(&words, "%d \"%d\" \" \n", i, i);
	err = fx_error_new(FX_ERR_NO_NODE, "%s", words.data);
	FXT_SAME(fx_error_message(err), words.data);
}

static void
nothing_can_be_said_about_no_error(void)
{
	CU_ASSERT_PTR_NULL(fx_error_note(NULL, "x"));
	CU_ASSERT_PTR_NULL(fx_error_hint(NULL, "x"));
	CU_ASSERT_PTR_NULL(fx_error_at(NULL, "x", (struct fx_span){ 0, 0 }));
	CU_ASSERT_PTR_NULL(fx_error_place(NULL, "x", 1));
	fx_error_free(NULL);
}

static void
error_words_are_unique(void)
{
	for (int i = 0; i < FX_ERR_COUNT; i++) {
		const char *word = fx_error_word((enum fx_error_code)i);

		CU_ASSERT(*word);
		CU_ASSERT(*fx_error_summary((enum fx_error_code)i));
		CU_ASSERT(*fx_error_python((enum fx_error_code)i));
		for (int j = 0; j < i; j++)
			CU_ASSERT_STRING_NOT_EQUAL(word,
				fx_error_word((enum fx_error_code)j));
	}
	FXT_SAME(fx_error_word(FX_ERR_NO_NODE), "no-node");
	FXT_SAME(fx_error_python(FX_ERR_NO_NODE), "LookupError");
}

static void
dtypes_are_found_by_their_names(void)
{
	for (int i = 1; i < FX_DTYPE_COUNT; i++) {
		enum fx_dtype dtype = (enum fx_dtype)i;
		const struct fx_dtype_info *info = fx_dtype_info(dtype);

		FXT_EQ(fx_dtype_find(info->name), dtype);
		FXT_EQ(fx_dtype_find_short(info->short_name), dtype);
		if (*info->safetensors)
			FXT_EQ(fx_dtype_find_safetensors(info->safetensors),
				dtype);
		if (*info->numpy)
			FXT_EQ(fx_dtype_find_numpy(info->numpy), dtype);
	}
	FXT_EQ(fx_dtype_find("long"), FX_DTYPE_I64);
	FXT_EQ(fx_dtype_find("half"), FX_DTYPE_F16);
	FXT_EQ(fx_dtype_find("cdouble"), FX_DTYPE_C128);
	FXT_EQ(fx_dtype_find("f32"), FX_DTYPE_NONE);
	FXT_EQ(fx_dtype_find(""), FX_DTYPE_NONE);
	FXT_EQ(fx_dtype_find_safetensors(""), FX_DTYPE_NONE);
	FXT_EQ(fx_dtype_find_numpy("<f4"), FX_DTYPE_F32);
	FXT_EQ(fx_dtype_find_numpy(">f4"), FX_DTYPE_NONE);
	FXT_EQ(fx_dtype_find_numpy("|b1"), FX_DTYPE_BOOL);
	FXT_EQ(fx_dtype_find_numpy(">u1"), FX_DTYPE_U8);
	FXT_EQ(fx_dtype_find_numpy(""), FX_DTYPE_NONE);
	FXT_EQ(fx_dtype_real(FX_DTYPE_C64), FX_DTYPE_F32);
	FXT_EQ(fx_dtype_real(FX_DTYPE_I8), FX_DTYPE_I8);
	FXT_EQ(fx_dtype_complex(FX_DTYPE_F16), FX_DTYPE_C32);
	FXT_EQ(fx_dtype_complex(FX_DTYPE_BF16), FX_DTYPE_NONE);
	FXT_EQ(fx_dtype_complex(FX_DTYPE_NONE), FX_DTYPE_NONE);
}

static void
a_digest_does_not_depend_on_the_pieces(void)
{
	unsigned char data[200];
	struct fx_hash whole;

	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (unsigned char)(i * 7);
	whole = fx_hash_of(data, sizeof(data));
	for (size_t step = 1; step < sizeof(data); step++) {
		struct fx_hasher *hasher = fx_hasher_new();

		for (size_t at = 0; at < sizeof(data); at += step)
			fx_hasher_add(hasher, data + at,
				FX_MIN(step, sizeof(data) - at));
		CU_ASSERT(fx_hash_equal(fx_hasher_free(hasher), whole));
	}
}

/* Files keep digests, so these may never change. */
static void
digests_are_stable(void)
{
	char text[33];

	fx_hash_text(fx_hash_of("", 0), text);
	FXT_SAME(text, "99aa06d3014798d86001c324468d497f");
	fx_hash_text(fx_hash_of("fxdb", 4), text);
	FXT_SAME(text, "292684e19e18a1743e28bc92e2aa3582");
	fx_hash_text(fx_hash_of("0123456789abcdefghijklmnop", 26), text);
	FXT_SAME(text, "745f70bd5d093f53bcd454d6d0561c2b");
}

static void
digests_of_texts_see_their_borders(void)
{
	struct fx_hasher *a = fx_hasher_new();
	struct fx_hasher *b = fx_hasher_new();

	fx_hasher_add_text(a, "ab");
	fx_hasher_add_text(a, "c");
	fx_hasher_add_text(b, "a");
	fx_hasher_add_text(b, "bc");
	CU_ASSERT_FALSE(fx_hash_equal(fx_hasher_free(a), fx_hasher_free(b)));
	CU_ASSERT_FALSE(fx_hash_equal(fx_hash_of("\0", 1), fx_hash_of("", 0)));
	CU_ASSERT_FALSE(fx_hash_equal(fx_hash_of("\0\0", 2),
		fx_hash_of("\0", 1)));
}

/* Flipping any bit of the input flips about half of the digest. */
static void
every_bit_counts(void)
{
	unsigned char data[48] = { 0 };
	struct fx_hash plain = fx_hash_of(data, sizeof(data));
	int least = 128;
	int total = 0;

	for (size_t bit = 0; bit < sizeof(data) * 8; bit++) {
		struct fx_hash hash;
		int flipped;

		data[bit / 8] ^= (unsigned char)(1u << bit % 8);
		hash = fx_hash_of(data, sizeof(data));
		data[bit / 8] ^= (unsigned char)(1u << bit % 8);
		flipped = __builtin_popcountll(hash.low ^ plain.low) +
			  __builtin_popcountll(hash.high ^ plain.high);
		least = FX_MIN(least, flipped);
		total += flipped;
	}
	FXT_IS(least, >=, 32);
	CU_ASSERT(total / 384 >= 60 && total / 384 <= 68);
}

static int
compare_words(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a;
	uint64_t y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void
a_million_short_texts_have_different_digests(void)
{
	const int count = 1000000;
	uint64_t *low = fx_xcalloc((size_t)count, sizeof(*low));
	uint64_t *quick = fx_xcalloc((size_t)count, sizeof(*quick));
	int equal = 0;

	for (int i = 0; i < count; i++) {
		uint32_t word = (uint32_t)i;

		low[i] = fx_hash_of(&word, sizeof(word)).low;
		quick[i] = fx_hash_quick(&word, sizeof(word));
	}
	qsort(low, (size_t)count, sizeof(*low), compare_words);
	qsort(quick, (size_t)count, sizeof(*quick), compare_words);
	for (int i = 1; i < count; i++)
		equal += (low[i] == low[i - 1]) + (quick[i] == quick[i - 1]);
	FXT_EQ(equal, 0);
	free(low);
	free(quick);
}

static void
digests_are_written_and_read(void)
{
	struct fx_hash hash = fx_hash_of("x", 1);
	struct fx_hash back = { 0, 0 };
	char text[33];

	fx_hash_text(hash, text);
	FXT_EQ(strlen(text), 32);
	CU_ASSERT(fx_hash_parse(text, &back));
	CU_ASSERT(fx_hash_equal(hash, back));
	text[31] = 'g';
	CU_ASSERT_FALSE(fx_hash_parse(text, &back));
	CU_ASSERT_FALSE(fx_hash_parse("", &back));
	CU_ASSERT_FALSE(fx_hash_parse("00112233445566778899", &back));
	CU_ASSERT_FALSE(fx_hash_parse("00112233445566778899aabbccddeeff0",
		&back));
	CU_ASSERT_FALSE(fx_hash_parse("00112233445566778899AABBCCDDEEFF",
		&back));
}

static void
the_log_has_only_topics_asked_for(void)
{
	char lines[200] = "";
	int saved = dup(STDERR_FILENO);
	int ends[2];

	FXT_EQ_FATAL(pipe(ends), 0);
	dup2(ends[1], STDERR_FILENO);
	setenv("FXDB_DEBUG", "load,pass", 1);
	fx_log("load", "%d nodes", 6);
	fx_log("pass", "seen");
	fx_log("pas", "not seen");
	fx_log("passes", "not seen");
	setenv("FXDB_DEBUG", "all", 1);
	fx_log("edit", "seen");
	unsetenv("FXDB_DEBUG");
	fx_log("edit", "not seen");
	dup2(saved, STDERR_FILENO);
	close(saved);
	close(ends[1]);
	FXT_IS(read(ends[0], lines, sizeof(lines) - 1), >, 0);
	close(ends[0]);
	FXT_SAME(lines,
		"fxdb: load: 6 nodes\nfxdb: pass: seen\nfxdb: edit: seen\n");
}

int
main(void)
{
	static const struct fxt_case cases[] = {
		FXT_CASE(an_error_keeps_what_is_said_about_it),
		FXT_CASE(long_words_and_quotes_are_shortened),
		FXT_CASE(a_message_of_many_words_is_whole),
		FXT_CASE(nothing_can_be_said_about_no_error),
		FXT_CASE(error_words_are_unique),
		FXT_CASE(dtypes_are_found_by_their_names),
		FXT_CASE(a_digest_does_not_depend_on_the_pieces),
		FXT_CASE(digests_are_stable),
		FXT_CASE(digests_of_texts_see_their_borders),
		FXT_CASE(every_bit_counts),
		FXT_CASE(a_million_short_texts_have_different_digests),
		FXT_CASE(digests_are_written_and_read),
		FXT_CASE(the_log_has_only_topics_asked_for),
	};

	return fxt_run("base", cases, FX_ARRAY_LEN(cases));
}
