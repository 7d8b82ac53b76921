/* test_base_memory.c - arenas, containers, interned names, buffers. */
#include <config.h>

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/bitset.h"
#include "base/buf.h"
#include "base/intern.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/vec.h"
#include "tests/support/random.h"
#include "tests/support/unit.h"

static void
arena_memory_is_aligned_and_apart(void)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	char *pieces[2000];

	for (size_t i = 0; i < FX_ARRAY_LEN(pieces); i++) {
		pieces[i] = fx_arena_alloc(arena, i % 300);
		FXT_EQ((uintptr_t)pieces[i] % 16, 0);
		memset(pieces[i], (int)(i % 251), i % 300);
	}
	for (size_t i = 0; i < FX_ARRAY_LEN(pieces); i++)
		for (size_t j = 0; j < i % 300; j++)
			if (pieces[i][j] != (char)(i % 251))
				CU_FAIL("a piece was overwritten");
}

static void
arena_gives_large_and_empty_pieces(void)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	char *large = fx_arena_calloc(arena, 10, 1 << 20);

	FXT_EQ(large[0], 0);
	FXT_EQ(large[(10 << 20) - 1], 0);
	CU_ASSERT_PTR_NOT_NULL(fx_arena_alloc(arena, 0));
	FXT_SAME(fx_arena_strndup(arena, "abcdef", 3), "abc");
	FXT_SAME(fx_arena_strndup(arena, NULL, 0), "");
}

static void
arena_rollback_restores_size_and_older_content(void)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	struct fx_arena_mark empty = fx_arena_mark(arena);
	char *kept = fx_arena_strndup(arena, "kept", 4);
	struct fx_arena_mark mark = fx_arena_mark(arena);
	size_t size = fx_arena_size(arena);

	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < 1000; i++)
			memset(fx_arena_alloc(arena, 1000), 'x', 1000);
		FXT_IS(fx_arena_size(arena), >=, size + 1000000);
		fx_arena_rollback(arena, mark);
		FXT_EQ(fx_arena_size(arena), size);
		FXT_SAME(kept, "kept");
	}
	fx_arena_rollback(arena, empty);
	FXT_EQ(fx_arena_size(arena), 0);
	FXT_SAME(fx_arena_strndup(arena, "again", 5), "again");
}

static void
vec_pushes_inserts_and_removes_in_order(void)
{
	FX_VEC(int) numbers = { 0 };
	int *each;
	int expected = 0;

	fx_vec_for_each (each, &numbers)
		CU_FAIL("an empty vector has an item");
	for (int i = 0; i < 1000; i++)
		fx_vec_push(&numbers, i);
	fx_vec_remove(&numbers, 0);
	fx_vec_insert(&numbers, 0, 0);
	fx_vec_insert(&numbers, 1000, 1000);
	fx_vec_for_each (each, &numbers)
		FXT_EQ(*each, expected++);
	FXT_EQ(expected, 1001);
	FXT_EQ(fx_vec_pop(&numbers), 1000);
	FXT_EQ(fx_vec_last(&numbers), 999);
	fx_vec_deinit(&numbers);
	CU_ASSERT_PTR_NULL(numbers.items);
	FXT_EQ(numbers.capacity, 0);
}

static void
bitset_agrees_with_an_array(void)
{
	FX_AUTO_BITSET struct fx_bitset set = { 0 };
	bool has[5000] = { false };
	struct fxt_random random = fxt_random_seed(1);
	size_t count = 0;
	size_t found = 0;
	size_t next = 0;
	size_t at;

	CU_ASSERT_FALSE(fx_bitset_has(&set, 12));
	for (int i = 0; i < 20000; i++) {
		size_t number = fxt_random_below(&random, 5000);

		has[number] = !has[number];
		if (has[number])
			fx_bitset_add(&set, number);
		else
			fx_bitset_remove(&set, number);
	}
	for (size_t i = 0; i < 5000; i++) {
		count += has[i];
		FXT_EQ(fx_bitset_has(&set, i), has[i]);
	}
	FXT_EQ(fx_bitset_count(&set), count);
	for (at = 0; fx_bitset_next(&set, &at); at++, found++) {
		while (next < at)
			CU_ASSERT_FALSE(has[next++]);
		CU_ASSERT(has[next++]);
	}
	FXT_EQ(found, count);
	for (size_t i = 0; i < 5000; i++)
		fx_bitset_remove(&set, i);
	FXT_EQ(fx_bitset_count(&set), 0);
	at = 0;
	CU_ASSERT_FALSE(fx_bitset_next(&set, &at));
	fx_bitset_remove(&set, 1000000);
	CU_ASSERT_FALSE(fx_bitset_has(&set, SIZE_MAX));
}

static void
map_keeps_a_hundred_thousand_entries(void)
{
	FX_AUTO_MAP struct fx_map map = { 0 };
	const uintptr_t count = 100000;
	uintptr_t key;
	uintptr_t value;
	uintptr_t sum = 0;
	size_t at = 0;

	FXT_EQ(fx_map_get(&map, 1, 42), 42);
	CU_ASSERT_FALSE(fx_map_erase(&map, 1));
	for (uintptr_t i = 1; i <= count; i++)
		if (!fx_map_set(&map, i * 64, i))
			CU_FAIL("a new key is called old");
	CU_ASSERT_FALSE(fx_map_set(&map, 64, 1));
	FXT_EQ(map.count, count);
	for (uintptr_t i = 1; i <= count; i++)
		if (fx_map_get(&map, i * 64, 0) != i)
			CU_FAIL("a value is lost");
	CU_ASSERT_FALSE(fx_map_has(&map, 65));
	while (fx_map_next(&map, &at, &key, &value)) {
		FXT_EQ(key, value * 64);
		sum += value;
	}
	FXT_EQ(sum, count * (count + 1) / 2);
	fx_map_clear(&map);
	CU_ASSERT_FALSE(fx_map_has(&map, 64));
}

static void
map_agrees_with_an_array_over_random_edits(void)
{
	FX_AUTO_MAP struct fx_map map = { 0 };
	uintptr_t values[512] = { 0 };
	struct fxt_random random = fxt_random_seed(7);
	size_t count = 0;

	for (int i = 0; i < 200000; i++) {
		size_t key = fxt_random_below(&random, 511) + 1;
		bool was_there = values[key] != 0;

		if (fxt_random_below(&random, 2)) {
			values[key] = (uintptr_t)i + 1;
			FXT_IS(fx_map_set(&map, key, values[key]), !=,
				was_there);
		} else {
			values[key] = 0;
			FXT_EQ(fx_map_erase(&map, key), was_there);
		}
	}
	for (size_t key = 1; key < 512; key++) {
		count += values[key] != 0;
		FXT_EQ(fx_map_get(&map, key, 0), values[key]);
	}
	FXT_EQ(map.count, count);
}

static void
equal_texts_intern_to_one_pointer(void)
{
	char text[] = "relu_1";
	const char *name = fx_intern("relu_1");

	FXT_IS(name, !=, text);
	FXT_EQ(fx_intern(text), name);
	FXT_EQ(fx_intern_n("relu_19", 6), name);
	FXT_EQ(fx_intern_format("%s_%d", "relu", 1), name);
	FXT_EQ(fx_intern_find("relu_1"), name);
	CU_ASSERT_PTR_NULL(fx_intern_find("never interned"));
	CU_ASSERT_PTR_NULL(fx_intern(NULL));
	FXT_EQ(fx_intern_length(name), 6);
	FXT_EQ(fx_intern_length(fx_intern("")), 0);
}

static void
a_hundred_thousand_names_stay_apart(void)
{
	static const char *names[100000];
	char text[32];

	for (int i = 0; i < 100000; i++)
		names[i] = fx_intern_format("node_%d", i);
	for (int i = 0; i < 100000; i++) {
		snprintf(text, sizeof(text), "node_%d", i);
		if (fx_intern(text) != names[i] || strcmp(text, names[i]) != 0)
			CU_FAIL("a name is lost");
	}
}

static void
long_formatted_names_are_whole(void)
{
	char text[1001];

	memset(text, 'a', 1000);
	text[1000] = '\0';
	FXT_EQ(fx_intern_format("%s", text), fx_intern(text));
	FXT_EQ(fx_intern_length(fx_intern(text)), 1000);
}

static void
buf_appends_everything(void)
{
	FX_AUTO_BUF struct fx_buf buf = { 0 };
	FX_AUTO_FREE char *taken = NULL;

	FXT_SAME(fx_buf_text(&buf), "");
	fx_buf_add(&buf, "");
	fx_buf_add_n(&buf, NULL, 0);
	fx_buf_add_repeat(&buf, '-', 0);
	FXT_SAME(fx_buf_text(&buf), "");
	fx_buf_add(&buf, "a");
	fx_buf_add_char(&buf, 'b');
	fx_buf_add_repeat(&buf, '-', 3);
	fx_buf_add_int(&buf, 0);
	fx_buf_add_char(&buf, ' ');
	fx_buf_add_int(&buf, INT64_MIN);
	fx_buf_add_char(&buf, ' ');
	fx_buf_add_int(&buf, INT64_MAX);
	fx_buf_addf(&buf, " %s%d", "x", 7);
	FXT_SAME(fx_buf_text(&buf),
		"ab---0 -9223372036854775808 9223372036854775807 x7");
	fx_buf_truncate(&buf, 1000);
	fx_buf_truncate(&buf, 2);
	FXT_SAME(fx_buf_text(&buf), "ab");
	taken = fx_buf_take(&buf);
	FXT_SAME(taken, "ab");
	FXT_SAME(fx_buf_text(&buf), "");
	FXT_EQ(buf.length, 0);
}

static void
buf_grows_over_every_boundary(void)
{
	FX_AUTO_BUF struct fx_buf buf = { 0 };

	for (size_t i = 0; i < 5000; i++) {
		fx_buf_addf(&buf, "%*d", (int)(i % 97), (int)(i % 10));
		FXT_EQ(strlen(buf.data), buf.length);
		if (i % 3 == 0)
			fx_buf_add_char(&buf, '.');
	}
	FXT_IS(buf.capacity, >, buf.length);
}

static void
taking_an_empty_buf_gives_a_text(void)
{
	FX_AUTO_BUF struct fx_buf buf = { 0 };
	FX_AUTO_FREE char *taken = fx_buf_take(&buf);

	FXT_SAME(taken, "");
}

static void
mem_copies_and_formats(void)
{
	FX_AUTO_FREE char *a = fx_xstrdup("text");
	FX_AUTO_FREE char *b = fx_xstrndup("text", 2);
	FX_AUTO_FREE char *c = fx_xasprintf("%s-%d", "n", 3);
	char *given = FX_TAKE(a);

	FXT_SAME(given, "text");
	CU_ASSERT_PTR_NULL(a);
	free(given);
	FXT_SAME(b, "te");
	FXT_SAME(c, "n-3");
}

int
main(void)
{
	static const struct fxt_case cases[] = {
		FXT_CASE(arena_memory_is_aligned_and_apart),
		FXT_CASE(arena_gives_large_and_empty_pieces),
		FXT_CASE(arena_rollback_restores_size_and_older_content),
		FXT_CASE(vec_pushes_inserts_and_removes_in_order),
		FXT_CASE(bitset_agrees_with_an_array),
		FXT_CASE(map_keeps_a_hundred_thousand_entries),
		FXT_CASE(map_agrees_with_an_array_over_random_edits),
		FXT_CASE(equal_texts_intern_to_one_pointer),
		FXT_CASE(a_hundred_thousand_names_stay_apart),
		FXT_CASE(long_formatted_names_are_whole),
		FXT_CASE(buf_appends_everything),
		FXT_CASE(buf_grows_over_every_boundary),
		FXT_CASE(taking_an_empty_buf_gives_a_text),
		FXT_CASE(mem_copies_and_formats),
	};

	return fxt_run("base memory", cases, FX_ARRAY_LEN(cases));
}
