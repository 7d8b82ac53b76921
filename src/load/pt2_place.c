/* pt2_place.c - where a node of a .pt2 archive came from: source lines,
 * modules.
 */
#include <config.h>

#include <limits.h>
#include <string.h>

#include "base/intern.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/str.h"
#include "ir/graph.h"
#include "load/pt2_private.h"

#define FRAME_LIMIT 1000
#define SCOPE_LIMIT 1000

/* The frame at TEXT, which is after 'File "'. */
static bool
read_frame(const char *text, struct fx_source_frame *ret)
{
	static const char line[] = "\", line ";
	static const char in[] = ", in ";
	size_t file = strcspn(text, "\"\n");
	const char *at = text + file;
	size_t digits;
	int64_t number;

	if (!fx_str_starts(at, line))
		return false;
	at += sizeof(line) - 1;
	digits = strspn(at, "0123456789");
	if (!fx_number_parse_int(at, digits, &number) || number > INT_MAX ||
		!fx_str_starts(at + digits, in))
		return false;
	at += digits + sizeof(in) - 1;
	*ret = (struct fx_source_frame){
		.file = fx_intern_n(text, file),
		.line = (int)number,
		.function = fx_intern_n(at, strcspn(at, "\n")),
	};
	at = fx_str_next_line(at);
	at += strspn(at, " \t");
	if (*at && *at != '\n' && !fx_str_starts(at, "File \""))
		ret->text = fx_intern_n(at, strcspn(at, "\n"));
	return true;
}

/* The frames of TRACE in the user's files, innermost first. */
static int64_t
make_source(struct fx_pt2_graph *g, const char *trace)
{
	struct fx_jsonl_section *s = fx_jsonl_section(g->r);
	struct fx_source_frame frames[FRAME_LIMIT];
	struct fx_source_frame frame;
	size_t begin = FRAME_LIMIT;

	while (begin > 0 && (trace = strstr(trace, "File \""))) {
		trace += strlen("File \"");
		if (read_frame(trace, &frame) && !strstr(frame.file, "/torch/"))
			frames[--begin] = frame;
	}
	if (begin == FRAME_LIMIT)
		return -1;
	fx_vec_push(&s->sources,
		fx_graph_source(s->graph, frames + begin, FRAME_LIMIT - begin));
	return (int64_t)s->sources.count - 1;
}

/* The end of one of three parts of an entry, at a comma, and of an entry, at a
 * semicolon: those outside brackets.
 */
static size_t
part_length(const char *text)
{
	size_t length = 0;
	int depth = 0;

	for (; text[length]; length++) {
		depth += text[length] == '(' || text[length] == '[';
		depth -= text[length] == ')' || text[length] == ']';
		if (depth <= 0 && (text[length] == ',' || text[length] == ';'))
			break;
	}
	return length;
}

/* "key,path,class;key,path,class", outermost first; Dynamo's L['self']. before
 * a path is left out.
 */
static int64_t
make_scope(struct fx_pt2_graph *g, const char *stack)
{
	static const char self[] = "L['self']";
	struct fx_jsonl_section *s = fx_jsonl_section(g->r);
	const struct fx_scope *scope = NULL;

	for (int depth = 0; *stack && depth < SCOPE_LIMIT; depth++) {
		FX_AUTO_FREE char *path = NULL;
		FX_AUTO_FREE char *class_name = NULL;
		const char *at;

		stack += part_length(stack);
		if (*stack != ',')
			break;
		path = fx_xstrndup(stack + 1, part_length(stack + 1));
		stack += 1 + strlen(path);
		if (*stack != ',')
			break;
		class_name = fx_xstrndup(stack + 1, part_length(stack + 1));
		stack += 1 + strlen(class_name);
		stack += *stack == ';';
		at = path;
		if (fx_str_starts(at, self))
			at += sizeof(self) - 1;
		at += *at == '.';
		if (*at && !fx_str_starts(at, "_empty_nn_module_stack") &&
			!fx_str_has_controls(at) &&
			!fx_str_has_controls(class_name))
			scope = fx_graph_scope(s->graph, scope, at, class_name);
	}
	if (!scope)
		return -1;
	fx_vec_push(&s->scopes, scope);
	return (int64_t)s->scopes.count - 1;
}

/* The number that MAKE gives for what METADATA has under KEY, kept in SEEN. */
static int64_t
find_number(struct fx_pt2_graph *g, const json_t *metadata, const char *key,
	struct fx_map *seen,
	int64_t (*make)(struct fx_pt2_graph *g, const char *text))
{
	const char *text = json_string_value(json_object_get(metadata, key));
	const char *interned = text ? fx_intern(text) : NULL;

	if (!interned)
		return -1;
	if (!fx_map_has(seen, (uintptr_t)interned))
		fx_map_set_pointer(seen, interned,
			(void *)(uintptr_t)(make(g, text) + 1));
	return (int64_t)fx_map_get(seen, (uintptr_t)interned, 0) - 1;
}

int64_t
fx_pt2_source(struct fx_pt2_graph *g, const json_t *metadata)
{
	return find_number(g, metadata, "stack_trace", &g->sources,
		make_source);
}

int64_t
fx_pt2_scope(struct fx_pt2_graph *g, const json_t *metadata)
{
	return find_number(g, metadata, "nn_module_stack", &g->scopes,
		make_scope);
}
