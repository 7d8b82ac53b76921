/* arg_at_cursor.c - which argument a place of a line belongs to, for
 * completion. */
#include <config.h>

#include <string.h>

#include "base/mem.h"
#include "commands/shell/split.h"

static void
place_flag(struct cmd_split *split, size_t point, struct cmd_arg_at_cursor *ret)
{
	size_t end = split->at;
	const struct cmd_flag *flag = cmd_split_flag_at(split, split->at, &end);
	size_t value;

	ret->begin = split->at;
	ret->in_flag = true;
	if (!flag || end >= point || flag->type == CMD_ARG_END)
		return;
	value = split->line[end] == '=' ? end + 1
					: cmd_skip_blanks(split->line, end);
	if (point < value)
		return;
	ret->in_flag = false;
	ret->flag = flag;
	ret->type = flag->type;
	ret->begin = value;
}

/* Where in the argument at split->at POINT is; false when it lies behind. */
static bool
place_at(struct cmd_split *split, size_t point, struct cmd_arg_at_cursor *ret)
{
	const struct cmd_arg *arg = cmd_split_positional(split);
	size_t end = split->at;
	struct fx_error *err;
	size_t begin = split->at;
	bool is_flag = split->line[begin] == '-' && !split->no_flags;
	bool is_own = is_flag && cmd_split_flag_at(split, begin, &end);
	const struct cmd_arg *keyword =
		cmd_split_keyword_at(split, begin, &end);

	if (keyword && point > end) {
		begin = cmd_skip_blanks(split->line, end);
		arg = keyword;
	} else if (keyword) {
		is_flag = false;
	}
	err = cmd_split_next(split);
	if (!err && split->at < point)
		return false;
	fx_error_free(err);
	if (is_own ||
		(is_flag && !(arg && cmd_arg_kinds[arg->type].is_expression &&
				    !cmd_split_looks_like_flag(split)))) {
		split->at = begin;
		place_flag(split, point, ret);
		return true;
	}
	ret->arg = arg;
	ret->type = arg ? arg->type : CMD_ARG_END;
	ret->begin = begin;
	return true;
}

void
cmd_line_place(const struct cmd_entry *entry, const char *line, size_t at,
	size_t point, struct cmd_arg_at_cursor *ret)
{
	CMD_AUTO_PARSED struct cmd_parsed parsed = { 0 };
	FX_AUTO_FREE char *head = fx_xstrndup(line, point);
	struct cmd_split split = { .entry = entry,
		.line = head,
		.at = cmd_skip_blanks(head, at),
		.parsed = &parsed };
	const struct cmd_arg *arg;

	*ret = (struct cmd_arg_at_cursor){ .type = CMD_ARG_END,
		.begin = point };
	while (split.at < point) {
		if (place_at(&split, point, ret))
			return;
		split.at = cmd_skip_blanks(head, split.at);
	}
	arg = cmd_split_positional(&split);
	ret->arg = arg;
	ret->type = arg ? arg->type : CMD_ARG_END;
	ret->begin = point;
}
