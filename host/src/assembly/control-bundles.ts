/** Bundles as people steer them. Who asked for what is durable before it is done; where that cannot be recorded, nothing is. */
import type { BundleHealth } from "../bundles/bundle-health.ts";
import type { Bundles } from "../bundles/create-bundles.ts";
import type { BundleControl, BundleRow, BundleState } from "./host.ts";
import type { HostEvents } from "./record-host-events.ts";

export interface RecordedBundles {
  change(change: "start" | "stop" | "restart", name: string, by: string): Promise<BundleState>;
  list(): readonly BundleRow[];
  logs(name: string): readonly string[];
}

export const recordBundles = (bundles: Bundles, events: HostEvents): RecordedBundles => ({
  async change(change, name, by) {
    // Throws for an unknown one, so that only what exists is recorded.
    bundles.statusOf(name);
    await events.bundleAsked(change, name, by);
    if (change === "start") bundles.startOne(name);
    else if (change === "stop") await bundles.stopOne(name);
    else await bundles.restartOne(name);
    return { name, status: bundles.statusOf(name).state };
  },
  list: () => bundles.status().map(rowOf),
  logs: (name) => bundles.output(name),
});

const rowOf = ({ state, reason, next, ...health }: BundleHealth): BundleRow => ({
  ...health,
  status: state,
  ...(reason === null ? {} : { reason }),
  ...(next === null ? {} : { next }),
});

/** The same for one who is known beforehand. */
export const controlBundles = (bundles: RecordedBundles, by: string): BundleControl => ({
  start: (name) => bundles.change("start", name, by),
  stop: (name) => bundles.change("stop", name, by),
  restart: (name) => bundles.change("restart", name, by),
  list: async () => bundles.list(),
  logs: async (name) => bundles.logs(name),
});
