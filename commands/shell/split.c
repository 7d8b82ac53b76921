/* split.c - the rest of a line to flags and arguments.
 *
 * An argument's type says how far its text reaches.  Words (nodes, files,
 * numbers) end at a blank outside quotes and brackets.  Expressions and queries
 * are walked with the lexer of lang/, because only that knows where an operator
 * could stand: there, at depth 0, a flag of this command, one of its keywords,
 * ` -- ` or a comment ends them.  `print a -x` is a subtraction unless print
 * had a flag -x; `nodes target~*relu* -m 5` has a flag although `*` came
 * before it, because the bare words of queries are taken whole.
 */
#include <config.h>

#include "commands/shell/split.h"

#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "lang/lex.h"

/* Flags. */

/* The flag that is spelled in TEXT (LENGTH bytes, no dashes). */
static const struct cmd_flag *
find_flag(const struct cmd_entry *entry, const char *text, size_t length,
	bool is_long)
{
	const struct cmd_flag *flag;
	size_t i;

	for (i = 0; (flag = cmd_entry_flag(entry, i)); i++) {
		if (!is_long && length == 1 && flag->letter == *text)
			return flag;
		if (length > 1 && strlen(flag->name) == length &&
			!strncmp(flag->name, text, length))
			return flag;
	}
	return NULL;
}

/* Two dashes alone: no flags after them. */
static const struct cmd_flag dashes = { .name = "" };

/* The flag of this command that stands at AT, with the end of its name. */
const struct cmd_flag *
cmd_split_flag_at(const struct cmd_split *split, size_t at, size_t *end_ret)
{
	const char *line = split->line;
	bool is_long;
	size_t begin;

	if (split->no_flags || line[at] != '-')
		return NULL;
	is_long = line[at + 1] == '-';
	begin = at + 1 + is_long;
	at = begin;
	while (cmd_is_name_char(line[at]) || (at > begin && line[at] == '-'))
		at++;
	*end_ret = at;
	if (at == begin)
		return is_long && cmd_ends_word(line[at]) ? &dashes : NULL;
	if (!cmd_ends_word(line[at]) && line[at] != '=')
		return NULL;
	return find_flag(split->entry, line + begin, at - begin, is_long);
}

/* Keywords. */

static bool
is_sign(const char *keyword)
{
	return !cmd_is_letter(*keyword);
}

/* The length of KEYWORD if it stands at AT as a word of its own, else 0. */
static size_t
keyword_length(const char *line, size_t at, const char *keyword)
{
	size_t length = strlen(keyword);
	char after;

	if (strncmp(line + at, keyword, length) != 0)
		return 0;
	after = line[at + length];
	if (is_sign(keyword))
		return after == '=' || after == '>' ? 0 : length;
	return cmd_is_name_char(after) || after == '.' ? 0 : length;
}

/* The argument that came instead of all others, or NULL. */
static const struct cmd_arg *
alone(const struct cmd_split *split)
{
	const struct cmd_arg *arg = split->entry->args;

	for (size_t i = 0; i < FX_ARRAY_LEN(split->entry->args); i++)
		if ((arg[i].flags & CMD_ALONE) && (split->filled >> i & 1))
			return &arg[i];
	return NULL;
}

/* The keyword argument that begins at AT and has no value yet, or NULL. */
const struct cmd_arg *
cmd_split_keyword_at(const struct cmd_split *split, size_t at, size_t *end_ret)
{
	const struct cmd_arg *arg = split->entry->args;
	size_t i;

	if (alone(split))
		return NULL;
	for (i = 0; i < FX_ARRAY_LEN(split->entry->args); i++) {
		size_t length;

		if (!arg[i].name || !(arg[i].flags & CMD_KEYWORD) ||
			(split->filled >> i & 1) ||
			((arg[i].flags & CMD_ALONE) && split->filled))
			continue;
		length = keyword_length(split->line, at, arg[i].name);
		if (length) {
			*end_ret = at + length;
			return &arg[i];
		}
	}
	return NULL;
}

/* How far an argument reaches. */

const struct cmd_arg_kind cmd_arg_kinds[CMD_ARG_REST + 1] = {
	[CMD_ARG_NODE] = { .keeps_quotes = true },
	[CMD_ARG_SET] = { true, true, true },
	[CMD_ARG_LOCATION] = { true, true, true },
	[CMD_ARG_QUERY] = { true, true, true },
	[CMD_ARG_EXPR] = { true, false, true },
	[CMD_ARG_CONDITION] = { true, false, true },
	[CMD_ARG_SPEC] = { .keeps_quotes = true },
	[CMD_ARG_REST] = { true, false, true },
};

static bool
is_one_of(const char *text, struct fx_token token, const char *words)
{
	size_t length = token.end - token.begin;
	const char *found = words;

	while ((found = strstr(found, "|"))) {
		found++;
		if (!strncmp(found, text + token.begin, length) &&
			found[length] == '|')
			return true;
	}
	return false;
}

/* After `op =`, `target~` and `in` a query has a bare word: take it whole, so
 * that the operators in it are none.
 */
static void
take_bare_word(struct fx_lexer *lexer, struct fx_token before,
	struct fx_token token, bool operand_was_expected)
{
	static const char fields[] = "|op|target|name|dtype|module|scope|"
				     "source|state|pass|";
	bool is_operator = is_one_of(lexer->text, token, "|=|==|!=|~|");
	char next = fx_lexer_peek(lexer);

	if (!next || strchr("%@$([{\"'#", next))
		return;
	if (is_operator && before.kind == FX_TOKEN_NAME &&
		is_one_of(lexer->text, before, fields))
		fx_lexer_word(lexer);
	else if (operand_was_expected && fx_token_is(&token, lexer->text, "in"))
		fx_lexer_word(lexer);
}

/* Whether an expression, read as far as BEFORE, ends at AT: at two dashes
 * anywhere, else where an operator could stand.
 */
static bool
stops_at(const struct cmd_split *split, const struct fx_lexer *before,
	size_t at, bool blank_before)
{
	const struct cmd_flag *flag = NULL;
	size_t end;

	if (blank_before && split->line[at] == '-')
		flag = cmd_split_flag_at(split, at, &end);
	if (before->operand_expected)
		return flag == &dashes;
	return flag || (blank_before && split->line[at] == '#') ||
	       cmd_split_keyword_at(split, at, &end);
}

/* The end of the expression or query that begins at BEGIN. */
static size_t
expression_end(const struct cmd_split *split, size_t begin, bool query)
{
	struct fx_token before = { .kind = FX_TOKEN_END };
	struct fx_lexer lexer;
	size_t end = begin;

	fx_lexer_init(&lexer, split->line, strlen(split->line),
		FX_LEX_DESIGNATORS | FX_LEX_COMMENTS);
	lexer.at = begin;
	for (;;) {
		struct fx_lexer saved = lexer;
		struct fx_token token = fx_lexer_next(&lexer);
		bool blank = token.begin > end;

		if (token.kind == FX_TOKEN_END)
			return end;
		if (token.kind == FX_TOKEN_COMMENT && blank)
			return end;
		if (saved.depth == 0 && token.begin > begin &&
			stops_at(split, &saved, token.begin, blank))
			return end;
		end = token.end;
		if (query)
			take_bare_word(&lexer, before, token,
				saved.operand_expected);
		end = FX_MAX(end, lexer.at);
		before = token;
	}
}

size_t
cmd_string_end(const char *line, size_t at)
{
	char quote = line[at++];

	while (line[at] && line[at] != quote)
		at += line[at] == '\\' && line[at + 1] ? 2 : 1;
	return line[at] ? at + 1 : at;
}

/* Whether a keyword that is a sign ends a word at AT: `conv1: y = ...`.  A
 * colon inside SPEC or a file name is none, as it is followed by something.
 */
static bool
sign_ends_word(const struct cmd_split *split, size_t at)
{
	const struct cmd_arg *arg;
	size_t end;

	if (strchr(":=", split->line[at]) == NULL)
		return false;
	arg = cmd_split_keyword_at(split, at, &end);
	return arg != NULL;
}

/* The end of the word that begins at BEGIN. */
static size_t
word_end(const struct cmd_split *split, size_t begin, enum cmd_arg_type type)
{
	bool brackets = type != CMD_ARG_FILE && type != CMD_ARG_WORD &&
			type != CMD_ARG_COMMAND && type != CMD_ARG_FORMAT;
	const char *line = split->line;
	size_t at = begin;
	int depth = 0;

	while (line[at] && (depth || !cmd_is_blank(line[at]))) {
		if (!depth && at > begin && sign_ends_word(split, at))
			break;
		if (line[at] == '"' || line[at] == '\'') {
			at = cmd_string_end(line, at);
			continue;
		}
		if (brackets && strchr("([{", line[at]))
			depth++;
		else if (brackets && depth && strchr(")]}", line[at]))
			depth--;
		at++;
	}
	return at;
}

/* A word without its quotes: "my file".fxg is my file.fxg. */
static char *
unquoted(const char *text, size_t length)
{
	FX_AUTO_BUF struct fx_buf buf = { 0 };
	char quote = '\0';
	size_t i;

	for (i = 0; i < length; i++) {
		char c = text[i];

		if (quote && c == '\\' && i + 1 < length &&
			(text[i + 1] == quote || text[i + 1] == '\\'))
			fx_buf_add_char(&buf, text[++i]);
		else if (quote && c == quote)
			quote = '\0';
		else if (!quote && (c == '"' || c == '\''))
			quote = c;
		else
			fx_buf_add_char(&buf, c);
	}
	return fx_buf_take(&buf);
}

/* Whether the argument of TYPE from BEGIN to END is a single string, as in `b
 * "fc"`.  The quotes of such an argument carry no meaning.
 */
static bool
is_quoted_place(const char *line, size_t begin, size_t end,
	enum cmd_arg_type type)
{
	if ((type != CMD_ARG_NODE && !cmd_arg_kinds[type].is_query) ||
		end - begin < 2 || !strchr("\"'", line[begin]))
		return false;
	return cmd_string_end(line, begin) == end &&
	       line[end - 1] == line[begin];
}

/* Take the argument of TYPE that begins at split->at as NAME. */
static void
take_value(struct cmd_split *split, const char *name, enum cmd_arg_type type,
	bool is_flag)
{
	struct cmd_value value = {
		.name = name, .type = type, .is_flag = is_flag
	};
	size_t begin = split->at;
	const struct cmd_arg_kind *kind = &cmd_arg_kinds[type];
	size_t end = kind->is_expression
			     ? expression_end(split, begin, kind->is_query)
			     : word_end(split, begin, type);

	value.span = cmd_span(begin, end);
	if (kind->keeps_quotes &&
		!is_quoted_place(split->line, begin, end, type))
		value.text = fx_xstrndup(split->line + begin, end - begin);
	else
		value.text = unquoted(split->line + begin, end - begin);
	fx_vec_push(&split->parsed->values, value);
	split->at = end;
}

/* Whether nothing is left at AT: the end or a comment. */
static bool
at_end(const char *line, size_t at)
{
	return !line[at] || line[at] == '#';
}

static struct fx_error *
take_flag(struct cmd_split *split, const struct cmd_flag *flag, size_t name_end)
{
	size_t begin = split->at;
	struct cmd_value value = { .name = flag->name,
		.type = CMD_ARG_END,
		.is_flag = true,
		.span = cmd_span(begin, name_end) };
	bool equals = split->line[name_end] == '=';

	split->at = name_end;
	if (flag->type == CMD_ARG_END && equals)
		return cmd_split_usage(split,
			fx_error_new(FX_ERR_USAGE,
				"%s: the flag --%s takes no value",
				split->entry->name, flag->name),
			begin, name_end);
	if (flag->type == CMD_ARG_END) {
		fx_vec_push(&split->parsed->values, value);
		return NULL;
	}
	split->at =
		equals ? name_end + 1 : cmd_skip_blanks(split->line, name_end);
	if (at_end(split->line, split->at))
		return cmd_split_usage(split,
			fx_error_new(FX_ERR_USAGE,
				"%s: the flag --%s needs a value (%s)",
				split->entry->name, flag->name, flag->help),
			begin, name_end);
	take_value(split, flag->name, flag->type, true);
	return NULL;
}

static struct fx_error *
take_keyword(struct cmd_split *split, const struct cmd_arg *arg, size_t end)
{
	size_t begin = split->at;

	split->at = cmd_skip_blanks(split->line, end);
	split->filled |= 1U << (unsigned)(arg - split->entry->args);
	if (at_end(split->line, split->at))
		return cmd_split_usage(split,
			fx_error_new(FX_ERR_USAGE,
				"%s: expected something after \"%s\" (%s)",
				split->entry->name, arg->name, arg->help),
			begin, end);
	take_value(split, arg->name, arg->type, false);
	return NULL;
}

/* The next positional argument that wants a value, or NULL. */
const struct cmd_arg *
cmd_split_positional(const struct cmd_split *split)
{
	const struct cmd_arg *arg = split->entry->args;
	size_t i;

	for (i = 0; i < FX_ARRAY_LEN(split->entry->args); i++) {
		if (!arg[i].name || alone(split))
			break;
		if (arg[i].flags & CMD_KEYWORD)
			continue;
		if (!(split->filled >> i & 1) || (arg[i].flags & CMD_REPEATED))
			return &arg[i];
	}
	return NULL;
}

/* Whether what stands at AT looks like a flag: a dash and a letter. */
bool
cmd_split_looks_like_flag(const struct cmd_split *split)
{
	const char *text = split->line + split->at;

	if (split->no_flags || *text != '-')
		return false;
	return cmd_is_letter(text[1]) ||
	       (text[1] == '-' && cmd_is_letter(text[2]));
}

/* Whether `| head` or `> file` stands here, as in a Unix shell.  No expression
 * begins with these signs, but a first word may: `search |`.
 */
static bool
looks_like_pipe(const struct cmd_split *split, const struct cmd_arg *arg)
{
	char sign = split->line[split->at];

	if (sign != '|' && sign != '>')
		return false;
	return split->filled || !arg || cmd_arg_kinds[arg->type].is_expression;
}

static struct fx_error *
take_positional(struct cmd_split *split)
{
	const struct cmd_arg *arg = cmd_split_positional(split);

	if (looks_like_pipe(split, arg))
		return cmd_split_pipe(split);
	if (!arg)
		return cmd_split_unexpected(split);
	split->filled |= 1U << (unsigned)(arg - split->entry->args);
	take_value(split, arg->name, arg->type, false);
	return NULL;
}

/* Whether what begins with a dash is neither a flag nor an argument. */
static bool
is_unknown_flag(const struct cmd_split *split)
{
	const struct cmd_arg *arg = cmd_split_positional(split);

	return cmd_split_looks_like_flag(split) &&
	       (!arg || (arg->type != CMD_ARG_EXPR &&
				arg->type != CMD_ARG_CONDITION &&
				arg->type != CMD_ARG_REST));
}

static struct fx_error *
check_complete(const struct cmd_split *split)
{
	const struct cmd_arg *arg = split->entry->args;
	size_t i;

	for (i = 0; i < FX_ARRAY_LEN(split->entry->args); i++) {
		if (!arg[i].name || alone(split))
			break;
		if ((arg[i].flags & (CMD_OPTIONAL | CMD_ALONE)) ||
			(split->filled >> i & 1))
			continue;
		return cmd_split_missing(split, &arg[i]);
	}
	return NULL;
}

/* The line without a comment at its end, for commands that read it whole. */
static size_t
raw_end(const char *line, size_t begin)
{
	size_t end = strlen(line);

	while (end > begin && cmd_is_blank(line[end - 1]))
		end--;
	return end;
}

static void
split_raw(struct cmd_split *split)
{
	const struct cmd_arg *arg = &split->entry->args[0];
	struct cmd_value value = { .name = arg->name, .type = CMD_ARG_REST };
	size_t end = raw_end(split->line, split->at);

	if (end == split->at)
		return;
	value.span = cmd_span(split->at, end);
	value.text = fx_xstrndup(split->line + split->at, end - split->at);
	fx_vec_push(&split->parsed->values, value);
	split->filled = 1;
	split->at += strlen(split->line + split->at);
}

/* Take what stands at split->at, which is not the end. */
struct fx_error *
cmd_split_next(struct cmd_split *split)
{
	const struct cmd_flag *flag = NULL;
	bool has_dash = split->line[split->at] == '-';
	const struct cmd_arg *arg;
	size_t end;

	if (has_dash)
		flag = cmd_split_flag_at(split, split->at, &end);
	if (flag == &dashes) {
		split->no_flags = true;
		split->at = end;
		return NULL;
	}
	if (flag)
		return take_flag(split, flag, end);
	if (has_dash && is_unknown_flag(split))
		return cmd_split_unknown_flag(split);
	arg = cmd_split_keyword_at(split, split->at, &end);
	if (arg)
		return take_keyword(split, arg, end);
	return take_positional(split);
}

struct fx_error *
cmd_line_split(const struct cmd_entry *entry, const char *line, size_t at,
	struct cmd_parsed *ret)
{
	struct cmd_split split = { .entry = entry,
		.line = line,
		.at = cmd_skip_blanks(line, at),
		.parsed = ret };
	struct fx_error *err;

	if (entry->needs & CMD_RAW)
		split_raw(&split);
	while (!at_end(line, split.at)) {
		err = cmd_split_next(&split);
		if (err)
			return err;
		split.at = cmd_skip_blanks(line, split.at);
	}
	return check_complete(&split);
}
