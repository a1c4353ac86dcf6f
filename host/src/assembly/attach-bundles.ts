/** The bundles of a host in another process. */
import type {
  BundleDetail,
  BundleSearch,
  BundleSeen,
  InstallProgress,
  Reloaded,
  Uninstalled,
} from "../kernel/bundle-admin.ts";
import { parseObject, type Ask, type HostQuestion } from "./ask-host.ts";
import type { Accepted, BundleControl, BundleState, Configured } from "./host.ts";

export const attachBundles = (ask: Ask): BundleControl => {
  const appPath = (name: string, what = ""): string => `/v1/apps/${encodeURIComponent(name)}${what}`;
  const post = (path: string, body?: object): HostQuestion => ({ method: "POST", path, ...(body && { body }) });
  const get = (path: string): HostQuestion => ({ method: "GET", path });
  const change = (what: string) => (name: string) => ask<BundleState>(post(appPath(name, what)), "name", "status");
  return {
    start: change("/start"),
    stop: change("/stop"),
    restart: change("/restart"),
    list: async () => (await ask<{ apps: readonly BundleSeen[] }>(get("/v1/apps"), "apps")).apps,
    inspect: (name) => ask<BundleDetail>(get(appPath(name)), "name", "status", "tools", "held"),
    logs: async (name) => (await ask<{ lines: readonly string[] }>(get(appPath(name, "/logs")), "lines")).lines,
    install: (entry, onProgress) =>
      ask<BundleSeen>(
        { ...post("/v1/apps/install", entry), ...(onProgress && { onEvent: progressTo(onProgress) }) },
        "name",
        "status",
      ),
    uninstall: (name) => ask<Uninstalled>({ method: "DELETE", path: appPath(name) }, "name", "dataPath"),
    accept: (name, yes) => ask<Accepted>(post(appPath(name, "/accept"), yes), "name", "accepted"),
    configure: (name, values) => ask<Configured>(post(appPath(name, "/configure"), { values }), "name", "stored"),
    search: (query, limit) =>
      ask<BundleSearch>(get(`/v1/bundles/search?q=${encodeURIComponent(query)}&limit=${limit}`), "bundles"),
    reload: () => ask<Reloaded>(post("/v1/reload"), "added", "removed", "changed"),
  };
};

const progressTo =
  (onProgress: (progress: InstallProgress) => void): NonNullable<HostQuestion["onEvent"]> =>
  (type, data) => {
    const progress = type === "progress" ? parseObject(data) : null;
    if (typeof progress?.["message"] === "string") onProgress(progress as unknown as InstallProgress);
  };
