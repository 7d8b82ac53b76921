/* module_gc.c - letting go of modules and storages that nothing reaches.
 *
 * Reachable is what hangs from the module tree and from the entries of the
 * journal; replaced modules and tensors go once the journal has forgotten
 * them.
 */
#include <config.h>

#include "base/map.h"
#include "ir/graph_private.h"
#include "ir/journal_private.h"
#include "ir/module.h"

struct reach {
	struct fx_map modules;
	struct fx_map storages;
};

static void
reach_tensor(struct reach *reach, const struct fx_tensor *tensor)
{
	if (tensor && tensor->storage)
		fx_map_set(&reach->storages, (uintptr_t)tensor->storage, 1);
}

static void
reach_module(struct reach *reach, struct fx_module *root)
{
	struct fx_module_walk *walk;
	struct fx_module *module;
	const char *path;

	if (!root || fx_map_has(&reach->modules, (uintptr_t)root))
		return;
	walk = fx_module_walk_new(root, true);
	while (fx_module_walk_next(walk, &module, &path)) {
		fx_map_set(&reach->modules, (uintptr_t)module, 1);
		for (size_t i = 0; i < module->member_count; i++)
			reach_tensor(reach, module->members[i].tensor);
	}
	fx_module_walk_free(walk);
}

static void
reach_entry(struct reach *reach, const struct fx_entry *entry)
{
	if (entry->kind != FX_EDIT_MEMBER)
		return;
	reach_module(reach, entry->member.module);
	if (!entry->member.is_present)
		return;
	reach_module(reach, entry->member.member.child);
	reach_tensor(reach, entry->member.member.tensor);
}

static void
drop_modules(struct fx_graph_private *p, const struct reach *reach)
{
	size_t kept = 0;

	for (size_t i = 0; i < p->modules.count; i++) {
		struct fx_module *module = p->modules.items[i];

		if (fx_map_has(&reach->modules, (uintptr_t)module))
			p->modules.items[kept++] = module;
		else
			fx_module_free(module);
	}
	p->modules.count = kept;
}

/* Each tensor holds its storage once; one reference for each is enough. */
static void
drop_storages(struct fx_graph_private *p, struct reach *reach)
{
	size_t kept = 0;

	for (size_t i = 0; i < p->storages.count; i++) {
		struct fx_storage *storage = p->storages.items[i];

		if (fx_map_erase(&reach->storages, (uintptr_t)storage))
			p->storages.items[kept++] = storage;
		else
			fx_storage_unref(storage);
	}
	p->storages.count = kept;
}

void
fx_graph_collect_modules(struct fx_graph *graph)
{
	const struct fx_journal *journal = graph->journal;
	struct reach reach = { .modules = { 0 } };

	reach_module(&reach, graph->module);
	for (size_t i = 0; i < journal->records.count; i++) {
		const struct fx_record *record = &journal->records.items[i];

		for (size_t k = 0; k < record->entries.count; k++)
			reach_entry(&reach, &record->entries.items[k]);
	}
	drop_modules(graph->private_, &reach);
	drop_storages(graph->private_, &reach);
	fx_map_deinit(&reach.modules);
	fx_map_deinit(&reach.storages);
}
