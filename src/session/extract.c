/* extract.c - some nodes of a model as a model of their own. */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "ir/order.h"
#include "ir/part.h"
#include "run/datum.h"
#include "session/capture.h"
#include "session/position.h"
#include "session/session_private.h"

/* The nodes, sorted, as one part that stands alone. */
static FX_NODISCARD struct fx_error *
find_part(struct fx_partition *partition, struct fx_node *const *nodes,
	size_t count, const char *name)
{
	FX_AUTO_FREE struct fx_node **sorted =
		fx_xcalloc(count + 1, sizeof(*sorted));
	struct fx_error *err = NULL;

	fx_partition_add(partition, name);
	memcpy(sorted, nodes, count * sizeof(*nodes));
	qsort(sorted, count, sizeof(*sorted), fx_order_compare);
	for (size_t i = 0; i < count && !err; i++)
		err = fx_partition_give(partition, 0, sorted[i]);
	if (!err && !partition->parts.items[0].nodes.count)
		err = fx_error_new(FX_ERR_VALUE,
			"there is no operation in the set");
	if (!err)
		fx_partition_find(partition);
	return err;
}

/* What MODEL holds of NODE, or was given for it; borrowed, or NULL. */
static struct fx_datum *
held(const struct fx_model *model, const struct fx_node *node)
{
	struct fx_datum *datum = fx_position_value(model, node);

	for (size_t i = 0; i < model->inputs.count && !datum; i++)
		if (model->inputs.items[i].node == node->id)
			datum = model->inputs.items[i].datum;
	return datum;
}

/* The inputs of COPY have what MODEL holds of those of PART. */
static FX_NODISCARD struct fx_error *
give_inputs(struct fx_model *copy, const struct fx_model *model,
	const struct fx_part *part)
{
	struct fx_node *input = fx_graph_first(copy->graph);
	struct fx_error *err = NULL;

	for (size_t i = 0; i < part->inputs.count && !err; i++) {
		struct fx_datum *datum = held(model, part->inputs.items[i]);

		if (datum)
			err = fx_model_give_input(copy, input, model, datum);
		input = fx_graph_next(input);
	}
	return err;
}

struct fx_error *
fx_model_extract(struct fx_model *model, struct fx_node *const *nodes,
	size_t count, const struct fx_opening *as, struct fx_model **ret)
{
	struct fx_graph *graph = fx_position_graph(model);
	FX_AUTO_PARTITION struct fx_partition partition = { .graph = graph,
		.is_apart = true };
	FX_AUTO_FREE char *skipped = NULL;
	struct fx_session *session = model->session;
	struct fx_error *err = fx_session_need_room(session);
	struct fx_graph *copy;

	if (!err && fx_session_find_model(session, as->name))
		err = fx_error_new(FX_ERR_NAME_TAKEN,
			"there is a graph \"%s\" already", as->name);
	if (!err)
		err = find_part(&partition, nodes, count, as->name);
	/* The copy has no process to ask for them. */
	if (!err)
		err = fx_model_fetch_weights(model, &skipped);
	if (err)
		return err;
	copy = fx_graph_new(fx_session_serial(session));
	copy->class_name = graph->class_name;
	fx_part_build(&partition, &partition.parts.items[0], copy, NULL, false);
	*ret = fx_session_add_graph(session, copy, as->name, as->line);
	fx_model_descend(*ret, model);
	return give_inputs(*ret, model, &partition.parts.items[0]);
}
