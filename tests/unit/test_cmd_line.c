/* test_cmd_line.c - how a line falls into a name, flags and arguments. */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/str.h"
#include "commands/shell/canonical.h"
#include "commands/shell/line.h"
#include "tests/support/random.h"
#include "tests/support/unit.h"

/* LINE as "NAME/FMT: key=[text] --flag=[text]"; "error: ..." when it fails. */
static char *
shape_of(const char *line)
{
	FX_AUTO_BUF struct fx_buf out = { 0 };
	CMD_AUTO_PARSED struct cmd_parsed parsed = { 0 };
	FX_AUTO_ERROR struct fx_error *err = NULL;
	FX_AUTO_FREE char *name = NULL;
	const struct cmd_entry *entry;
	struct cmd_head head;
	struct cmd_value *value;

	err = cmd_line_head(line, &head);
	if (err)
		return fx_xasprintf("error: %s", fx_error_message(err));
	if (head.is_empty)
		return fx_xstrdup(head.is_comment ? "comment" : "empty");
	name = fx_xstrndup(line + head.name.begin,
		head.name.end - head.name.begin);
	entry = cmd_table_find(head.shortcut ? head.shortcut : name);
	if (!entry)
		return fx_xasprintf("unknown %s", name);
	err = cmd_line_split(entry, line, head.rest, &parsed);
	if (err)
		return fx_xasprintf("error: %s", fx_error_message(err));
	fx_buf_add(&out, entry->name);
	if (head.format.end > head.format.begin)
		fx_buf_addf(&out, "/%.*s",
			(int)(head.format.end - head.format.begin),
			line + head.format.begin);
	if (head.asks_help)
		fx_buf_add_char(&out, '?');
	fx_vec_for_each (value, &parsed.values) {
		fx_buf_addf(&out, " %s%s", value->is_flag ? "--" : "",
			value->name);
		if (value->text)
			fx_buf_addf(&out, "=[%s]", value->text);
	}
	return fx_buf_take(&out);
}

#define SHAPE(line, shape) \
	do { \
		FX_AUTO_FREE char *got_ = shape_of(line); \
		FXT_SAME(got_, shape); \
	} while (0)

/* A line, parsed. */
struct line {
	const struct cmd_entry *entry; /* NULL: it is no command */
	char *format;
	struct cmd_parsed parsed;
};

static void
line_init(struct line *ret, const char *line)
{
	FX_AUTO_ERROR struct fx_error *err = NULL;
	FX_AUTO_FREE char *name = NULL;
	struct cmd_head head;

	*ret = (struct line){ .format = NULL };
	err = cmd_line_head(line, &head);
	if (err || head.is_empty || head.asks_help)
		return;
	name = fx_xstrndup(line + head.name.begin,
		head.name.end - head.name.begin);
	ret->format = fx_xstrndup(line + head.format.begin,
		head.format.end - head.format.begin);
	ret->entry = cmd_table_find(head.shortcut ? head.shortcut : name);
	if (!ret->entry)
		return;
	err = cmd_line_split(ret->entry, line, head.rest, &ret->parsed);
	if (err)
		ret->entry = NULL;
}

static void
line_deinit(struct line *line)
{
	free(line->format);
	cmd_parsed_deinit(&line->parsed);
}
FX_DEFINE_DEINIT(line, struct line, line_deinit);

static bool
is_equal(const struct cmd_value *a, const struct cmd_value *b)
{
	return !strcmp(a->name, b->name) && a->is_flag == b->is_flag &&
	       fx_str_equal(a->text, b->text);
}

/* Whether A and B have the same arguments, each as often. */
static bool
same_arguments(const struct cmd_parsed *a, const struct cmd_parsed *b)
{
	const struct cmd_value *value;
	const struct cmd_value *other;

	fx_vec_for_each (value, &a->values) {
		int balance = 0;

		fx_vec_for_each (other, &a->values)
			balance += is_equal(value, other);
		fx_vec_for_each (other, &b->values)
			balance -= is_equal(value, other);
		if (balance)
			return false;
	}
	return a->values.count == b->values.count;
}

static void
check_canonical(const char *text)
{
	FX_AUTO_BUF struct fx_buf words = { 0 };
	FX_AUTO(line) struct line line = { 0 };
	FX_AUTO(line) struct line again = { 0 };

	line_init(&line, text);
	if (!line.entry)
		return;
	cmd_canonical_print(&words, line.entry, line.format, &line.parsed);
	line_init(&again, fx_buf_text(&words));
	if (again.entry != line.entry ||
		!same_arguments(&line.parsed, &again.parsed))
		FXT_SAME(fx_buf_text(&words), text);
}

static void
canonical_words_have_the_same_arguments(void)
{
	static const char *const lines[] = {
		"load \"my file.fxg\" as \"a b\"",
		"load \"it's\" as \"as\"",
		"load \"as\"",
		"print -- -j",
		"print/v x[0, 0]",
		"nodes -m 5 target~*relu* -s name",
		"rauw relu neg only {in layer2}",
		"insert after conv1 : y = torch.relu(conv1) --splice",
		"erase {users=0} --to x -n",
		"/ softmax",
		"!ls -l | wc",
		"apropos \"go back\" now",
		"scope \"0.1\"",
	};
	const struct cmd_entry *entry;
	size_t count = 0;

	for (size_t i = 0; i < FX_ARRAY_LEN(lines); i++)
		check_canonical(lines[i]);
	for (size_t i = 0; (entry = cmd_table_at(i)); i++)
		for (size_t j = 0; j < FX_ARRAY_LEN(entry->examples) &&
				   entry->examples[j].line;
			j++, count++)
			check_canonical(entry->examples[j].line);
	CU_ASSERT(count > 100);
}

/* The forty nastiest lines of the grammar, each of which could be read in two
 * ways; in two functions.
 */
static void
minus_comments_and_quotes_are_read_as_stated(void)
{
	/* Minus: an operator, a sign, a flag. */
	SHAPE("print a -j", "print expression=[a] --json");
	SHAPE("print a - j", "print expression=[a - j]");
	SHAPE("print a -x", "print expression=[a -x]");
	SHAPE("print -x", "print expression=[-x]");
	SHAPE("print (a -j)", "print expression=[(a -j)]");
	SHAPE("print %a - %b", "print expression=[%a - %b]");
	SHAPE("print -j a", "print --json expression=[a]");
	SHAPE("print -- -j", "print expression=[-j]");
	SHAPE("print a -- ", "print expression=[a]");
	SHAPE("nodes users>1 -m 5", "nodes set=[users>1] --max=[5]");
	SHAPE("nodes -m 5 users>1", "nodes --max=[5] set=[users>1]");
	SHAPE("nodes target~*relu* -m 5",
		"nodes set=[target~*relu*] --max=[5]");
	SHAPE("nodes target=a-b -s name",
		"nodes set=[target=a-b] --sort=[name]");
	SHAPE("nodes in layer1.0 -j", "nodes set=[in layer1.0] --json");
	SHAPE("nodes not in *.bn* and users=0 -j",
		"nodes set=[not in *.bn* and users=0] --json");
	SHAPE("list -", "list where=[-]");
	/* Comments and quotes. */
	SHAPE("print a # b", "print expression=[a]");
	SHAPE("print \"a # b\"", "print expression=[\"a # b\"]");
	SHAPE("# print a", "comment");
	SHAPE("   ", "empty");
	SHAPE("echo a # b", "echo text=[a # b]");
	SHAPE("load \"my file.fxg\" as base",
		"load file=[my file.fxg] as=[base]");
	SHAPE("load a#b.fxg", "load file=[a#b.fxg]");
	SHAPE("load a(1.fxg", "load file=[a(1.fxg]");
}

static void
designators_and_keywords_are_read_as_stated(void)
{
	/* Percent, at, dot, dollar. */
	SHAPE("print 7 % x", "print expression=[7 % x]");
	SHAPE("print %x % %y", "print expression=[%x % %y]");
	SHAPE("print a @ @3", "print expression=[a @ @3]");
	SHAPE("print ..shape", "print expression=[..shape]");
	SHAPE("print .-1.shape", "print expression=[.-1.shape]");
	SHAPE("print $1 + $name", "print expression=[$1 + $name]");
	SHAPE("print layer1.0.conv1.weight[0]",
		"print expression=[layer1.0.conv1.weight[0]]");
	SHAPE("p$1", "print expression=[$1]");
	SHAPE("b@42", "break where=[@42]");
	/* Keywords, only where an operator could stand. */
	SHAPE("b layer3 if absmax(%r) > 1e4",
		"break where=[layer3] if=[absmax(%r) > 1e4]");
	SHAPE("b if x > 1", "break if=[x > 1]");
	SHAPE("b {name=if} if 1", "break where=[{name=if}] if=[1]");
	SHAPE("b resnet.py:92 -p", "break where=[resnet.py:92] --pending");
	SHAPE("rauw old new only {in layer2} except {users=0}",
		"rauw old=[old] new=[new] only=[{in layer2}] "
		"except=[{users=0}]");
	SHAPE("insert after conv1 : y = torch.relu(conv1)",
		"insert where=[after] anchor=[conv1] :=[y = "
		"torch.relu(conv1)]");
	SHAPE("insert after conv1: y = x[1:2] --splice",
		"insert where=[after] anchor=[conv1] :=[y = x[1:2]] "
		"--splice");
	SHAPE("replace relu = F.gelu(x, approximate='none') -n",
		"replace set=[relu] ==[F.gelu(x, approximate='none')] "
		"--dry-run");
	SHAPE("input x=randn(1, 3)", "input name=[x] ==[randn(1, 3)]");
	SHAPE("shapes x=f32[1, 3, 4] y=i64[]",
		"shapes input=[x=f32[1, 3, 4]] input=[y=i64[]]");
	SHAPE("set %add.args[1] = -2 -n",
		"set what=[%add.args[1] = -2] --dry-run");
	SHAPE("erase {users=0} --to=relu", "erase set=[{users=0}] --to=[relu]");
	/* Bars. */
	SHAPE("pipe p a | b | wc -l", "pipe line=[p a | b | wc -l]");
	SHAPE("| nodes | wc", "pipe line=[nodes | wc]");
	SHAPE("!ls | wc", "shell command=[ls | wc]");
	SHAPE("/ relu", "search text=[relu]");
	SHAPE("p/v x[0,0]", "print/v expression=[x[0,0]]");
	SHAPE("memory?", "unknown memory");
	SHAPE("nodes?", "nodes?");
}

static void
what_cannot_be_read_is_refused_with_a_reason(void)
{
	SHAPE("5 + 3", "error: unknown command \"5\"");
	SHAPE("%x", "error: unknown command \"%x\"");
	SHAPE("nodes --frob", "error: nodes: unknown flag \"--frob\"");
	SHAPE("node -z", "error: node: unknown flag \"-z\"");
	SHAPE("nodes -m",
		"error: nodes: the flag --max needs a value (show at most this "
		"many rows; 0: all)");
	SHAPE("nodes --json=1", "error: nodes: the flag --json takes no value");
	SHAPE("node a b", "error: node: unexpected \"b\"");
	SHAPE("erase", "error: erase: expected set (a node or a query)");
	SHAPE("b x if",
		"error: break: expected something after \"if\" (stop only when "
		"this is true)");
	SHAPE("\xff\xfe", "error: the line is not text: byte 0xff at column 1");
}

static void
a_bar_in_brackets_or_quotes_does_not_split(void)
{
	FXT_EQ(cmd_line_find_bar("a | b"), 2);
	FXT_EQ(cmd_line_find_bar("p (a | b) | wc"), 10);
	FXT_EQ(cmd_line_find_bar("p \" | \" | wc"), 8);
	FXT_EQ(cmd_line_find_bar("a|b"), 3);
	FXT_EQ(cmd_line_find_dashes("output json -- nodes"), 12);
}

/* No text may crash or hang the splitter. */
static void
random_bytes_are_read_or_refused(void)
{
	static const char bytes[] =
		"abp%@.$-/|#\"'()[]{}=:, \t0179~!?*\\if--to";
	struct fxt_random random = fxt_random_seed(1);
	char line[64];
	int i;

	for (i = 0; i < 200000; i++) {
		size_t length = fxt_random_below(&random, sizeof(line) - 1);
		FX_AUTO_FREE char *shape = NULL;
		size_t k;

		for (k = 0; k < length; k++)
			line[k] = bytes[fxt_random_below(&random,
				sizeof(bytes) - 1)];
		line[length] = '\0';
		if (i % 2)
			memcpy(line, "nodes ", FX_MIN(length, (size_t)6));
		shape = shape_of(line);
		CU_ASSERT_PTR_NOT_NULL_FATAL(shape);
	}
}

static enum cmd_arg_type
type_at(const char *line, size_t *begin_ret)
{
	struct cmd_head head;
	struct cmd_arg_at_cursor place;
	struct fx_error *err = cmd_line_head(line, &head);
	FX_AUTO_FREE char *name = NULL;

	CU_ASSERT_PTR_NULL_FATAL(err);
	name = fx_xstrndup(line + head.name.begin,
		head.name.end - head.name.begin);
	cmd_line_place(cmd_table_find(name), line, head.rest, strlen(line),
		&place);
	*begin_ret = place.begin;
	return place.type;
}

static void
completion_knows_the_argument_at_the_cursor(void)
{
	size_t begin;

	FXT_EQ(type_at("node re", &begin), CMD_ARG_NODE);
	FXT_EQ(begin, 5);
	FXT_EQ(type_at("erase drop --to re", &begin), CMD_ARG_NODE);
	FXT_EQ(begin, 16);
	FXT_EQ(type_at("b x if ab", &begin), CMD_ARG_CONDITION);
	FXT_EQ(begin, 7);
	FXT_EQ(type_at("load ", &begin), CMD_ARG_FILE);
	FXT_EQ(begin, 5);
	FXT_EQ(type_at("node x ", &begin), CMD_ARG_END);
}

int
main(void)
{
	static const struct fxt_case cases[] = {
		FXT_CASE(minus_comments_and_quotes_are_read_as_stated),
		FXT_CASE(canonical_words_have_the_same_arguments),
		FXT_CASE(designators_and_keywords_are_read_as_stated),
		FXT_CASE(what_cannot_be_read_is_refused_with_a_reason),
		FXT_CASE(a_bar_in_brackets_or_quotes_does_not_split),
		FXT_CASE(random_bytes_are_read_or_refused),
		FXT_CASE(completion_knows_the_argument_at_the_cursor),
	};

	return fxt_run("cmd_line", cases, FX_ARRAY_LEN(cases));
}
