/* log_graphs.c - the graphs in a log of TORCH_LOGS.
 *
 * Each has a title between signs, then the line of its class (in torch 2.13
 * after the name of a file), then lines that lie deeper; whatever else is
 * logged comes after.
 */
#include <config.h>

#include "load/log_graphs.h"

#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "load/source.h"

#define SIGN       "====="
#define LIST_LIMIT 30

struct log_graph {
	const char *title;
	size_t title_length;
	const char *begin;
	size_t length;
};

struct log_graphs {
	struct log_graph *items;
	size_t count;
	size_t capacity;
};

static const char *
next_line(const char *line)
{
	line += strcspn(line, "\n");
	return line + (*line == '\n');
}

/* Whether LINE is a title, which lies between TITLE and its length then. */
static bool
is_title(const char *line, struct log_graph *ret)
{
	const char *end = line + strcspn(line, "\n");

	line += strspn(line, " \t");
	if (!fx_str_starts(line, SIGN " "))
		return false;
	while (end > line && (end[-1] == ' ' || end[-1] == '\r'))
		end--;
	line += strlen(SIGN " ");
	if (end - line <= (long)strlen(" " SIGN) ||
		strncmp(end - strlen(" " SIGN), " " SIGN, strlen(" " SIGN)))
		return false;
	ret->title = line;
	ret->title_length = (size_t)(end - line) - strlen(" " SIGN);
	return true;
}

/* Where the code begins in LINE, the line of a class or a function; NULL in
 * others.
 */
static const char *
code_in(const char *line)
{
	size_t indent = strspn(line, " \t");
	size_t length = strcspn(line, "\n");
	const char *found;

	if (fx_str_starts(line + indent, "class ") ||
		fx_str_starts(line + indent, "def forward("))
		return line + indent;
	found = memmem(line, length, " class ", strlen(" class "));
	return found && line[length - 1] == ':' ? found + 1 : NULL;
}

/* The code that follows the title of GRAPH; false when there is none. */
static bool
find_code(struct log_graph *graph)
{
	struct log_graph other;
	const char *line = next_line(graph->title);
	const char *after;
	size_t indent;

	while (*line && !code_in(line)) {
		if (is_title(line, &other))
			return false;
		line = next_line(line);
	}
	if (!*line)
		return false;
	indent = strspn(line, " \t");
	graph->begin = code_in(line);
	after = line = next_line(line);
	/* Blank lines are within, or between this and what is logged next. */
	for (; *line; line = next_line(line)) {
		size_t deep = strspn(line, " \t");

		if (line[deep] == '\n' || line[deep] == '\r' || !line[deep])
			continue;
		if (deep <= indent)
			break;
		after = next_line(line);
	}
	graph->length = (size_t)(after - graph->begin);
	return true;
}

static void
find_all(const char *text, struct log_graphs *graphs)
{
	struct log_graph graph;

	for (; *text; text = next_line(text))
		if (is_title(text, &graph) && find_code(&graph))
			fx_vec_push(graphs, graph);
}

/* Which there are, and how one is opened. */
static struct fx_error *
list(const struct fx_load_input *input, const struct log_graphs *graphs)
{
	struct fx_error *err = fx_error_new(FX_ERR_FORMAT, "%s has %zu graphs",
		fx_load_name(input), graphs->count);

	for (size_t i = 0; i < graphs->count && i < LIST_LIMIT; i++)
		err = fx_error_note(err, "%zu  %.*s", i + 1,
			(int)FX_MIN(graphs->items[i].title_length, (size_t)60),
			graphs->items[i].title);
	if (graphs->count > LIST_LIMIT)
		err = fx_error_note(err, "(+%zu more)",
			graphs->count - LIST_LIMIT);
	return fx_error_hint(err, "load %s --graph 1", fx_load_name(input));
}

/* After "V1121 00:58:15.583000 14123 a.py:283] [0/0] [__graph_code] " at LINE,
 * else LINE.
 */
static const char *
after_prefix(const char *line)
{
	const char *letter = line + strspn(line, " \t"); /* of a quoted log */
	size_t digits = strspn(letter + (*letter != 0), "0123456789");
	const char *end = line + strcspn(line, "\n");
	const char *at;

	if (!strchr("VIWEC", *letter) || digits != 4 || letter[5] != ' ')
		return line;
	at = memmem(letter, (size_t)(end - letter), "] ", 2);
	if (!at)
		return line;
	for (at += 2; *at == '['; at += 2) {
		const char *close = memmem(at, (size_t)(end - at), "] ", 2);

		if (!close)
			break;
		at = close;
	}
	return at;
}

/* Take what stands before each line of the log out of TEXT. */
static void
drop_prefixes(char *text)
{
	const char *line = text;
	char *to = text;

	while (*line) {
		const char *next = next_line(line);
		const char *from = after_prefix(line);

		memmove(to, from, (size_t)(next - from));
		to += next - from;
		line = next;
	}
	*to = '\0';
}

struct fx_error *
fx_log_graphs_choose(const struct fx_load_input *input, char **text_ret)
{
	FX_AUTO_FREE char *text = NULL;
	struct log_graphs graphs = { 0 };
	struct fx_error *err = NULL;
	size_t length;

	*text_ret = NULL;
	if (!strstr(input->text, SIGN " ") && input->graph <= 1)
		return NULL;
	text = fx_strip_log(input, &length);
	drop_prefixes(text);
	find_all(text, &graphs);
	if (graphs.count > 1 && !input->graph)
		err = list(input, &graphs);
	else if (input->graph > FX_MAX(graphs.count, (size_t)1))
		err = fx_error_new(FX_ERR_RANGE, "%s has %zu graph%s",
			fx_load_name(input), FX_MAX(graphs.count, (size_t)1),
			graphs.count > 1 ? "s" : "");
	else if (graphs.count) {
		const struct log_graph *chosen =
			&graphs.items[input->graph ? input->graph - 1 : 0];

		*text_ret = fx_xstrndup(chosen->begin, chosen->length);
	}
	fx_vec_deinit(&graphs);
	return err;
}
