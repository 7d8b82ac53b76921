/* paste.c - a graph in text that was pasted: in an issue, a mail, a terminal.
 */
#include <config.h>

#include "load/paste.h"

#include <stdbool.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "load/log_graphs.h"
#include "load/open.h"
#include "load/python.h"
#include "load/source.h"

#define LIST_LIMIT 30

/* Text between two fences; END is where the closing one begins. */
struct block {
	char *begin;
	char *end;
};

struct blocks {
	struct block *items;
	size_t count;
	size_t capacity;
};

static char *
next_line(char *line)
{
	line += strcspn(line, "\n");
	return line + (*line == '\n');
}

static size_t
indent_of(const char *line)
{
	return strspn(line, " \t");
}

/* Make what lies from BEGIN to END blank. */
static void
blank(char *begin, const char *end)
{
	for (; begin < end; begin++)
		if (*begin != '\n')
			*begin = ' ';
}

/* Take the marks of quotes from each line: "> ", ">> "; ">>> " is Python's. */
static void
blank_quotes(char *text)
{
	for (; *text; text = next_line(text)) {
		char *line = text + indent_of(text);

		while (*line == '>' && !fx_str_starts(line, ">>>")) {
			*line = ' ';
			line += indent_of(line);
		}
	}
}

/* Whether LINE prints modules, which the code follows. */
static bool
begins_modules(const char *line)
{
	const char *next;

	if (!fx_is_printed(line))
		return false;
	next = line + strcspn(line, "\n");
	next += strspn(next, " \t\n");
	return *next == '(' || fx_str_starts(next, "def forward(") ||
	       fx_str_starts(next, "torch.fx.");
}

/* Whether a printed graph may begin with LINE. */
static bool
begins_graph(const char *line)
{
	size_t length;

	if (line[indent_of(line)] == '\n')
		return false;
	if (begins_modules(line))
		return true;
	line += indent_of(line);
	length = strcspn(line, "\n");
	while (length && line[length - 1] == ' ')
		length--;
	if (fx_str_starts(line, "ExportedProgram:"))
		return true;
	if (!length || line[length - 1] != ':')
		return fx_str_starts(line, "def forward(");
	return fx_str_starts(line, "def forward(") ||
	       fx_str_starts(line, "graph(") ||
	       (fx_str_starts(line, "class ") &&
		       memmem(line, length, "Module)", strlen("Module)")));
}

/* Whether LINE may stand above the function of a graph. */
static bool
may_precede(const char *line)
{
	line += indent_of(line);
	return !*line || strchr("\n#@", *line) ||
	       fx_str_starts(line, "torch.fx.") ||
	       fx_str_starts(line, "class ") ||
	       fx_str_starts(line, "import ") || fx_str_starts(line, "from ");
}

/* The line of TEXT that begins a graph, or NULL. */
static char *
find_graph(char *text)
{
	for (; *text; text = next_line(text))
		if (begins_graph(text))
			return text;
	return NULL;
}

/* What a prompt of Python, IPython or a shell takes of LINE, or 0; all of the
 * line where WHOLE is set.
 */
static size_t
prompt_length(const char *line, bool *whole)
{
	size_t indent = indent_of(line);
	size_t length = strcspn(line, "\n");
	const char *text = line + indent;
	size_t word = strcspn(text, " \t\n");

	*whole = true;
	if (fx_str_starts(text, ">>>") || fx_str_starts(text, "$ ") ||
		fx_str_starts(text, "In ["))
		return length;
	/* user@host:~/folder$ */
	if (word > 1 && text[word - 1] == '$' && memchr(text, '@', word))
		return length;
	*whole = false;
	if (fx_str_starts(text, "Out[") && memchr(text, ':', word))
		return indent + word;
	return 0;
}

/* Blank prompts, with what was typed there; "... " goes on with a line. */
static void
blank_prompts(char *text)
{
	bool typed = false;

	for (; *text; text = next_line(text)) {
		char *line = text + indent_of(text);
		bool whole;
		size_t length = prompt_length(text, &whole);

		if (!length && typed && fx_str_starts(line, "..."))
			length = strcspn(text, "\n");
		else
			typed = length && whole;
		blank(text, text + length);
	}
}

/* Blank what stands above the graph that begins at GRAPH, unless it can be a
 * part of it.
 */
static void
blank_above(char *text, const char *graph)
{
	char *line = text;
	char *keep = text;

	for (; line < graph; line = next_line(line))
		if (!may_precede(line))
			keep = next_line(line);
	blank(text, keep);
}

/* Blank what stands below the code of GRAPH; nothing where that may be code. */
static void
blank_below(char *graph)
{
	char *line = graph;
	char *end = NULL;
	size_t indent;

	if (begins_modules(graph))
		while (*line &&
			!fx_str_starts(line + indent_of(line), "def forward("))
			line = next_line(line);
	/* A signature of inputs and outputs comes after exported programs. */
	if (!*line || fx_str_starts(line + indent_of(line), "Exported"))
		return;
	indent = indent_of(line);
	for (line = next_line(line); *line; line = next_line(line)) {
		if (indent_of(line) > indent || may_precede(line) ||
			line[indent_of(line)] == ')')
			continue;
		if (begins_graph(line) || fx_str_starts(line, "def ") ||
			fx_str_starts(line, "class ") || *line == '%')
			return;
		end = end ? end : line;
	}
	if (end)
		blank(end, end + strlen(end));
}

/* How long the fence is that LINE is, or 0. */
static size_t
fence_length(const char *line)
{
	char sign;
	size_t length = 0;

	line += indent_of(line);
	sign = *line;
	if (sign != '`' && sign != '~')
		return 0;
	while (line[length] == sign)
		length++;
	return length >= 3 ? length : 0;
}

/* The blocks between fences; the last may have no end. */
static void
find_blocks(char *text, struct blocks *blocks)
{
	while (*text) {
		size_t fence = fence_length(text);
		char sign = text[indent_of(text)];
		struct block block;

		text = next_line(text);
		if (!fence)
			continue;
		block.begin = text;
		while (*text && !(fence_length(text) >= fence &&
					text[indent_of(text)] == sign))
			text = next_line(text);
		block.end = text;
		fx_vec_push(blocks, block);
		text = next_line(text);
	}
}

static bool
is_source(const struct fx_load_input *input, const char *text)
{
	struct fx_error *err = fx_source_check(input, text);

	fx_error_free(err);
	return err != NULL;
}

/* Whether BLOCK shows a graph, or a log that has some. */
static bool
block_has_graph(const struct fx_load_input *input, const struct block *block)
{
	FX_AUTO_FREE char *text =
		fx_xstrndup(block->begin, (size_t)(block->end - block->begin));

	return (find_graph(text) || strstr(text, "===== ")) &&
	       !is_source(input, text);
}

/* The graphs in several fences, and how one is opened. */
static struct fx_error *
list(const struct fx_load_input *input, const char *text,
	const struct blocks *blocks)
{
	struct fx_error *err =
		fx_error_new(FX_ERR_FORMAT, "%s has %zu graphs in fences",
			fx_load_name(input), blocks->count);
	size_t line = 1;

	for (size_t i = 0; i < blocks->count && i < LIST_LIMIT; i++) {
		for (; text < blocks->items[i].begin; text++)
			line += *text == '\n';
		err = fx_error_note(err, "%zu  at line %zu", i + 1, line);
	}
	return fx_error_hint(err, "load %s --graph 1", fx_load_name(input));
}

/* Blank all of TEXT but the block that shows a graph. */
static struct fx_error *
choose_block(const struct fx_load_input *input, char *text, size_t *graph)
{
	struct blocks blocks = { 0 };
	struct fx_error *err = NULL;
	size_t count = 0;

	find_blocks(text, &blocks);
	for (size_t i = 0; i < blocks.count; i++)
		if (block_has_graph(input, &blocks.items[i]))
			blocks.items[count++] = blocks.items[i];
	/* One that is something else, and is told as that. */
	if (!count && blocks.count == 1 && !find_graph(text))
		count = 1;
	blocks.count = count;
	if (count > 1 && !input->graph)
		err = list(input, text, &blocks);
	else if (count > 1 && input->graph > count)
		err = fx_error_new(FX_ERR_RANGE, "%s has %zu graphs in fences",
			fx_load_name(input), count);
	else if (count) {
		size_t i = count > 1 ? input->graph - 1 : 0;

		if (count > 1)
			*graph = 0;
		blank(text, blocks.items[i].begin);
		blank(blocks.items[i].end, text + strlen(text));
	}
	fx_vec_deinit(&blocks);
	return err;
}

/* Blank what is around the one graph that TEXT has. */
static void
clean(const struct fx_load_input *input, char *text)
{
	char *graph;

	/* The graphs of a log are told apart by their titles. */
	if (strstr(text, "===== ") || is_source(input, text))
		return;
	blank_prompts(text);
	graph = find_graph(text);
	if (!graph)
		return;
	blank_above(text, graph);
	blank_below(graph);
}

struct fx_error *
fx_paste_choose(const struct fx_load_input *input, char **text_ret)
{
	struct fx_load_input pasted = *input;
	FX_AUTO_FREE char *text = fx_strip_log(input, &pasted.length);
	struct fx_error *err;

	blank_quotes(text);
	err = choose_block(input, text, &pasted.graph);
	if (err)
		return err;
	clean(input, text);
	pasted.text = text;
	err = fx_log_graphs_choose(&pasted, text_ret);
	if (!err && !*text_ret) {
		*text_ret = text;
		text = NULL;
	}
	return err;
}
