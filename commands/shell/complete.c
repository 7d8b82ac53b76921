/* complete.c - candidates for what is being typed, by argument type. */
#include <config.h>

#include <dirent.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "commands/learn/help.h"
#include "commands/shell/complete_pass.h"
#include "commands/shell/overwrite_guard.h"
#include "commands/shell/shell.h"
#include "draw/draw.h"
#include "ir/graph.h"
#include "session/model.h"
#include "session/resolve.h"
#include "session/session.h"
#include "session/settings.h"

/* More than anyone reads. */
#define CANDIDATE_LIMIT 10000
/* No source that anybody wrote is longer. */
#define SOURCE_LIMIT ((size_t)1 << 22)

struct completion {
	struct cmd_shell *shell;
	const char *line;
	size_t point;
	size_t start; /* of the word to replace */
	char *prefix; /* what is typed of it */
	FX_VEC(char *) found;
};

static void
offer(void *context, const char *text)
{
	struct completion *c = context;

	if (c->found.count < CANDIDATE_LIMIT && fx_str_starts(text, c->prefix))
		fx_vec_push(&c->found, fx_xstrdup(text));
}

static void
begin_word(struct completion *c, size_t start)
{
	free(c->prefix);
	c->start = start;
	c->prefix = fx_xstrndup(c->line + start, c->point - start);
}

static void
offer_commands(struct completion *c)
{
	const struct cmd_entry *entry;
	struct cmd_alias *alias;
	struct cmd_user *user;
	size_t i;

	for (i = 0; (entry = cmd_table_at(i)); i++)
		offer(c, entry->name);
	fx_vec_for_each (user, &c->shell->users)
		offer(c, user->name);
	fx_vec_for_each (alias, &c->shell->aliases)
		offer(c, alias->name);
}

static void
offer_topics(struct completion *c)
{
	struct cmd_help_topic concept;
	const char *topic;
	size_t i;

	offer_commands(c);
	for (i = 0; cmd_help_topic_at(i, &concept); i++)
		offer(c, concept.word);
	for (i = 0; (topic = cmd_topic_at(i)); i++)
		offer(c, topic);
}

static void
offer_flags(struct completion *c, const struct cmd_entry *entry)
{
	const struct cmd_flag *flag;
	size_t i;

	for (i = 0; (flag = cmd_entry_flag(entry, i)); i++) {
		FX_AUTO_FREE char *text = fx_xasprintf("--%s", flag->name);
		char letter[3] = { '-', flag->letter, '\0' };

		offer(c, text);
		if (flag->letter)
			offer(c, letter);
	}
}

/* The dash that turns the order stays. */
static void
offer_sort_words(struct completion *c, const struct cmd_entry *entry)
{
	if (*c->prefix == '-')
		begin_word(c, c->start + 1);
	entry->sort_words(offer, c);
}

static void
offer_keywords(struct completion *c, const struct cmd_entry *entry)
{
	size_t i;

	for (i = 0; i < FX_ARRAY_LEN(entry->args); i++)
		if (entry->args[i].name &&
			(entry->args[i].flags & CMD_KEYWORD) && *c->prefix)
			offer(c, entry->args[i].name);
}

static void
offer_choices(struct completion *c, const char *choices)
{
	while (choices && *choices) {
		size_t n = strcspn(choices, "|");
		FX_AUTO_FREE char *word = fx_xstrndup(choices, n);

		offer(c, word);
		choices += n + (choices[n] == '|');
	}
}

/* Files: the folder is read here, as no front end may be asked. */

static void
offer_file(struct completion *c, const char *folder, const char *shown,
	const char *name)
{
	FX_AUTO_FREE char *path = fx_xasprintf("%s/%s", folder, name);
	FX_AUTO_FREE char *text = NULL;
	struct stat status;
	bool is_folder = stat(path, &status) == 0 && S_ISDIR(status.st_mode);

	text = fx_xasprintf("%s%s%s", shown, name, is_folder ? "/" : "");
	offer(c, text);
}

static void
offer_files(struct completion *c)
{
	const char *slash = strrchr(c->prefix, '/');
	size_t length = slash ? (size_t)(slash - c->prefix) + 1 : 0;
	FX_AUTO_FREE char *shown = fx_xstrndup(c->prefix, length);
	FX_AUTO_FREE char *folder =
		length ? fx_file_expand(shown) : fx_xstrdup(".");
	const char *part = c->prefix + length;
	struct dirent *entry;
	DIR *dir;

	if (c->shell->restricted)
		return;
	dir = opendir(folder);
	if (!dir)
		return;
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] == '.' && *part != '.')
			continue;
		if (fx_str_starts(entry->d_name, part))
			offer_file(c, folder, shown, entry->d_name);
	}
	closedir(dir);
}

/* `class NAME` and `def NAME` of LINE, which begin it: FILE:NAME. */
static void
offer_defined(struct completion *c, const char *file, const char *line)
{
	static const char *const words[] = { "class ", "def " };

	for (size_t i = 0; i < FX_ARRAY_LEN(words); i++) {
		size_t skip = strlen(words[i]);
		FX_AUTO_FREE char *text = NULL;

		if (strncmp(line, words[i], skip) != 0)
			continue;
		line += skip;
		text = fx_xasprintf("%s:%.*s", file,
			(int)strcspn(line, "(: \t\r\n"), line);
		offer(c, text);
		return;
	}
}

/* The last word of what the system's shell will run. */
static void
offer_shell_files(struct completion *c)
{
	size_t start = c->point;

	while (start > 0 && !strchr(" \t<>|;&", c->line[start - 1]))
		start--;
	begin_word(c, start);
	offer_files(c);
}

/* FILE.py:EXPR: files, then what is defined in the one typed. */
static void
offer_spec(struct completion *c)
{
	FX_AUTO_FREE char *file = cmd_spec_file(c->prefix);
	FX_AUTO_FREE char *path = fx_file_expand(file);
	FX_AUTO_FREE char *text = NULL;
	struct stat status;
	size_t size;

	if (!*file) {
		offer_files(c);
		return;
	}
	if (c->shell->restricted || stat(path, &status) != 0 ||
		!S_ISREG(status.st_mode))
		return;
	fx_error_free(fx_file_read(path, SOURCE_LIMIT, &text, &size));
	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		offer_defined(c, file, line);
	}
}

static void
offer_graphs(struct completion *c)
{
	struct fx_session *session = c->shell->session;
	size_t i;

	for (i = 0; i < fx_session_model_count(session); i++)
		offer(c, fx_model_name(fx_session_model_at(session, i)));
}

/* A function follows on the file. */
static void
add_colons(struct completion *c)
{
	char **found;

	fx_vec_for_each (found, &c->found) {
		char *text = *found;

		if (!fx_str_ends(text, ".py"))
			continue;
		*found = fx_xasprintf("%s:", text);
		free(text);
	}
}

/* Passes, their options and, behind python:, functions. */
static void
offer_passes(struct completion *c)
{
	size_t skip = cmd_python_pass_length(c->prefix);

	if (skip) {
		begin_word(c, c->start + skip);
		offer_spec(c);
		add_colons(c);
		return;
	}
	cmd_complete_pass(c->line, c->start, offer, c);
}

/* Whether a blank stands at AT of TEXT or just before it. */
static bool
is_after_blank(const char *text, const char *at)
{
	if (at > text && (at[-1] == ' ' || at[-1] == '\t'))
		return true;
	return *at == ' ' || *at == '\t';
}

/* FILE.py: and, with that typed, the lines of it that nodes are from. */
static void
offer_lines(struct completion *c, bool has_file)
{
	struct fx_model *model = fx_session_model(c->shell->session);
	struct fx_node *node;

	if (!model)
		return;
	fx_graph_for_each_node (node, fx_model_graph(model)) {
		const struct fx_source_frame *frame =
			node->source && node->source->count
				? node->source->frames
				: NULL;
		FX_AUTO_FREE char *file =
			frame ? fx_file_basename(frame->file) : NULL;
		FX_AUTO_FREE char *text = NULL;

		if (!file)
			continue;
		text = has_file ? fx_xasprintf("%s:%d", file, frame->line)
				: fx_xasprintf("%s:", file);
		offer(c, text);
	}
}

/* `set NAME`, and after the name its values. */
static void
offer_settings(struct completion *c, size_t begin)
{
	FX_AUTO_FREE char *text =
		fx_xstrndup(c->line + begin, c->point - begin);
	const char *rest;
	int index = fx_settings_match(text, &rest);

	if (index >= 0 && is_after_blank(text, rest)) {
		const struct fx_setting_info *info =
			fx_settings_info((size_t)index);

		while (strpbrk(rest, " \t"))
			rest = strpbrk(rest, " \t") + 1;
		begin_word(c, begin + (size_t)(rest - text));
		if (*info->choices && info->type != FX_SETTING_INT)
			offer_choices(c, info->choices);
		else if (info->type == FX_SETTING_BOOL)
			offer_choices(c, "on|off");
		return;
	}
	begin_word(c, begin);
	for (size_t i = 0; i < FX_SET_COUNT; i++)
		offer(c, fx_settings_info(i)->name);
}

/* Names within an expression: the last word typed. */

static bool
is_word_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '%' ||
	       c == '$' || (unsigned char)c >= 0x80;
}

static void
offer_names(struct completion *c, size_t begin, unsigned kinds)
{
	struct fx_session *session = c->shell->session;
	size_t start = c->point;

	while (start > begin && is_word_char(c->line[start - 1]))
		start--;
	begin_word(c, start);
	if (!fx_session_model(session))
		kinds &= FX_COMPLETE_FUNCTIONS | FX_COMPLETE_VARIABLES;
	fx_resolve_complete(session, fx_session_model(session),
		&(struct fx_completion){ kinds, c->prefix, offer, c });
}

#define EXPRESSION_KINDS \
	(FX_COMPLETE_NODES | FX_COMPLETE_PATHS | FX_COMPLETE_FUNCTIONS | \
		FX_COMPLETE_VARIABLES)

#define PLACE_KINDS (FX_COMPLETE_NODES | FX_COMPLETE_MODULES)
#define SET_KINDS   (PLACE_KINDS | FX_COMPLETE_QUERY_WORDS)

/* A set of nodes, or FILE.py:LINE. */
static void
offer_location(struct completion *c, size_t begin)
{
	const char *typed = c->line + begin;

	if (strchr(typed, '{'))
		offer_names(c, begin, SET_KINDS);
	else if (strpbrk(typed, "[( ") || !strchr(typed, ':'))
		offer_names(c, begin, PLACE_KINDS);
	if (!strpbrk(typed, "{[( ") && *typed)
		offer_lines(c, strchr(typed, ':'));
}

static void
offer_by_type(struct completion *c, enum cmd_arg_type type, size_t begin)
{
	switch (type) {
	case CMD_ARG_NODE:
		offer_names(c, begin, FX_COMPLETE_NODES);
		break;
	case CMD_ARG_LOCATION:
		offer_location(c, begin);
		break;
	case CMD_ARG_SET:
	case CMD_ARG_QUERY:
		offer_names(c, begin, SET_KINDS);
		break;
	case CMD_ARG_EXPR:
	case CMD_ARG_CONDITION:
	case CMD_ARG_TARGET:
	case CMD_ARG_REST:
		offer_names(c, begin, EXPRESSION_KINDS);
		break;
	case CMD_ARG_SCOPE:
		offer_names(c, begin, FX_COMPLETE_MODULES);
		break;
	case CMD_ARG_FILE:
		offer_files(c);
		break;
	case CMD_ARG_SPEC:
		offer_spec(c);
		break;
	case CMD_ARG_FORMAT:
		offer_choices(c, fx_draw_formats());
		break;
	case CMD_ARG_GRAPH:
		offer_graphs(c);
		break;
	case CMD_ARG_PASS:
		offer_passes(c);
		break;
	case CMD_ARG_SETTING:
		offer_settings(c, begin);
		break;
	case CMD_ARG_COMMAND:
		offer_topics(c);
		break;
	case CMD_ARG_END:
	case CMD_ARG_INT:
	case CMD_ARG_WORD:
	case CMD_ARG_NUMBERS:
		break;
	}
}

/* set module PATH = CALL, set value PLACE = EXPRESSION: what may stand where
 * TEXT ends; 0: it is none of these.
 */
static unsigned
kinds_of_set(const char *text)
{
	static const struct {
		const char *word;
		unsigned place;
	} rows[] = {
		{ "module ", FX_COMPLETE_MODULES },
		{ "value ", PLACE_KINDS | FX_COMPLETE_PATHS },
	};

	for (size_t i = 0; i < FX_ARRAY_LEN(rows); i++)
		if (fx_str_starts(text, rows[i].word))
			return strchr(text, '=') ? EXPRESSION_KINDS
						 : rows[i].place;
	return 0;
}

/* Commands that hold settings or commands in their raw text. */
static bool
complete_inside(struct completion *c, const struct cmd_entry *entry,
	size_t begin)
{
	bool sets = !strcmp(entry->name, "set");
	bool unsets = !strcmp(entry->name, "unset");
	unsigned kinds = sets || unsets ? kinds_of_set(c->line + begin) : 0;
	size_t at;

	if (kinds) {
		offer_names(c, begin, kinds);
		return true;
	}
	if (!strcmp(entry->name, "shell")) {
		offer_shell_files(c);
		return true;
	}
	if (!strcmp(entry->name, "show") ||
		(sets && !(c->line[begin] && strchr("%@.$", c->line[begin])))) {
		offer_settings(c, begin);
		if (sets && c->start == begin)
			offer_choices(c, "module|value");
		return true;
	}
	if (unsets) {
		begin_word(c, begin);
		offer_choices(c, "value");
		return true;
	}
	if (!strcmp(entry->name, "with")) {
		at = cmd_line_find_dashes(c->line + begin) + begin;
		if (at + 2 < c->point)
			return false;
		offer_settings(c, begin);
		return true;
	}
	return false;
}

static void
complete_arguments(struct completion *c, const struct cmd_entry *entry,
	size_t rest)
{
	size_t begin = rest;
	struct cmd_arg_at_cursor place;

	while (c->line[begin] == ' ' || c->line[begin] == '\t')
		begin++;
	begin = FX_MIN(begin, c->point);
	if (complete_inside(c, entry, begin))
		return;
	cmd_line_place(entry, c->line, rest, c->point, &place);
	begin_word(c, FX_MIN(place.begin, c->point));
	/* A dash alone may begin an expression too. */
	if (place.in_flag || !strcmp(c->prefix, "-") ||
		!strcmp(c->prefix, "--")) {
		offer_flags(c, entry);
		return;
	}
	if (place.flag && !strcmp(place.flag->name, "sort") &&
		entry->sort_words)
		offer_sort_words(c, entry);
	else if (place.flag && !strcmp(place.flag->name, "only"))
		offer_names(c, c->start, FX_COMPLETE_NODES);
	else if (place.arg && place.arg->choices)
		offer_choices(c, place.arg->choices);
	else if (place.arg && place.arg->type == CMD_ARG_WORD && entry->words)
		entry->words(offer, c);
	else
		offer_by_type(c, place.type, c->start);
	offer_keywords(c, entry);
}

/* The line from FROM on, a command of its own. */
static void
complete_line(struct completion *c, size_t from)
{
	FX_AUTO_FREE char *text = fx_xstrndup(c->line + from, c->point - from);
	FX_AUTO_FREE char *name = NULL;
	const struct cmd_entry *entry;
	struct cmd_head head;
	struct fx_error *err = cmd_line_head(text, &head);

	if (err || head.is_empty || head.name.end + from >= c->point) {
		size_t start = from + strspn(text, " \t");

		fx_error_free(err);
		if (head.shortcut && head.name.end + from >= c->point)
			return;
		begin_word(c, start);
		offer_commands(c);
		return;
	}
	name = fx_xstrndup(text + head.name.begin,
		head.name.end - head.name.begin);
	if (head.shortcut) {
		entry = cmd_table_find(head.shortcut);
	} else {
		err = cmd_lookup(c->shell, name, &entry);
		if (err) {
			fx_error_free(err);
			return;
		}
	}
	if (!strcmp(entry->name, "pipe")) {
		complete_line(c, from + head.rest);
		return;
	}
	if (!strcmp(entry->name, "with")) {
		size_t at = cmd_line_find_dashes(text + head.rest);

		if (text[head.rest + at]) {
			complete_line(c, from + head.rest + at + 2);
			return;
		}
	}
	complete_arguments(c, entry, from + head.rest);
}

char **
cmd_complete(struct cmd_shell *shell, const char *line, size_t point,
	size_t *start_ret)
{
	FX_AUTO_FREE char *head = fx_xstrndup(line, point);
	struct completion c = { .shell = shell,
		.line = head,
		.point = strlen(head),
		.prefix = fx_xstrdup("") };
	size_t kept = 0;
	size_t i;

	complete_line(&c, 0);
	if (c.found.count)
		qsort(c.found.items, c.found.count, sizeof(char *),
			fx_str_compare);
	for (i = 0; i < c.found.count; i++) {
		if (kept && !strcmp(c.found.items[kept - 1], c.found.items[i]))
			free(c.found.items[i]);
		else
			c.found.items[kept++] = c.found.items[i];
	}
	c.found.count = kept;
	fx_vec_push(&c.found, NULL);
	*start_ret = FX_MIN(c.start, c.point);
	free(c.prefix);
	return c.found.items;
}
