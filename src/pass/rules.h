/* rules.h - a file of rules: Python functions that are read and never run.
 *
 *	import torch                       # imports mean nothing
 *
 *	def pattern(x):                    # where this stands ...
 *	    c = nn.Conv2d(x)
 *	    return nn.BatchNorm2d(c)
 *
 *	def replacement(x):                # ... comes this,
 *	    return F.conv2d(x, c.weight)
 *
 *	def where(x):                      # if this holds
 *	    return users(x) == 1           # or a text: "in layer2"
 *
 * Each `def pattern` begins a rule.
 */
#ifndef FX_PASS_RULES_H
#define FX_PASS_RULES_H

#include <stddef.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/vec.h"

struct fx_graph;
struct fx_pattern;
struct fx_replacement;

struct fx_rule {
	struct fx_pattern *pattern;
	struct fx_replacement *replacement; /* NULL: none */
	char *where;                        /* NULL: always */
};

struct fx_rules {
	FX_VEC(struct fx_rule) items;
};
void fx_rules_deinit(struct fx_rules *rules);
FX_DEFINE_DEINIT(rules, struct fx_rules, fx_rules_deinit);
#define FX_AUTO_RULES FX_AUTO(rules)

/* A rule as it is typed; REPLACEMENT and WHERE may be NULL. */
struct fx_rule_text {
	const char *pattern;
	const char *replacement;
	const char *where;
};

/* For whom rules are read: HOW as for patterns (ir/pattern.h), and the graph
 * that gets them.
 */
struct fx_rule_reader {
	unsigned how;
	const struct fx_graph *graph;
};

FX_NODISCARD struct fx_error *fx_rules_add(struct fx_rules *rules,
	const struct fx_rule_reader *reader, const struct fx_rule_text *text);
/* All rules of the file at PATH; errors name the line. */
FX_NODISCARD struct fx_error *fx_rules_load(struct fx_rules *rules,
	const struct fx_rule_reader *reader, const char *path);

#endif /* FX_PASS_RULES_H */
