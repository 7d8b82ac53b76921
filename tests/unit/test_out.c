/* test_out.c - the sinks: plain, terminal, JSON, recorded. */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "commands/out/out.h"
#include "commands/out/record.h"
#include "tests/support/unit.h"

static void
say_something(struct out *out)
{
	static const char *const keys[] = { "index", "name", "~secret",
		"shape" };
	static const char *const sizes[] = { "1", "N" };
	static const char *const users[] = { "a", "b" };

	out_command_begin(out, "nodes");
	out_table_begin(out, "nodes", 4, keys);
	out_cell_int(out, FX_ROLE_NUMBER, 7);
	out_cell(out, FX_ROLE_NODE, "%s", "conv1");
	out_cell_list(out, FX_ROLE_NODE, users, 2);
	out_cell_shape(out, "[1,N]", sizes, 2, true);
	out_cell_int(out, FX_ROLE_NUMBER, 12);
	out_cell(out, FX_ROLE_NODE, "%s", "x");
	out_cell_list(out, FX_ROLE_NODE, users, 0);
	out_cell_shape(out, "", NULL, 0, false);
	out_table_more(out, 3, "-m 0 shows all");
	out_table_end(out);
	out_record_begin(out, "graph");
	out_field(out, "name", FX_ROLE_NODE, "%s", "mlp");
	out_field_int(out, "nodes", FX_ROLE_NUMBER, 2);
	out_field_bool(out, "unsaved", FX_ROLE_PLAIN, true);
	out_record_end(out);
	out_tree_begin(out, "tree");
	out_tree_item(out, 0, FX_ROLE_NODE, "root");
	out_tree_item(out, 1, FX_ROLE_NODE, "left");
	out_tree_item(out, 2, FX_ROLE_NODE, "leaf");
	out_tree_item(out, 1, FX_ROLE_NODE, "right");
	out_tree_end(out);
	out_piece(out, FX_ROLE_PLAIN, "one ");
	out_piece(out, FX_ROLE_NUMBER, "%d", 2);
	out_line_end(out);
	out_value_int(out, "count", 5);
	out_note(out, "by the way");
	out_command_end(out, true);
}

static const char text[] = "index  name   shape\n"
			   "    7  conv1  [1,N]\n"
			   "   12  x\n"
			   "… 3 more; -m 0 shows all\n"
			   "name     mlp\n"
			   "nodes    2\n"
			   "unsaved  yes\n"
			   "root\n"
			   "├─ left\n"
			   "│  ╰─ leaf\n"
			   "╰─ right\n"
			   "one 2\n";

static void
plain_text_is_aligned_and_has_no_details(void)
{
	FX_AUTO_BUF struct fx_buf buf = { 0 };
	struct out_stream stream = out_stream_buffer(&buf, false);
	struct out *out = out_new_plain(&stream);

	say_something(out);
	FXT_SAME(fx_buf_text(&buf), text);
	out_free(out);
}

static void
a_recording_gives_the_same_text(void)
{
	FX_AUTO_BUF struct fx_buf buf = { 0 };
	struct out_recording *recording = out_recording_new();
	struct out *out = out_new_recording(recording);
	size_t i;

	say_something(out);
	for (i = 0; i < out_recording_count(recording); i++) {
		struct out_item *item = out_recording_at(recording, i);

		if (item->kind != OUT_ITEM_NOTE)
			out_item_print(item, &buf);
	}
	FXT_SAME(fx_buf_text(&buf), text);
	out_free(out);
	out_recording_free(recording);
}

static void
json_is_one_object_a_line_with_details(void)
{
	FX_AUTO_BUF struct fx_buf buf = { 0 };
	struct out_stream stream = out_stream_buffer(&buf, false);
	struct out *out = out_new_json(&stream);

	say_something(out);
	FXT_SAME(fx_buf_text(&buf),
		"{\"command\":\"nodes\",\"ok\":true,"
		"\"nodes\":[{\"index\":7,\"name\":\"conv1\",\"secret\":"
		"[\"a\",\"b\"],\"shape\":[1,\"N\"]},"
		"{\"index\":12,\"name\":\"x\",\"secret\":[],\"shape\":null}],"
		"\"more\":3,"
		"\"graph\":{\"name\":\"mlp\",\"nodes\":2,\"unsaved\":true},"
		"\"tree\":[{\"depth\":0,\"text\":\"root\"},"
		"{\"depth\":1,\"text\":\"left\"},{\"depth\":2,\"text\":"
		"\"leaf\"},{\"depth\":1,\"text\":\"right\"}],"
		"\"count\":5,\"lines\":[\"one 2\"]}\n");
	out_free(out);
}

#define ZORK_ERROR \
	",\"ok\":false,\"error\":{\"code\":\"no-node\",\"message\":\"zork\"," \
	"\"hint\":\"nodes\",\"file\":\"t.fxdb\",\"line\":3,\"notes\":[]}"

static void
failed_commands_carry_their_error_and_what_they_said(void)
{
	FX_AUTO_BUF struct fx_buf buf = { 0 };
	struct out_stream stream = out_stream_buffer(&buf, true);
	struct out *out = out_new_json(&stream);
	struct fx_error *err =
		fx_error_hint(fx_error_new(FX_ERR_NO_NODE, "zork"), "nodes");

	err = fx_error_place(err, "t.fxdb", 3);
	out_command_begin(out, "source");
	out_command_begin(out, "node");
	out_line(out, FX_ROLE_PLAIN, "before");
	out_command_end(out, false);
	out_command_end(out, false);
	out_error(out, err);
	FXT_SAME(fx_buf_text(&buf),
		"{\"command\":\"node\"" ZORK_ERROR ",\"lines\":[\"before\"]}\n"
		"{\"command\":\"source\"" ZORK_ERROR "}\n");
	fx_error_free(err);
	out_free(out);
}

static void
one_command_can_answer_in_json(void)
{
	FX_AUTO_BUF struct fx_buf buf = { 0 };
	struct out_stream stream = out_stream_buffer(&buf, true);
	struct out *out = out_new_plain(&stream);

	out_as_json(out);
	out_command_begin(out, "when");
	out_line(out, FX_ROLE_PLAIN, "now");
	out_command_end(out, true);
	out_command_begin(out, "when");
	out_line(out, FX_ROLE_PLAIN, "now");
	out_command_end(out, true);
	FXT_SAME(fx_buf_text(&buf),
		"{\"command\":\"when\",\"ok\":true,\"lines\":[\"now\"]}\n"
		"now\n");
	out_free(out);
}

static void
errors_have_a_place_carets_notes_and_a_hint(void)
{
	FX_AUTO_BUF struct fx_buf buf = { 0 };
	struct out_stream stream = out_stream_buffer(&buf, true);
	struct out *out = out_new_plain(&stream);
	struct fx_error *err = fx_error_new(FX_ERR_SYNTAX, "bad");

	err = fx_error_at(err, "a + )", (struct fx_span){ 4, 5 });
	err = fx_error_note(err, "a note");
	err = fx_error_hint(err, "do this");
	out_error(out, err);
	err = fx_error_place(err, "f", 2);
	out_error(out, err);
	FXT_SAME(fx_buf_text(&buf), "error: bad\n"
				    "  a + )\n"
				    "      ^\n"
				    "  a note\n"
				    "  hint: do this\n"
				    "f:2: error: bad\n"
				    "  a + )\n"
				    "      ^\n"
				    "  a note\n"
				    "  hint: do this\n");
	fx_error_free(err);
	out_free(out);
}

static void
control_characters_cannot_reach_the_terminal(void)
{
	FX_AUTO_BUF struct fx_buf buf = { 0 };
	struct out_stream stream = out_stream_buffer(&buf, true);
	struct out *out = out_new_plain(&stream);

	out_line(out, FX_ROLE_PLAIN, "a\033[2Jb");
	CU_ASSERT_PTR_NULL(strchr(fx_buf_text(&buf), '\033'));
	out_free(out);
}

/* Of standard output: the other is no terminal. */
static size_t
narrow(void *context, bool error)
{
	return error ? 0 : *(size_t *)context;
}

static size_t
widest_row(const char *said)
{
	size_t widest = 0;

	while (*said) {
		size_t length = strcspn(said, "\n");

		widest = FX_MAX(widest, fx_utf8_text_width(said, length));
		said += length + (said[length] == '\n');
	}
	return widest;
}

static void
a_narrow_terminal_cuts_columns_but_not_numbers(void)
{
	static const char *const keys[] = { "index", "name", "target" };
	size_t width;

	for (width = 8; width < 100; width++) {
		FX_AUTO_BUF struct fx_buf buf = { 0 };
		struct out_stream stream = out_stream_buffer(&buf, true);
		struct out_term term = { .context = &width, .width = narrow };
		struct out *out = out_new_term(&stream, &term);

		out_table_begin(out, "t", 3, keys);
		out_cell_int(out, FX_ROLE_NUMBER, 123456);
		out_cell(out, FX_ROLE_NODE, "a_name_that_is_rather_long");
		out_cell(out, FX_ROLE_TARGET, "日本日本日本日本日本日本");
		out_table_end(out);
		CU_ASSERT_PTR_NOT_NULL(strstr(fx_buf_text(&buf), "123456"));
		/* What tells names apart stays, and headings are whole. */
		CU_ASSERT_PTR_NOT_NULL(strstr(fx_buf_text(&buf), "ong"));
		CU_ASSERT_PTR_NOT_NULL(strstr(fx_buf_text(&buf), "target"));
		FXT_IS(widest_row(fx_buf_text(&buf)), <=, width);
		out_free(out);
	}
}

/* What SAY says on a terminal of WIDTH columns. */
static void
say_narrow(struct fx_buf *buf, size_t width, void (*say)(struct out *out))
{
	struct out_stream stream = out_stream_buffer(buf, true);
	struct out_term term = { .context = &width, .width = narrow };
	struct out *out = out_new_term(&stream, &term);

	say(out);
	out_free(out);
}

static void
say_loose(struct out *out)
{
	static const char *const keys[] = { "+name", "4from", "1to", "~more" };

	out_table_begin(out, "t", 4, keys);
	out_cell(out, FX_ROLE_NODE, "a_long_name_1");
	out_cell(out, FX_ROLE_NODE, "here_it_is_from");
	out_cell(out, FX_ROLE_NODE, "there_it_goes_to");
	out_cell(out, FX_ROLE_NODE, "a detail");
	out_table_end(out);
}

static void
a_narrow_terminal_leaves_columns_out_and_says_so(void)
{
	static const struct {
		size_t width;
		const char *said;
	} cases[] = {
		{ 0, "name           from             to\n"
		     "a_long_name_1  here_it_is_from  there_it_goes_to\n" },
		{ 42, "name           from             to\n"
		      "a_long_name_1  here_it_is_from  ther…es_to\n" },
		{ 35, "name           from\n"
		      "a_long_name_1  here_it_is_from\n"
		      "no room for to\n" },
		{ 28, "name           from\n"
		      "a_long_name_1  here_i…s_from\n"
		      "no room for to\n" },
		{ 19, "name\n"
		      "a_long_name_1\n"
		      "no room for from,\n"
		      "    to\n" },
	};

	for (size_t i = 0; i < FX_ARRAY_LEN(cases); i++) {
		FX_AUTO_BUF struct fx_buf buf = { 0 };

		say_narrow(&buf, cases[i].width, say_loose);
		FXT_SAME(fx_buf_text(&buf), cases[i].said);
	}
}

static void
say_empty(struct out *out)
{
	static const char *const keys[] = { "where", "condition", "hits" };

	out_table_begin(out, "t", 3, keys);
	out_cell(out, FX_ROLE_NODE, "layer2");
	out_cell(out, FX_ROLE_PLAIN, "%s", "");
	out_cell_int(out, FX_ROLE_NUMBER, 7);
	out_table_end(out);
}

static void
an_empty_column_goes_without_a_word(void)
{
	FX_AUTO_BUF struct fx_buf buf = { 0 };

	say_narrow(&buf, 23, say_empty);
	FXT_SAME(fx_buf_text(&buf), "where   condition  hits\n"
				    "layer2                7\n");
	fx_buf_clear(&buf);
	say_narrow(&buf, 20, say_empty);
	FXT_SAME(fx_buf_text(&buf), "where   hits\n"
				    "layer2     7\n");
}

static void
a_column_of_sentences_goes_on_below_itself(void)
{
	static const char *const keys[] = { "name", "does" };
	size_t width = 30;
	FX_AUTO_BUF struct fx_buf buf = { 0 };
	struct out_stream stream = out_stream_buffer(&buf, true);
	struct out_term term = { .context = &width, .width = narrow };
	struct out *out = out_new_term(&stream, &term);

	out_table_begin(out, "t", 2, keys);
	out_cell(out, FX_ROLE_NODE, "a");
	out_cell(out, FX_ROLE_PLAIN, "all of it is there in two rows");
	out_table_end(out);
	FXT_SAME(fx_buf_text(&buf), "name  does\n"
				    "a     all of it is there in\n"
				    "      two rows\n");
	out_free(out);
}

static const char summary[] =
	"  f32[1,64,56,56]  min 0@[0,0,1] max 3.1@[0,1,2] mean 0.5 std 0.25 "
	"|▁▂ ▅█▇  ▃▁| nan 2 inf 1";

/* TEXT with one blank between words. */
static void
squeeze(struct fx_buf *ret, const char *said)
{
	for (; *said; said++) {
		bool is_blank = *said == ' ' || *said == '\n';

		if (!is_blank)
			fx_buf_add_char(ret, *said);
		else if (ret->length && ret->data[ret->length - 1] != ' ')
			fx_buf_add_char(ret, ' ');
	}
}

static void
say_summary(struct out *out)
{
	out_piece(out, FX_ROLE_SHAPE, "%.17s", summary);
	out_piece(out, FX_ROLE_PLAIN, "%s", summary + 17);
	out_line_end(out);
}

static void
a_line_goes_on_between_words_and_indented(void)
{
	FX_AUTO_BUF struct fx_buf wanted = { 0 };

	squeeze(&wanted, summary);
	for (size_t width = 1; width < 120; width++) {
		FX_AUTO_BUF struct fx_buf buf = { 0 };
		FX_AUTO_BUF struct fx_buf words = { 0 };
		const char *second;

		say_narrow(&buf, width, say_summary);
		FXT_IS(widest_row(fx_buf_text(&buf)), <=, width);
		if (width < 20)
			continue;
		squeeze(&words, fx_buf_text(&buf));
		fx_buf_truncate(&words, words.length - 1);
		FXT_SAME(fx_buf_text(&words), fx_buf_text(&wanted));
		CU_ASSERT_PTR_NOT_NULL(strstr(fx_buf_text(&buf),
			"|▁▂ ▅█▇  ▃▁|"));
		CU_ASSERT_PTR_NOT_NULL(strstr(fx_buf_text(&buf),
			"nan 2 inf 1"));
		second = strchr(fx_buf_text(&buf), '\n') + 1;
		CU_ASSERT(!*second || strspn(second, " ") > 2);
	}
}

static void
say_marked(struct out *out)
{
	for (int marked = 0; marked < 2; marked++) {
		out_piece(out, FX_ROLE_CURRENT, marked ? "=>" : "  ");
		out_piece(out, FX_ROLE_BREAKPOINT, marked ? "B" : " ");
		out_piece(out, FX_ROLE_NUMBER, " 7  ");
		out_piece(out, FX_ROLE_PLAIN, "one two three four five");
		out_line_end(out);
	}
}

static void
a_mark_in_the_margin_indents_no_less(void)
{
	FX_AUTO_BUF struct fx_buf buf = { 0 };

	say_narrow(&buf, 29, say_marked);
	FXT_SAME(fx_buf_text(&buf), "    7  one two three four\n"
				    "       five\n"
				    "=>B 7  one two three four\n"
				    "       five\n");
}

static void
without_a_width_a_line_is_whole(void)
{
	FX_AUTO_BUF struct fx_buf buf = { 0 };
	FX_AUTO_BUF struct fx_buf wide = { 0 };
	struct out_stream stream = out_stream_buffer(&buf, true);
	struct out *out = out_new_plain(&stream);

	say_summary(out);
	out_free(out);
	fx_buf_addf(&wide, "%s\n", summary);
	FXT_SAME(fx_buf_text(&buf), fx_buf_text(&wide));
}

static void
say_note(struct out *out)
{
	out_note(out, "%s", summary);
}

static void
a_note_for_no_terminal_is_whole(void)
{
	FX_AUTO_BUF struct fx_buf buf = { 0 };

	say_narrow(&buf, 20, say_note);
	FXT_EQ(strlen(summary) + 1, buf.length);
}

static void
say_paragraph(struct out *out)
{
	static const char words[] =
		"Stopped before a node means that it has not run: the values "
		"of the nodes above the mark are there, those below are not.";

	out_text(out, 4, words, sizeof(words) - 1);
}

static void
a_paragraph_has_78_columns_or_those_of_the_terminal(void)
{
	static const size_t widths[][2] = { { 0, 78 }, { 200, 78 }, { 78, 78 },
		{ 60, 60 }, { 30, 30 }, { 20, 20 } };

	for (size_t i = 0; i < FX_ARRAY_LEN(widths); i++) {
		FX_AUTO_BUF struct fx_buf buf = { 0 };
		const char *row;
		size_t widest;

		say_narrow(&buf, widths[i][0], say_paragraph);
		widest = widest_row(fx_buf_text(&buf));
		CU_ASSERT(widest <= widths[i][1] && widest > widths[i][1] - 12);
		for (row = fx_buf_text(&buf); *row; row = strchr(row, '\n') + 1)
			FXT_EQ(strspn(row, " "), 4);
	}
}

static void
say_caret(struct out *out)
{
	static const char typed[] =
		"print torch.softmax(conv1, 1).topk(5) + x @ ) - 1";
	FX_AUTO_ERROR struct fx_error *err =
		fx_error_at(fx_error_new(FX_ERR_SYNTAX, "expected a value"),
			typed, (struct fx_span){ 44, 45 });

	out_error(out, err);
}

static size_t
narrow_both(void *context, bool error)
{
	(void)error;
	return *(size_t *)context;
}

static void
a_caret_stands_below_its_place_at_any_width(void)
{
	for (size_t width = 1; width < 100; width++) {
		FX_AUTO_BUF struct fx_buf buf = { 0 };
		struct out_stream stream = out_stream_buffer(&buf, true);
		struct out_term term = { .context = &width,
			.width = narrow_both };
		struct out *out = out_new_term(&stream, &term);
		const char *caret;
		const char *row;
		const char *line;

		say_caret(out);
		out_free(out);
		FXT_IS(widest_row(fx_buf_text(&buf)), <=, width);
		caret = strchr(fx_buf_text(&buf), '^');
		CU_ASSERT_PTR_NOT_NULL_FATAL(caret);
		for (row = caret; row[-1] != '\n'; row--)
			;
		for (line = row - 1; line[-1] != '\n'; line--)
			;
		FXT_EQ(line[caret - row], ')');
	}
}

static void
a_redirect_takes_results_and_leaves_notes(void)
{
	FX_AUTO_BUF struct fx_buf here = { 0 };
	FX_AUTO_BUF struct fx_buf there = { 0 };
	struct out_stream a = out_stream_buffer(&here, true);
	struct out_stream b = out_stream_buffer(&there, true);
	struct out *out = out_new_plain(&a);
	struct out *target = out_new_plain(&b);

	CU_ASSERT_PTR_NULL(out_redirect(out, target));
	out_line(out, FX_ROLE_PLAIN, "result");
	out_note(out, "note");
	out_redirect(out, NULL);
	out_line(out, FX_ROLE_PLAIN, "after");
	FXT_SAME(fx_buf_text(&here), "note\nafter\n");
	FXT_SAME(fx_buf_text(&there), "result\n");
	out_free(target);
	out_free(out);
}

static void
a_full_recording_forgets_the_oldest(void)
{
	struct out_recording *recording = out_recording_new();
	struct out *out = out_new_recording(recording);
	int i;

	out_recording_set_limit(recording, 10);
	for (i = 0; i < 1000; i++)
		out_line(out, FX_ROLE_PLAIN, "%d", i);
	FXT_IS(out_recording_count(recording), <=, 10);
	FXT_EQ(out_recording_total(recording), 1000);
	out_free(out);
	out_recording_free(recording);
}

int
main(void)
{
	static const struct fxt_case cases[] = {
		FXT_CASE(plain_text_is_aligned_and_has_no_details),
		FXT_CASE(a_recording_gives_the_same_text),
		FXT_CASE(json_is_one_object_a_line_with_details),
		FXT_CASE(failed_commands_carry_their_error_and_what_they_said),
		FXT_CASE(one_command_can_answer_in_json),
		FXT_CASE(errors_have_a_place_carets_notes_and_a_hint),
		FXT_CASE(control_characters_cannot_reach_the_terminal),
		FXT_CASE(a_narrow_terminal_cuts_columns_but_not_numbers),
		FXT_CASE(a_narrow_terminal_leaves_columns_out_and_says_so),
		FXT_CASE(an_empty_column_goes_without_a_word),
		FXT_CASE(a_column_of_sentences_goes_on_below_itself),
		FXT_CASE(a_line_goes_on_between_words_and_indented),
		FXT_CASE(a_mark_in_the_margin_indents_no_less),
		FXT_CASE(without_a_width_a_line_is_whole),
		FXT_CASE(a_note_for_no_terminal_is_whole),
		FXT_CASE(a_paragraph_has_78_columns_or_those_of_the_terminal),
		FXT_CASE(a_caret_stands_below_its_place_at_any_width),
		FXT_CASE(a_redirect_takes_results_and_leaves_notes),
		FXT_CASE(a_full_recording_forgets_the_oldest),
	};

	return fxt_run("out", cases, FX_ARRAY_LEN(cases));
}
