/* values.c - reads lines "f32[2,3] HEX", a tensor and its bytes, and answers
 * for values.py: its text, then a line of statistics.  "X HEX Y HEX RTOL ATOL"
 * compares two.  Every answer ends with a line of "=".
 */
#include <config.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/intern.h"
#include "base/mem.h"
#include "ir/tensor_meta.h"
#include "run/backend.h"
#include "run/compare.h"
#include "run/datum.h"
#include "run/stats.h"
#include "run/tensor_text.h"

static struct fx_datum *
read_tensor(struct fx_backend *backend, const char *meta, const char *hex)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	size_t size = strlen(hex) / 2;
	FX_AUTO_FREE char *bytes = fx_xmalloc(size);
	struct fx_datum *datum = NULL;
	struct fx_value value;
	struct fx_error *err =
		fx_tensor_meta_parse(arena, meta, strlen(meta), &value);

	for (size_t i = 0; i < size; i++) {
		char pair[3] = { hex[2 * i], hex[2 * i + 1], '\0' };

		bytes[i] = (char)strtol(pair, NULL, 16);
	}
	if (!err)
		err = fx_values_write(backend, value.tensor, bytes, &datum);
	if (err) {
		puts(fx_error_text(err));
		exit(1);
	}
	return datum;
}

static struct fx_error *
say_one(struct fx_buf *out, const struct fx_datum *datum)
{
	struct fx_stats stats;
	struct fx_error *err = fx_tensor_text(out, datum);

	if (!err)
		err = fx_stats_compute(datum, NULL, &stats);
	if (err)
		return err;
	fx_buf_addf(out,
		"\n%.17g %.17g %.17g %.17g %" PRIu64 " %" PRIu64 " %" PRIu64
		" %" PRIu64,
		stats.min, stats.max, fx_stats_mean(&stats),
		fx_stats_std(&stats), stats.min_index, stats.max_index,
		stats.nan, stats.plus_inf + stats.minus_inf);
	fx_buf_add(out, "\n");
	fx_stats_print(out, &stats, true);
	return NULL;
}

static struct fx_error *
say_two(struct fx_buf *out, const struct fx_datum *left,
	const struct fx_datum *right, const struct fx_tolerance *tolerance)
{
	struct fx_difference difference;
	struct fx_error *err =
		fx_compare(left, right, tolerance, NULL, &difference);

	if (err)
		return err;
	fx_buf_addf(out, "%" PRIu64 " %" PRIu64 "\n", difference.count,
		difference.first);
	return fx_difference_print(out, &difference, tolerance, left, right);
}

static void
answer(struct fx_backend *backend, char *line)
{
	char *words[6] = { NULL };
	char *save = NULL;
	size_t count = 0;
	FX_AUTO_BUF struct fx_buf out = { 0 };
	FX_AUTO_DATUM struct fx_datum *left = NULL;
	FX_AUTO_DATUM struct fx_datum *right = NULL;
	FX_AUTO_ERROR struct fx_error *err = NULL;

	for (char *word = strtok_r(line, " \n", &save); word && count < 6;
		word = strtok_r(NULL, " \n", &save))
		words[count++] = word;
	/* "-" is no bytes. */
	for (size_t i = 1; i < count; i += 2)
		if (!strcmp(words[i], "-"))
			words[i] = words[i] + 1;
	left = read_tensor(backend, words[0], words[1]);
	if (count < 6) {
		err = say_one(&out, left);
	} else {
		struct fx_tolerance tolerance = { strtod(words[4], NULL),
			strtod(words[5], NULL), false };

		right = read_tensor(backend, words[2], words[3]);
		err = say_two(&out, left, right, &tolerance);
	}
	printf("%s\n=\n", err ? fx_error_text(err) : fx_buf_text(&out));
}

int
main(void)
{
	struct fx_backend *backend = fx_backend_meta_new();
	char *line = NULL;
	size_t capacity = 0;

	while (getline(&line, &capacity, stdin) > 0)
		answer(backend, line);
	free(line);
	fx_backend_free(backend);
	fx_intern_shutdown();
	return 0;
}
