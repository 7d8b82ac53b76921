/* grp_session.c - opening, saving and switching graphs; leaving. */
#include <config.h>

#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "commands/out/out.h"
#include "commands/shell/canonical.h"
#include "commands/shell/data_files.h"
#include "commands/shell/groups.h"
#include "commands/shell/shell.h"
#include "commands/verbs/graphs.h"
#include "commands/verbs/trace.h"
#include "session/capture.h"
#include "session/input_file.h"
#include "session/model.h"
#include "session/nested.h"
#include "session/override.h"
#include "session/session.h"

static void
say_notices(struct cmd_ctx *ctx, const char *notices)
{
	while (notices && *notices) {
		size_t length = strcspn(notices, "\n");

		out_note(ctx->out, "%.*s", (int)length, notices);
		notices += length + (notices[length] == '\n');
	}
}

/* FILE.py:CLASS is no file, nor is the name of a model. */
static FX_NODISCARD struct fx_error *
hint_others(const struct cmd_ctx *ctx, struct fx_error *err)
{
	const char *file = cmd_arg_text(ctx, "file");

	if (fx_error_hint_text(err))
		return err;
	if (fx_error_code(err) == FX_ERR_IO)
		err = cmd_hint_example(err, file);
	if (!strstr(file, ".py:"))
		return err;
	return fx_error_hint(err, "trace %s captures a model", file);
}

static struct fx_error *
load_exec(struct cmd_ctx *ctx)
{
	FX_AUTO_FREE char *notices = NULL;
	FX_AUTO_FREE char *line = cmd_canonical_line(ctx);
	struct fx_model *model;
	struct fx_error *err;

	err = fx_session_load(ctx->session, cmd_arg_text(ctx, "file"),
		&(struct fx_opening){
			.name = cmd_arg_text(ctx, "as"),
			.line = line,
			.graph = (size_t)cmd_flag_int(ctx, "graph", 0),
		},
		&model, &notices);
	if (err)
		return cmd_model_failed(ctx, hint_others(ctx, err));
	ctx->shell->has_listed = false;
	if (!fx_model_path(model))
		cmd_overwrite_guard_loaded(ctx, cmd_arg_text(ctx, "file"));
	say_notices(ctx, notices);
	cmd_say_opened(ctx, model);
	return NULL;
}

/* Graphs. */

static bool
may_lose(struct cmd_ctx *ctx, struct fx_model *model)
{
	FX_AUTO_FREE char *question = NULL;

	/* A program gets them. */
	if (!fx_model_is_unsaved(model) || fx_model_is_of_program(model) ||
		cmd_tutorial_owns(ctx->shell, model) ||
		!ctx->front->is_interactive(ctx->front->context))
		return true;
	question = fx_xasprintf("%s has edits that are not saved. Drop them?",
		fx_model_name(model));
	return cmd_confirm(ctx, question);
}

static struct fx_error *
drop_graph(struct cmd_ctx *ctx, struct fx_model *model)
{
	if (!may_lose(ctx, model)) {
		out_line(ctx->out, FX_ROLE_PLAIN, "Kept.");
		return NULL;
	}
	out_line(ctx->out, FX_ROLE_PLAIN, "Closed %s.", fx_model_name(model));
	cmd_shell_drop(ctx->shell, model);
	return NULL;
}

static struct fx_error *
graph_exec(struct cmd_ctx *ctx)
{
	const char *what = cmd_arg_text(ctx, "graph");
	const char *name = cmd_arg_text(ctx, "name");
	bool copies = what && !strcmp(what, "copy");
	bool drops = what && !strcmp(what, "drop");
	bool is_odd = (name != NULL) != (copies || drops);
	struct fx_model *model;
	struct fx_error *err;

	if (!what)
		return cmd_list_graphs(ctx);
	if (!name && strchr(what, '/'))
		return cmd_enter_graph(ctx, what);
	if (name && is_odd)
		err = fx_error_new(FX_ERR_USAGE, "graph: unexpected \"%s\"",
			name);
	else
		err = cmd_find_graph(ctx->session, name ? name : what, &model);
	if (err && is_odd)
		return fx_error_hint(err,
			"graph copy NAME as NEW, graph drop NAME");
	/* Who gives one name means the new one. */
	if (err && copies && ctx->model && !cmd_arg_text(ctx, "as"))
		return fx_error_hint(err, "graph copy %s as %s",
			fx_model_name(ctx->model), name);
	if (err)
		return err;
	if (drops && name)
		return drop_graph(ctx, model);
	if (copies && name)
		return cmd_copy_graph(ctx, model);
	fx_session_switch(ctx->session, model);
	ctx->shell->has_listed = false;
	err = fx_model_enter(model, "");
	if (err)
		return err;
	cmd_say_opened(ctx, model);
	return NULL;
}

/* Inputs and the seed. */

/* `input NAME` alone. */
static struct fx_error *
no_value(struct cmd_ctx *ctx, const char *name)
{
	FX_AUTO_BUF struct fx_buf form = { 0 };
	struct fx_node *node;
	struct fx_error *err = fx_model_find_input(ctx->model, name, &node);

	if (err)
		return err;
	fx_input_add_hint(&form, node);
	return fx_error_hint(fx_error_new(FX_ERR_USAGE, "input: expected ="),
		"input %s = %s", name, fx_buf_text(&form));
}

struct telling {
	struct cmd_ctx *ctx;
	const char *path;
};

static void
tell_input(void *context, const struct fx_node *node, bool is_given)
{
	const struct telling *telling = context;

	if (is_given)
		out_line(telling->ctx->out, FX_ROLE_PLAIN, "%s = %s",
			node->target, telling->path);
	else
		out_note(telling->ctx->out, "%s is not in %s", node->target,
			telling->path);
}

/* `input FILE`: what has the names of inputs. */
static struct fx_error *
set_all(struct cmd_ctx *ctx, const char *path)
{
	struct telling telling = { ctx, path };
	struct fx_error *err =
		fx_model_set_inputs(ctx->model, path, tell_input, &telling);

	if (err)
		return err;
	cmd_trace_say_fixed(ctx);
	cmd_warn_of_shapes(ctx, ctx->model);
	return NULL;
}

static struct fx_error *
input_exec(struct cmd_ctx *ctx)
{
	const char *name = cmd_arg_text(ctx, "name");
	const char *text = cmd_arg_text(ctx, "=");
	size_t set = fx_model_count_overrides(ctx->model);
	struct fx_error *err;

	if (!name && !text)
		return cmd_say_inputs(ctx);
	if (!text && strchr(name, '.'))
		return set_all(ctx, name);
	if (!text)
		return no_value(ctx, name);
	err = fx_model_set_input(ctx->session, ctx->model, name ? name : "",
		text);
	if (err)
		return err;
	out_line(ctx->out, FX_ROLE_PLAIN, "%s = %s%s", name, text,
		fx_model_count_overrides(ctx->model) < set
			? "; the value that was set is taken back"
			: "");
	cmd_trace_say_fixed(ctx);
	cmd_warn_of_shapes(ctx, ctx->model);
	return NULL;
}

static struct fx_error *
seed_exec(struct cmd_ctx *ctx)
{
	int64_t seed = cmd_arg_int(ctx, "seed", -1);

	if (seed >= 0)
		fx_session_set_seed(ctx->session, (uint64_t)seed);
	out_value_int(ctx->out, "seed", (int64_t)fx_session_seed(ctx->session));
	out_line(ctx->out, FX_ROLE_PLAIN, "Seed %llu.",
		(unsigned long long)fx_session_seed(ctx->session));
	return NULL;
}

/* Leaving. */

static struct fx_error *
close_exec(struct cmd_ctx *ctx)
{
	const char *name = cmd_arg_text(ctx, "name");
	struct fx_model *model = ctx->model;
	struct fx_error *err = NULL;

	if (name)
		err = cmd_find_graph(ctx->session, name, &model);
	else if (!model)
		err = fx_session_need_model(ctx->session, &model);
	return err ? err : drop_graph(ctx, model);
}

struct fx_error *
cmd_leave(struct cmd_ctx *ctx, const char *status)
{
	struct fx_error *err =
		ctx->front->request(ctx->front->context, FRONT_QUIT, status);

	if (!err)
		ctx->shell->is_quitting = true;
	return err;
}

static struct fx_error *
quit_exec(struct cmd_ctx *ctx)
{
	int64_t status = cmd_arg_int(ctx, "status", 0);
	FX_AUTO_FREE char *text = NULL;
	size_t i;

	if (status > 255)
		return fx_error_new(FX_ERR_RANGE,
			"quit: the exit status goes from 0 to 255, got %lld",
			(long long)status);
	for (i = 0; i < fx_session_model_count(ctx->session); i++)
		if (!may_lose(ctx, fx_session_model_at(ctx->session, i)))
			return NULL;
	text = cmd_arg_text(ctx, "status")
		       ? fx_xasprintf("%lld", (long long)status)
		       : fx_xstrdup("");
	return cmd_leave(ctx, text);
}

const struct cmd_entry cmd_group_session[] = {
	{
		.name = "load",
		.summary = "open a saved or printed graph",
		.help = "Opens .fxg files, generated Python code, folders that "
			"torch.fx wrote, print_readable text, listings and "
			".pt2 archives of torch.export; the content decides, "
			"not the name. Text around a graph that was copied "
			"from an issue, a mail or a terminal is left out. The "
			"graph becomes the current one. A log of TORCH_LOGS "
			"that has several is listed, and --graph N opens one.",
		.synonyms = "open read file import model dump opening",
		.args = { { "file", CMD_ARG_FILE, 0, "what to open", NULL },
			{ "as", CMD_ARG_WORD, CMD_OPTIONAL | CMD_KEYWORD,
				"what to call the graph", NULL } },
		.flags = { { "graph", 0, CMD_ARG_INT,
			"which graph of a log, from 1" } },
		.examples = { { "load mlp.fxg", "open a saved graph" },
			{ "load dump.py as base", "and call it base" } },
		.needs = CMD_CHANGES_FILES,
		.exec = load_exec,
	},
	{
		.name = "trace",
		.summary = "capture a model of your Python",
		.help = "Traces FILE.py:EXPR or package.module:EXPR with the "
			"Python of --python, $VIRTUAL_ENV, PATH or the system: "
			"the first that has torch. A class, or a callable "
			"without required parameters, is called and must give "
			"a module or a function; a function with required "
			"parameters is traced itself. A GraphModule, a program "
			"of torch.export or an fxdb.Graph opens as it stands. "
			"The model is put in eval mode unless --train. The "
			"graph of a trace is torch.fx's; when tracing fails, "
			"what there is of it stays open, and flags with which "
			"it succeeds are sought and hinted. "
			"--concrete flag=True fixes an argument of forward, so "
			"that an if or a loop on it takes one way; of a tuple, "
			"list or dict a part can be fixed: pair=(PH,2) keeps "
			"the first item an input (PH as in torch.fx, a "
			"placeholder) and makes the second the number 2. "
			"--example records one real run instead: what the "
			"model does by values and sizes may be anything, and "
			"info trace lists where that decided something. The "
			"graph is then run beside the model on other values. "
			"--vary gives inputs of other sizes, for a second run: "
			"numbers in which both differ become expressions of "
			"sizes, which more runs check. --export takes the "
			"graph that torch.export makes, ATen operators with "
			"names as exported; sizes that -i gives as letters, "
			"x=f32[N,3,H,W], stay open if the model lets them. "
			"--partial keeps modules that cannot be traced as one "
			"node each, the innermost ones; info trace lists them "
			"with the line and the reason. --suggest tries these "
			"flags and lists what gives a graph.",
		.synonyms = "capture export symbolic_trace model python own",
		.needs = CMD_CHANGES_FILES,
		.args = { { "spec", CMD_ARG_SPEC, 0, "FILE.py:EXPR", NULL },
			{ "as", CMD_ARG_WORD, CMD_OPTIONAL | CMD_KEYWORD,
				"what to call the graph", NULL } },
		.flags = { { "input", 'i', CMD_ARG_SPEC,
				   "NAME=SPEC of an input, which may call "
				   "what the model's file has; may be "
				   "repeated" },
			{ "leaf", 0, CMD_ARG_WORD,
				"a class kept as one node; may be repeated" },
			{ "concrete", 0, CMD_ARG_SPEC,
				"NAME=VALUE, fixed while tracing; may be "
				"repeated" },
			{ "train", 0, CMD_ARG_END, "in training mode" },
			{ "example", 0, CMD_ARG_END,
				"record one real run on the inputs of -i" },
			{ "vary", 0, CMD_ARG_SPEC,
				"NAME=SPEC of another size, so that sizes stay "
				"open; may be repeated" },
			{ "export", 0, CMD_ARG_END,
				"let torch.export make the graph (torch 2)" },
			{ "partial", 0, CMD_ARG_END,
				"keep whole what cannot be traced" },
			{ "suggest", 0, CMD_ARG_END,
				"list lines that give a graph, each tried" },
			{ "no-check", 0, CMD_ARG_END,
				"do not check what was recorded" },
			{ "tracer", 0, CMD_ARG_SPEC,
				"FILE.py:CLASS, a subclass of fxdb.Tracer" } },
		.examples = { { "trace lenet.py:LeNet -i x=f32[1,1,28,28]",
				      "capture a class" },
			{ "trace torchvision.models:resnet18()",
				"or what a call gives" },
			{ "trace net.py:Net --example -i x=f32[1,3]",
				"record a run where tracing fails" },
			{ "trace net.py:Net --example -i x=f32[1,3] "
			  "--vary x=f32[4,3]",
				"for any first size" } },
		.exec = cmd_trace_exec,
	},
	{
		.name = "attach",
		.summary = "take over the graph of a running program",
		.help = "What fxdb.debug(module, *inputs) in a Python program "
			"does when it opens fxdb: the program has recorded the "
			"call and waits, its process computes, and with quit, "
			"or continue at the end, it goes on with the result of "
			"the graph as it is then.",
		.synonyms = "debug process breakpoint pdb connect",
		.needs = CMD_CHANGES_FILES,
		.args = { { "descriptor", CMD_ARG_INT, 0,
			"of the program's socket", NULL } },
		.flags = { { "input", 'i', CMD_ARG_SPEC,
			"NAME=SPEC of an input; may be repeated" } },
		.examples = { { "attach 3", "done by fxdb.debug" } },
		.exec = cmd_attach_exec,
	},
	{
		.name = "save",
		.summary = "write the graph as .fxg",
		.help = "Writes the native format, which keeps all of the "
			"graph, with the weights in a file beside it. dump "
			"script writes inputs and values that were set. save "
			"breakpoints FILE writes what stops as commands. The "
			"file is replaced only when all of it is written.",
		.synonyms = "write store file export keep model",
		.needs = CMD_NEED_GRAPH | CMD_NEED_WRITABLE | CMD_CHANGES_FILES,
		.args = { { "file", CMD_ARG_FILE, CMD_OPTIONAL,
				  "where to; the file it came from", NULL },
			{ "other", CMD_ARG_FILE, CMD_OPTIONAL,
				"after the word breakpoints: where to",
				NULL } },
		.examples = { { "save exp.fxg", "write it under a new name" },
			{ "save breakpoints stops.fxdb",
				"all that stops, for source" } },
		.exec = cmd_save_exec,
	},
	{
		.name = "graph",
		.aliases = "gr",
		.summary = "list, switch, copy or drop graphs",
		.help = "Several graphs may be open; one is the current. "
			"Without a name the open ones are listed, and the "
			"graphs within the current one: /PATH enters one of "
			"these, so that names, positions and edits are of it "
			"until execution moves; / leaves it. A copy has the "
			"weights and inputs that are there, and its own run.",
		.synonyms = "inferiors models switch open list nested enter "
			    "branch loop body",
		.args = { { "graph", CMD_ARG_GRAPH, CMD_OPTIONAL,
				  "name or number, /PATH, or copy or "
				  "drop",
				  NULL },
			{ "name", CMD_ARG_GRAPH, CMD_OPTIONAL,
				"which graph to copy or drop", NULL },
			{ "as", CMD_ARG_WORD, CMD_OPTIONAL | CMD_KEYWORD,
				"name of the copy", NULL } },
		.examples = { { "graph base", "make base the current graph" },
			{ "graph copy base as exp", "copy it" } },
		.exec = graph_exec,
	},
	{
		.name = "input",
		.summary = "say what a placeholder gets",
		.help = "The value is a shape such as f32[1,3,224,224], where "
			"a name instead of a number is a symbol, an "
			"expression, or a file: .npy, .npz, .safetensors, "
			".csv, what torch.save wrote, or a picture, cut to "
			"the size of the input; the last two are read by your "
			"Python. A file alone gives what has the names of "
			"inputs. Shapes are propagated at once. Without "
			"arguments the inputs are listed.",
		.synonyms = "placeholder argument value feed",
		.needs = CMD_NEED_GRAPH,
		.args = { { "name", CMD_ARG_WORD, CMD_OPTIONAL,
				  "target or name of the placeholder; a file",
				  NULL },
			{ "=", CMD_ARG_REST, CMD_OPTIONAL | CMD_KEYWORD,
				"shape or value", NULL } },
		.examples = { { "input x = f32[1,8]", "its shape" },
			{ "input x = image(\"cat.png\", size=224)",
				"a picture, 0 to 1" },
			{ "input all.npz", "all that it has of the inputs" },
			{ "input", "list the inputs" } },
		.exec = input_exec,
	},
	{
		.name = "weights",
		.summary = "values for parameters: from a file, or made up",
		.help = "A graph without weights can be run then. What a "
			".safetensors file names gets its values, and so it is "
			"with a state_dict of torch.save, which your Python "
			"reads. Made up, biases and means are 0, variances and "
			"scales 1, the rest normal; what has some keeps them.",
		.synonyms = "parameters random initialise values state missing",
		.needs = CMD_NEED_GRAPH | CMD_NEED_WRITABLE,
		.args = { { "values", CMD_ARG_FILE, 0,
			"a .safetensors or .pth file, or random", NULL } },
		.flags = { { "seed", 0, CMD_ARG_INT,
				   "instead of the session's" },
			{ "dry-run", 'n', CMD_ARG_END, "change nothing" } },
		.examples = { { "weights random --seed 7", "always equal" } },
		.exec = cmd_weights_exec,
	},
	{
		.name = "seed",
		.summary = "show or set the seed of random numbers",
		.help = "Random operations and generated data start from this "
			"seed, so that runs are equal; so do the weights of a "
			"model that is traced after it.",
		.synonyms = "random reproducible generator",
		.args = { { "seed", CMD_ARG_INT, CMD_OPTIONAL, "the seed",
			NULL } },
		.examples = { { "seed 0", "start from 0" } },
		.exec = seed_exec,
	},
	{
		.name = "close",
		.summary = "close a graph",
		.help = "Closes the current graph or the one named. Edits that "
			"are not saved are asked about.",
		.synonyms = "drop leave",
		.args = { { "name", CMD_ARG_GRAPH, CMD_OPTIONAL, "which graph",
			NULL } },
		.examples = { { "close", "close the current graph" } },
		.exec = close_exec,
	},
	{
		.name = "quit",
		.aliases = "q exit",
		.summary = "leave fxdb",
		.help = "Leaves with the exit status given, else 0, or that of "
			"the first failure of a script.",
		.synonyms = "exit leave end stop",
		.needs = CMD_ASIDE,
		.args = { { "status", CMD_ARG_INT, CMD_OPTIONAL, "exit status",
			NULL } },
		.examples = { { "quit 3", "leave with status 3" } },
		.exec = quit_exec,
	},
	{ .name = NULL },
};
