/** The bundles of one workspace, steered by one who is known beforehand. */
import type { Asking, BundleAdmin } from "../kernel/bundle-admin.ts";
import type { BundleControl } from "./host.ts";

export const controlBundles = (bundles: BundleAdmin, asking: Asking): BundleControl => ({
  start: (name) => bundles.change("start", name, asking),
  stop: (name) => bundles.change("stop", name, asking),
  restart: (name) => bundles.change("restart", name, asking),
  list: async () => bundles.list(asking.workspace),
  inspect: (name) => bundles.inspect(asking.workspace, name),
  logs: async (name) => bundles.logs(asking.workspace, name),
  install: (entry, onProgress = () => {}) => bundles.install(entry, asking, onProgress),
  uninstall: (name) => bundles.uninstall(name, asking),
  accept: (name, yes) => bundles.accept(name, yes, asking),
  configure: (name, values) => bundles.configure(name, values, asking),
  search: (query, limit) => bundles.search(query, { limit, workspace: asking.workspace }),
  reload: () => bundles.reload(asking),
});
