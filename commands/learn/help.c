/* help.c - what help says, from the tables. */
#include <config.h>

#include "commands/learn/help.h"

#include <ctype.h>
#include <string.h>

#include "base/buf.h"
#include "commands/out/out.h"

static void
add_upper(struct fx_buf *out, const char *text)
{
	for (; *text; text++)
		fx_buf_add_char(out, (char)toupper((unsigned char)*text));
}

/* What stands for a value of some types; of the others, its name. */
static const char *const value_names[CMD_ARG_REST + 1] = {
	[CMD_ARG_INT] = "N",
	[CMD_ARG_FILE] = "FILE",
	[CMD_ARG_NODE] = "NODE",
	[CMD_ARG_SPEC] = "NAME=SPEC",
};

static void
add_value_name(struct fx_buf *out, const char *name, enum cmd_arg_type type)
{
	if (value_names[type])
		fx_buf_add(out, value_names[type]);
	else
		add_upper(out, name);
}

static void
add_arg(struct fx_buf *out, const struct cmd_arg *arg)
{
	bool optional = arg->flags & CMD_OPTIONAL;

	fx_buf_add(out, optional ? " [" : " ");
	if (arg->flags & CMD_KEYWORD) {
		fx_buf_add(out, arg->name);
		fx_buf_add_char(out, ' ');
		add_value_name(out,
			arg->type == CMD_ARG_CONDITION ? "condition"
			: arg->type == CMD_ARG_SET     ? "set"
			: arg->type == CMD_ARG_REST || arg->type == CMD_ARG_EXPR
				? "expression"
				: "name",
			arg->type);
	} else if (arg->choices) {
		fx_buf_add(out, arg->choices);
	} else {
		add_upper(out, arg->name);
	}
	if (arg->flags & CMD_REPEATED)
		fx_buf_add(out, "...");
	if (optional)
		fx_buf_add_char(out, ']');
}

void
cmd_usage(struct fx_buf *out, const struct cmd_entry *entry)
{
	size_t i;

	fx_buf_add(out, entry->name);
	if (entry->needs & CMD_TAKES_FORMAT)
		fx_buf_add(out, "[/FMT]");
	for (i = 0; i < FX_ARRAY_LEN(entry->args) && entry->args[i].name; i++)
		add_arg(out, &entry->args[i]);
	for (i = 0; i < FX_ARRAY_LEN(entry->flags) && entry->flags[i].name;
		i++) {
		const struct cmd_flag *flag = &entry->flags[i];

		if (flag->letter)
			fx_buf_addf(out, " [-%c", flag->letter);
		else
			fx_buf_addf(out, " [--%s", flag->name);
		if (flag->type != CMD_ARG_END) {
			fx_buf_add_char(out, ' ');
			add_value_name(out, flag->name, flag->type);
		}
		fx_buf_add_char(out, ']');
	}
}

void
cmd_flag_usage(struct fx_buf *out, const struct cmd_flag *flag)
{
	if (flag->letter)
		fx_buf_addf(out, "-%c, ", flag->letter);
	fx_buf_addf(out, "--%s", flag->name);
	if (flag->type == CMD_ARG_END)
		return;
	fx_buf_add_char(out, ' ');
	add_value_name(out, flag->name, flag->type);
}

void
cmd_say_wrapped(struct out *out, const char *text, int indent)
{
	while (*text) {
		size_t length = strcspn(text, "\n");

		if (!length)
			out_line(out, FX_ROLE_PLAIN, "%s", "");
		else if (*text == ' ')
			out_line(out, FX_ROLE_STRING, "%*s%.*s", indent, "",
				(int)length, text);
		else
			out_text(out, indent, text, length);
		text += length + (text[length] == '\n');
	}
}
