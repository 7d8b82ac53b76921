/* decided.c - what the run that a graph was recorded of decided. */
#include <config.h>

#include "ir/decided.h"

#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/str.h"
#include "ir/graph_private.h"

static const char *
keep(struct fx_graph *graph, const char *text)
{
	return text ? fx_arena_strndup(graph->permanent, text, strlen(text))
		    : NULL;
}

struct fx_decided *
fx_graph_add_decided(struct fx_graph *graph, const struct fx_decided *what)
{
	struct fx_graph_private *p = graph->private_;
	struct fx_decided *decided =
		FX_ARENA_NEW(graph->permanent, struct fx_decided);

	*decided = (struct fx_decided){ .file = keep(graph, what->file),
		.line = what->line,
		.value = keep(graph, what->value),
		.text = keep(graph, what->text) };
	if (p->last_decided)
		p->last_decided->next = decided;
	else
		p->decided = decided;
	p->last_decided = decided;
	return decided;
}

const struct fx_decided *
fx_graph_decided(const struct fx_graph *graph)
{
	return graph->private_->decided;
}

size_t
fx_graph_decided_count(const struct fx_graph *graph)
{
	size_t count = 0;

	for (const struct fx_decided *at = fx_graph_decided(graph); at;
		at = at->next)
		count++;
	return count;
}

/* How long the name is that follows the % at TEXT. */
static size_t
name_length(const char *text)
{
	return strspn(text + 1, "abcdefghijklmnopqrstuvwxyz"
				"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
}

static uint64_t
id_of(const struct fx_graph *graph, const char *name)
{
	const struct fx_node *node = name ? fx_graph_find(graph, name) : NULL;

	return node ? node->id : 0;
}

static void
find_mentions(struct fx_graph *graph, struct fx_decided_test *test)
{
	const char *text = test->expression;
	size_t most = 0;

	for (const char *at = text; (at = strchr(at, '%')); at++)
		most++;
	test->mentions =
		FX_ARENA_ARRAY(graph->permanent, struct fx_mention, most);
	for (const char *at = text; (at = strchr(at, '%'));) {
		size_t length = name_length(at);
		FX_AUTO_FREE char *name = fx_xstrndup(at + 1, length);

		/* Else it is the operator. */
		if (length)
			test->mentions[test->mention_count++] =
				(struct fx_mention){ (size_t)(at - text),
					length + 1, id_of(graph, name) };
		at += length + 1;
	}
}

void
fx_decided_add_test(struct fx_graph *graph, struct fx_decided *decided,
	const char *expression, const char *value, const char *after)
{
	struct fx_decided_test *test =
		FX_ARENA_NEW(graph->permanent, struct fx_decided_test);

	*test = (struct fx_decided_test){ .expression = keep(graph, expression),
		.value = keep(graph, value),
		.after = id_of(graph, after) };
	find_mentions(graph, test);
	if (decided->last_test)
		decided->last_test->next = test;
	else
		decided->tests = test;
	decided->last_test = test;
}

bool
fx_decided_print(struct fx_buf *out, const struct fx_decided_test *test,
	const struct fx_graph *graph)
{
	const char *said = test->expression;
	size_t done = 0;

	for (size_t i = 0; i < test->mention_count; i++) {
		const struct fx_mention *mention = &test->mentions[i];
		const struct fx_node *node =
			fx_graph_find_id(graph, mention->node);

		if (!node)
			return false;
		fx_buf_add_n(out, said + done, mention->at - done);
		fx_buf_addf(out, "%%%s", node->name);
		done = mention->at + mention->length;
	}
	fx_buf_add(out, said + done);
	return true;
}

void
fx_graph_copy_decided(struct fx_graph *copy, const struct fx_graph *graph)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };
	const struct fx_decided *at;

	for (at = fx_graph_decided(graph); at; at = at->next) {
		struct fx_decided *mine = fx_graph_add_decided(copy, at);

		for (const struct fx_decided_test *test = at->tests; test;
			test = test->next) {
			const struct fx_node *after =
				fx_graph_find_id(graph, test->after);

			fx_buf_clear(&text);
			if (fx_decided_print(&text, test, graph))
				fx_decided_add_test(copy, mine,
					fx_buf_text(&text), test->value,
					after ? after->name : NULL);
		}
	}
}
