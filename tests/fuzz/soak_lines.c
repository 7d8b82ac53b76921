/* soak_lines.c - random command lines, valid and not.
 *
 * A command is drawn from the table, by its name, a short name or a prefix;
 * arguments by their types; flags with what they take.  Some lines are then
 * damaged, some are nonsense from the start.
 */
#include <config.h>

#include "tests/fuzz/soak_lines.h"

#include <string.h>

#include "base/error.h"
#include "commands/shell/cmd.h"
#include "ir/graph.h"
#include "ir/node.h"
#include "session/settings.h"

struct maker {
	struct fxt_random *random;
	struct fx_graph *graph;
	struct fx_buf *line;
	int depth;
};

static unsigned
below(struct maker *m, size_t limit)
{
	return (unsigned)fxt_random_below(m->random, limit);
}

static void
add(struct maker *m, const char *text)
{
	fx_buf_add(m->line, text);
}

/* One of WORDS, which are separated by "|". */
static void
add_one_of(struct maker *m, const char *words)
{
	size_t count = 1;
	size_t pick;

	for (const char *c = words; *c; c++)
		count += *c == '|';
	for (pick = below(m, count); pick; pick--)
		words = strchr(words, '|') + 1;
	fx_buf_add_n(m->line, words, strcspn(words, "|"));
}

#define ADD_ONE(m, table) add(m, table[below(m, FX_ARRAY_LEN(table))])

/* Names of the graph. */

static struct fx_node *
some_node(struct maker *m)
{
	size_t count = m->graph ? m->graph->node_count : 0;

	return count ? fx_graph_at(m->graph, below(m, count)) : NULL;
}

static void
add_node(struct maker *m)
{
	static const char *const others[] = { ".", ".-1", ".+3", "@0", "@999",
		"nosuch", "%nosuch", "output", "$_", "layer1.0.conv1", "",
		"self", "end", "%x.1" };
	struct fx_node *node = some_node(m);

	if (!node || !below(m, 6))
		ADD_ONE(m, others);
	else if (!below(m, 4))
		fx_buf_addf(m->line, "@%u", below(m, m->graph->node_count + 1));
	else
		fx_buf_addf(m->line, "%s%s", below(m, 2) ? "%" : "",
			node->name);
}

static void
add_scope(struct maker *m)
{
	static const char *const others[] = { "..", "layer1.0", "fc1", "nosuch",
		"layer*", "", "encoder.layers.0" };
	struct fx_node *node = some_node(m);

	if (node && node->opcode == FX_OPCODE_CALL_MODULE && below(m, 4))
		add(m, node->target);
	else
		ADD_ONE(m, others);
}

/* Expressions and queries. */

static void add_expression(struct maker *m);
static void add_query(struct maker *m);

static void
add_literal(struct maker *m)
{
	static const char *const literals[] = { "0", "1", "-3", "2.5", "1e400",
		"0x7fffffffffffffff", "9223372036854775808", "True", "None",
		"'text'", "\"\\n\"", "(1, 2)", "[1, [2], 3]", "{}", "{1: 2}",
		"()", "1j", "...", "torch.float32", "torch", "inf", "$1", "$$",
		"$a", "$v", "slice(1, 2)", "b'x'", "1_000", ".5", "-0.0",
		"torch.device('cpu')", "1 << 70", "'a' * 9", "$nosuch" };

	ADD_ONE(m, literals);
}

static void
add_call(struct maker *m)
{
	static const char *const functions[] = { "torch.relu", "torch.add",
		"torch.softmax", "torch.cat", "len", "absmax", "stats", "shape",
		"mean", "std", "min", "max", "allclose", "difference", "up",
		"down", "path", "users", "inputs", "torch.reshape", "hasnan",
		"nn.ReLU()", "self.fc1", "self.act", "F.gelu", "torch.matmul",
		"nosuch", "torch.nosuch", "randn", "zeros", "float", "int",
		"torch.chunk", "torch.topk", "operator.add", "numel",
		"torch.split", "nn.Dropout(0.5)", "torch.einsum",
		"torch.nn.functional.gelu", "torch.zeros", "torch.randn",
		"getattr", "torch.neg", "torch.sum", "torch.transpose" };
	unsigned count = below(m, 4);

	ADD_ONE(m, functions);
	add(m, "(");
	for (unsigned i = 0; i < count; i++) {
		add(m, i ? ", " : "");
		if (!below(m, 6))
			add_one_of(m, "dim=|input=|keepdim=|out=|nosuch=");
		add_expression(m);
	}
	add(m, ")");
}

static void
add_postfix(struct maker *m)
{
	static const char *const ends[] = { ".shape", ".T", "[0]", "[-1]",
		"[0,:3]", "[..., 0]", "[None]", "[::2]", ".t()", ".size(0)",
		".sum()", ".view(-1)", ".op", ".users", ".inputs", ".args",
		".meta", ".dtype", ".nosuch", "[99999]", ".add_(1)", ".1",
		".relu_()", ".transpose(0, 1)", ".topk(2)", "[1:0]", ".scope",
		".expand(3, -1)", ".unsqueeze(0)", ".kwargs", "[[0, 1]]" };

	add_node(m);
	ADD_ONE(m, ends);
}

static void
add_expression(struct maker *m)
{
	static const char *const operators[] = { " + ", " - ", " * ", " @ ",
		" / ", " // ", " % ", " ** ", " < ", " == ", " and ", " or ",
		" if x else ", " in ", " is ", " << ", " & ", " not in " };

	if (++m->depth > 5) {
		add_literal(m);
		m->depth--;
		return;
	}
	switch (below(m, 9)) {
	case 0:
		add_call(m);
		break;
	case 1:
	case 2:
		add_postfix(m);
		break;
	case 3:
		add_expression(m);
		ADD_ONE(m, operators);
		add_expression(m);
		break;
	case 4:
		add(m, "(");
		add_expression(m);
		add(m, ")");
		break;
	case 5:
		add(m, below(m, 2) ? "count{" : "{");
		add_query(m);
		add(m, "}");
		break;
	case 6:
		add_literal(m);
		break;
	default:
		add_node(m);
	}
	m->depth--;
}

static void
add_query(struct maker *m)
{
	static const char *const queries[] = { "op=call_module",
		"op=call_function", "op=output", "users>1", "users=0",
		"target~\"*relu*\"", "name~r\"^l.*1$\"", "name~r\"(\"", "in *",
		"shape=[1,*,768]", "dtype=f32", "dirty", "nonfinite", "tagged",
		"@1:@5", "@5:@1", "source~\"*.py*\"", "state=V",
		"module=Linear", "pass=dce", "op=", "inputs>2", "",
		"nosuch=1" };

	if (++m->depth > 5) {
		ADD_ONE(m, queries);
		m->depth--;
		return;
	}
	switch (below(m, 7)) {
	case 0:
		add_query(m);
		add(m, below(m, 2) ? " and " : " or ");
		add_query(m);
		break;
	case 1:
		add(m, below(m, 2) ? "not " : "");
		add(m, "in ");
		add_scope(m);
		break;
	case 2:
		add_one_of(m, "up(|down(|users(|inputs(|path(");
		add_node(m);
		add_one_of(m, ", 2)|, x)|)|, -1)");
		break;
	case 3:
		add(m, "name=");
		add_node(m);
		break;
	default:
		ADD_ONE(m, queries);
	}
	m->depth--;
}

/* Arguments by type. */

static void
add_setting(struct maker *m)
{
	const struct fx_setting_info *info =
		fx_settings_info(below(m, FX_SET_COUNT));

	/* What would end the run, or wait for a person. */
	if (!strcmp(info->name, "output") || !strcmp(info->name, "backend"))
		add(m, "listsize");
	else
		add(m, info->name);
	if (strchr(info->choices, '|') && below(m, 3)) {
		add(m, " ");
		add_one_of(m, info->choices);
	} else {
		add_one_of(m,
			" on| off| 3| 0| 64K| 10M| unlimited| nosuch| -1|");
	}
}

static void
add_location(struct maker *m)
{
	switch (below(m, 5)) {
	case 0:
		add(m, "{");
		add_query(m);
		add(m, "}");
		break;
	case 1:
		add_one_of(m,
			"mlp.py:14|transformer.py:20|resnet.py:92|x.py:0");
		break;
	case 2:
		add_scope(m);
		break;
	default:
		add_node(m);
	}
}

static void
add_set(struct maker *m)
{
	if (below(m, 2)) {
		add_location(m);
	} else if (below(m, 2)) {
		add_query(m);
	} else {
		fx_buf_addf(m->line, "@%u,@%u", below(m, 20), below(m, 80));
	}
}

static void
add_rest(struct maker *m, const struct cmd_entry *entry)
{
	if (!strcmp(entry->name, "set")) {
		switch (below(m, 5)) {
		case 0:
			add(m, "value ");
			add_postfix(m);
			add(m, " = ");
			add_expression(m);
			return;
		case 1:
			add(m, "%");
			add_node(m);
			add_one_of(m,
				".args[0] = |.args[1] = |.target = |.name = "
				"|.kwargs.dim = |.args = |.nosuch = ");
			add_expression(m);
			return;
		case 2:
			/* Parameters without values would end the running. */
			add(m, "module ");
			add_scope(m);
			if (below(m, 8)) {
				add_one_of(m, " = nn.GELU()| = nn.ReLU()| = "
					      "nn.ReLU(inplace=True)");
				return;
			}
			add_one_of(m,
				" = nn.GELU()| = nn.Linear(8, 8)| = nn.ReLU("
				"inplace=True)| = nosuch()| = 3");
			return;
		case 3:
			add(m, "$a = ");
			add_expression(m);
			return;
		}
		add_setting(m);
		return;
	}
	if (!strcmp(entry->name, "alias")) {
		add_one_of(m, "aa = |ab = |nodes = |zz = print |");
		if (below(m, 2))
			add_expression(m);
		else
			add_one_of(m, "nodes|step|aa|ab|undo 2|when");
		return;
	}
	if (!strcmp(entry->name, "with"))
		add_one_of(m,
			"listsize 3 -- nodes|output json -- when|confirm off "
			"-- delete|nosuch 1 -- when|output json -- print ");
	add_expression(m);
}

static void
add_value(struct maker *m, const struct cmd_entry *entry,
	enum cmd_arg_type type)
{
	switch (type) {
	case CMD_ARG_NODE:
		add_node(m);
		break;
	case CMD_ARG_LOCATION:
		add_location(m);
		break;
	case CMD_ARG_SET:
		add_set(m);
		break;
	case CMD_ARG_QUERY:
		add_query(m);
		break;
	case CMD_ARG_EXPR:
	case CMD_ARG_CONDITION:
		add_expression(m);
		break;
	case CMD_ARG_SPEC:
		add_one_of(m,
			"x=f32[2,4]|x=f32[N,4]|x=f32[1,3,64,64]|x=q[1]|x|"
			"nosuch=f32[1]|x=i64[2]|x=f32[0,4]|x=randn(2,4)|"
			"x=f32[9999999999,9999999999]|x=zeros(1,3,64,64)");
		break;
	case CMD_ARG_FILE:
		add_one_of(m, "a.fxg|b.fxg|a.txt|b.npy|nosuch.fxg");
		break;
	case CMD_ARG_INT:
	case CMD_ARG_NUMBERS:
		add_one_of(m,
			"0|1|2|3|7|1-3|-1|99|4294967296|x|2 3|1-99999999");
		break;
	case CMD_ARG_SCOPE:
		add_scope(m);
		break;
	case CMD_ARG_GRAPH:
		add_one_of(m,
			"mlp|transformer|resnet18|1|2|9|copy|drop|nosuch");
		break;
	case CMD_ARG_PASS:
		add_one_of(m, "dce|dce|nosuch");
		break;
	case CMD_ARG_SETTING:
		add_setting(m);
		break;
	case CMD_ARG_COMMAND:
		add(m, cmd_table_at(below(m, 60))->name);
		break;
	case CMD_ARG_REST:
		add_rest(m, entry);
		break;
	case CMD_ARG_TARGET:
		add_one_of(m, "torch.relu|operator.add|nosuch");
		break;
	case CMD_ARG_FORMAT:
	case CMD_ARG_WORD:
	case CMD_ARG_END:
		add_one_of(m,
			"name|y1|index|-users|bytes|mlp|1s|svg|x|%add|t1");
		break;
	}
}

static void
add_argument(struct maker *m, const struct cmd_entry *entry,
	const struct cmd_arg *arg)
{
	if (arg->flags & CMD_OPTIONAL && below(m, 2))
		return;
	add(m, " ");
	if (arg->flags & CMD_KEYWORD) {
		add(m, arg->name);
		add(m, " ");
	}
	if (!strcmp(arg->name, ":") || (!strcmp(arg->name, "=") && below(m, 2)))
		add_one_of(m,
			arg->name[0] == ':' ? "y = |y1 = |x = " : "|f32[2,4]");
	if (arg->choices && below(m, 8))
		add_one_of(m, arg->choices);
	else
		add_value(m, entry, arg->type);
	if (arg->flags & CMD_REPEATED && below(m, 2)) {
		add(m, " ");
		add_value(m, entry, arg->type);
	}
}

/* Its own, those of all commands, now and then one that it does not have. */
static void
add_flag(struct maker *m, const struct cmd_entry *entry)
{
	const struct cmd_flag *flag;
	size_t count = 0;

	while (count < FX_ARRAY_LEN(entry->flags) && entry->flags[count].name)
		count++;
	if (!below(m, 12)) {
		add_one_of(m, " -z| --nosuch| -m| -q=1| --| -k 2| -g nosuch");
		return;
	}
	if (!count || !below(m, 4)) {
		add_one_of(m, entry->needs & CMD_LISTS
				      ? " -m 3| -s name| -s -users| -j"
				      : " -j| -q| -g mlp");
		return;
	}
	flag = &entry->flags[below(m, count)];
	if (flag->letter && below(m, 2))
		fx_buf_addf(m->line, " -%c", flag->letter);
	else
		fx_buf_addf(m->line, " --%s", flag->name);
	if (flag->type != CMD_ARG_END) {
		add(m, " ");
		add_value(m, entry, flag->type);
	}
}

/* Lines. */

static void
add_name(struct maker *m, const struct cmd_entry *entry)
{
	size_t length = strlen(entry->name);

	if (entry->aliases && below(m, 2))
		fx_buf_add_n(m->line, entry->aliases,
			strcspn(entry->aliases, " "));
	else if (length > 3 && !below(m, 4))
		fx_buf_add_n(m->line, entry->name, 3 + below(m, length - 3));
	else
		add(m, entry->name);
	if (entry->needs & CMD_TAKES_FORMAT && !below(m, 3))
		add_one_of(m, "/v|/s|/r|/x|/p|/f|/t|/q|/|/9v");
}

/* Commands that run programs, wait, leave, or take the screen. */
static bool
is_left_out(const struct cmd_entry *entry)
{
	static const char *const names[] = { "shell", "pipe", "quit", "trace",
		"log", "source", "tui", "tutorial", "demo" };

	for (size_t i = 0; i < FX_ARRAY_LEN(names); i++)
		if (!strcmp(entry->name, names[i]))
			return true;
	return false;
}

static const struct cmd_entry *
some_command(struct maker *m)
{
	/* What moves and edits is worth more than what shows. */
	static const char *const often[] = { "step", "continue", "run",
		"reverse-step", "reverse-continue", "goto", "undo", "redo",
		"insert", "erase", "replace", "rauw", "set", "print", "start",
		"move", "rename", "break", "input", "until", "unset" };
	const struct cmd_entry *entry;
	size_t count = 0;

	if (below(m, 2))
		return cmd_table_find(often[below(m, FX_ARRAY_LEN(often))]);
	while (cmd_table_at(count))
		count++;
	do
		entry = cmd_table_at(below(m, count));
	while (is_left_out(entry));
	return entry;
}

/* Change, drop or add bytes after the first word. */
static void
damage(struct maker *m)
{
	static const char bytes[] = "\"'()[]{}%@$.,;:=<>~#\\ \t-+*0x\xff\xc3";
	unsigned count = 1 + below(m, 3);

	while (count--) {
		size_t word = strcspn(fx_buf_text(m->line), " ");
		size_t length = m->line->length;
		size_t at;

		if (word + 1 >= length)
			return;
		at = word + 1 + below(m, length - word - 1);
		if (below(m, 3))
			m->line->data[at] = bytes[below(m, sizeof(bytes) - 1)];
		else
			fx_buf_truncate(m->line, at);
	}
}

static void
add_nonsense(struct maker *m)
{
	unsigned count = below(m, 40);

	/* No command begins so. */
	add_one_of(m, "%|@|(|{|.|,|\"|'|0|=|$|;|:|\\|]|}|~|`|^|*");
	while (count--)
		fx_buf_add_char(m->line, (char)(1 + below(m, 255)));
}

void
soak_line(struct fxt_random *random, struct fx_graph *graph,
	struct fx_buf *line, bool *writes_ret)
{
	struct maker m = { .random = random, .graph = graph, .line = line };
	const struct cmd_entry *entry;
	unsigned needs = CMD_CHANGES_FILES | CMD_REACHES_OUT | CMD_OWN_OUTPUT;
	size_t i;

	*writes_ret = false;
	if (!below(&m, 40)) {
		add_nonsense(&m);
		return;
	}
	entry = some_command(&m);
	add_name(&m, entry);
	for (i = 0; i < FX_ARRAY_LEN(entry->args) && entry->args[i].name; i++)
		if (below(&m, 40))
			add_argument(&m, entry, &entry->args[i]);
	for (i = below(&m, 3); i--;)
		if (!below(&m, 3))
			add_flag(&m, entry);
	*writes_ret = entry->needs & needs || !strcmp(entry->name, "dump");
	if (*writes_ret)
		return;
	if (!below(&m, 10))
		damage(&m);
	else if (!below(&m, 20) && !(entry->needs & CMD_RAW)) {
		add_one_of(&m, " -o a.txt| -o b.txt");
		*writes_ret = true;
	}
}
