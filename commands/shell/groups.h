/* groups.h - the tables of commands, one a group. */
#ifndef FX_COMMANDS_SHELL_GROUPS_H
#define FX_COMMANDS_SHELL_GROUPS_H

#include "commands/shell/cmd.h"

struct fx_breakpoint;
struct fx_buf;
struct fx_graph;

/* Each ends with a row whose name is NULL. */
#define CMD_GROUP(symbol, title) \
	extern const struct cmd_entry cmd_group_##symbol[];
#include "commands/shell/groups.def"

/* The INDEXth group: its title and entries; NULL past the end. */
const char *cmd_group_title(size_t index);
const struct cmd_entry *cmd_group_entries(size_t index);

/* Whether ENTRY answers to NAME exactly (its name or an alias). */
bool cmd_entry_is(const struct cmd_entry *entry, const char *name);

/* Commands in files of their own. */
FX_NODISCARD struct fx_error *cmd_info_exec(struct cmd_ctx *ctx);
FX_NODISCARD struct fx_error *cmd_node_exec(struct cmd_ctx *ctx);
FX_NODISCARD struct fx_error *cmd_list_exec(struct cmd_ctx *ctx);
FX_NODISCARD struct fx_error *cmd_ll_exec(struct cmd_ctx *ctx);
FX_NODISCARD struct fx_error *cmd_draw_exec(struct cmd_ctx *ctx);
/* dump_folder.c: PATH may be NULL. */
FX_NODISCARD struct fx_error *cmd_dump_folder(struct cmd_ctx *ctx,
	const char *path, const char *dialect);
/* dump_script.c: appends to TEXT. */
FX_NODISCARD struct fx_error *cmd_dump_script(struct cmd_ctx *ctx,
	struct fx_graph *graph, struct fx_buf *text);
/* dump_value.c: TEXT is a tensor and a file, or NULL. */
FX_NODISCARD struct fx_error *cmd_dump_value(struct cmd_ctx *ctx,
	const char *text);
FX_NODISCARD struct fx_error *cmd_context_exec(struct cmd_ctx *ctx);
FX_NODISCARD struct fx_error *cmd_slice_exec(struct cmd_ctx *ctx);
FX_NODISCARD struct fx_error *cmd_path_exec(struct cmd_ctx *ctx);
FX_NODISCARD struct fx_error *cmd_dom_exec(struct cmd_ctx *ctx);
/* What -s of listings of nodes takes. */
cmd_words_fn cmd_node_sort_words;
FX_NODISCARD struct fx_error *cmd_params_exec(struct cmd_ctx *ctx);
FX_NODISCARD struct fx_error *cmd_summary_exec(struct cmd_ctx *ctx);
FX_NODISCARD struct fx_error *cmd_x_exec(struct cmd_ctx *ctx);
FX_NODISCARD struct fx_error *cmd_stats_exec(struct cmd_ctx *ctx);
FX_NODISCARD struct fx_error *cmd_hist_exec(struct cmd_ctx *ctx);
FX_NODISCARD struct fx_error *cmd_freq_exec(struct cmd_ctx *ctx);
FX_NODISCARD struct fx_error *cmd_find_exec(struct cmd_ctx *ctx);
FX_NODISCARD struct fx_error *cmd_insert_exec(struct cmd_ctx *ctx);
FX_NODISCARD struct fx_error *cmd_replace_exec(struct cmd_ctx *ctx);
FX_NODISCARD struct fx_error *cmd_set_exec(struct cmd_ctx *ctx);
FX_NODISCARD struct fx_error *cmd_scope_exec(struct cmd_ctx *ctx);
FX_NODISCARD struct fx_error *cmd_why_exec(struct cmd_ctx *ctx);
FX_NODISCARD struct fx_error *cmd_explain_exec(struct cmd_ctx *ctx);
FX_NODISCARD struct fx_error *cmd_compare_exec(struct cmd_ctx *ctx);
void cmd_compare_sort_words(void (*offer)(void *context, const char *word),
	void *context);
FX_NODISCARD struct fx_error *cmd_verify_exec(struct cmd_ctx *ctx);
FX_NODISCARD struct fx_error *cmd_bisect_exec(struct cmd_ctx *ctx);
FX_NODISCARD struct fx_error *cmd_reduce_exec(struct cmd_ctx *ctx);
FX_NODISCARD struct fx_error *cmd_diff_exec(struct cmd_ctx *ctx);
FX_NODISCARD struct fx_error *cmd_help_exec(struct cmd_ctx *ctx);
FX_NODISCARD struct fx_error *cmd_apropos_exec(struct cmd_ctx *ctx);
FX_NODISCARD struct fx_error *cmd_assert_exec(struct cmd_ctx *ctx);
FX_NODISCARD struct fx_error *cmd_weights_exec(struct cmd_ctx *ctx);
FX_NODISCARD struct fx_error *cmd_demo_exec(struct cmd_ctx *ctx);
cmd_words_fn cmd_demo_words;
FX_NODISCARD struct fx_error *cmd_tutorial_exec(struct cmd_ctx *ctx);

FX_NODISCARD struct fx_error *cmd_save_exec(struct cmd_ctx *ctx);
FX_NODISCARD struct fx_error *cmd_printf_exec(struct cmd_ctx *ctx);

/* breakpoint.c: breakpoints, watches and all else that stops. */
FX_NODISCARD struct fx_error *cmd_watch_exec(struct cmd_ctx *ctx);
FX_NODISCARD struct fx_error *cmd_catch_exec(struct cmd_ctx *ctx);
FX_NODISCARD struct fx_error *cmd_clear_exec(struct cmd_ctx *ctx);
FX_NODISCARD struct fx_error *cmd_dprintf_exec(struct cmd_ctx *ctx);
FX_NODISCARD struct fx_error *cmd_rbreak_exec(struct cmd_ctx *ctx);
FX_NODISCARD struct fx_error *cmd_commands_exec(struct cmd_ctx *ctx);
/* The lines that set all of them again; $bpnum is the last one that was set. */
void cmd_add_breakpoints(struct fx_buf *out, struct fx_session *session);
FX_NODISCARD struct fx_error *cmd_save_breakpoints(struct cmd_ctx *ctx,
	const char *path);

/* checkpoint.c */
FX_NODISCARD struct fx_error *cmd_checkpoint_exec(struct cmd_ctx *ctx);
FX_NODISCARD struct fx_error *cmd_restart_exec(struct cmd_ctx *ctx);
/* delete checkpoint N. */
FX_NODISCARD struct fx_error *cmd_delete_checkpoints(struct cmd_ctx *ctx);
FX_NODISCARD struct fx_error *cmd_say_checkpoints(struct cmd_ctx *ctx);

/* skip.c */
FX_NODISCARD struct fx_error *cmd_skip_exec(struct cmd_ctx *ctx);
FX_NODISCARD struct fx_error *cmd_say_skips(struct cmd_ctx *ctx);
/* The lines that make them anew in a session that has none. */
void cmd_add_skips(struct fx_buf *out, struct fx_session *session);

/* Parts that several commands show. */
FX_NODISCARD struct fx_error *cmd_say_inputs(struct cmd_ctx *ctx);
FX_NODISCARD struct fx_error *cmd_say_journal(struct cmd_ctx *ctx);
FX_NODISCARD struct fx_error *cmd_say_settings(struct cmd_ctx *ctx);
FX_NODISCARD struct fx_error *cmd_say_breakpoints(struct cmd_ctx *ctx);
FX_NODISCARD struct fx_error *cmd_say_displays(struct cmd_ctx *ctx);
FX_NODISCARD struct fx_error *cmd_say_scope(struct cmd_ctx *ctx);
/* The module path that the argument "scope" means, interned; "" without one. */
FX_NODISCARD struct fx_error *cmd_scope_argument(struct cmd_ctx *ctx,
	const char **ret);
/* The tree of scopes below ROOT, a path, to a DEPTH. */
void cmd_say_scope_tree(struct cmd_ctx *ctx, const char *root, int64_t depth);
/* scope.c: the parameters and buffers, of a scope if one is named. */
FX_NODISCARD struct fx_error *cmd_say_params(struct cmd_ctx *ctx);
/* The setting that TEXT begins with; SETTING or AMBIGUOUS. */
FX_NODISCARD struct fx_error *cmd_find_setting(const char *text, int *index_ret,
	const char **rest_ret);
/* Give the input that TEXT, "x=f32[1,8]", says; USAGE when it says none. */
FX_NODISCARD struct fx_error *cmd_set_input(struct cmd_ctx *ctx,
	const char *text);
/* What differs between two times of the current graph. */
/* Show what differs between two graphs. */
struct fx_graph;
FX_NODISCARD struct fx_error *cmd_diff_graphs(struct cmd_ctx *ctx,
	struct fx_graph *const graphs[2]);
FX_NODISCARD struct fx_error *cmd_diff_times(struct cmd_ctx *ctx,
	uint32_t before, uint32_t after);
void cmd_say_opened(struct cmd_ctx *ctx, struct fx_model *model);
/* Whether NODE has a shape that cannot be, as the inputs are now. */
bool cmd_is_impossible(struct fx_model *model, struct fx_node *node);
/* Print one warning if the shapes of MODEL's inputs make nodes impossible. */
void cmd_warn_of_shapes(struct cmd_ctx *ctx, struct fx_model *model);

#endif /* FX_COMMANDS_SHELL_GROUPS_H */
