/** Stand-ins for what lies behind the routes of bundles and events; they write down what they are asked. */
import type { BundleAdmin, BundleDetail, BundleSeen, HeldDefinition } from "../kernel/bundle-admin.ts";
import { Refusal } from "../kernel/refusal.ts";
import type { NumberedEvent, WorkspaceEvents } from "../kernel/workspace-event.ts";

const seen = (name: string, more: Partial<BundleSeen>): BundleSeen => ({
  name,
  bundleName: `@t/${name}`,
  version: "1.0.0",
  source: "path",
  status: "running",
  health: "ok",
  since: 0,
  uptimeMs: 0,
  restartsInWindow: 0,
  lastExit: null,
  lastError: `secret of ${name}`,
  toolCount: 1,
  heldTools: 0,
  trustScore: null,
  protected: false,
  ui: null,
  placements: [],
  sandbox: null,
  warnings: [`secret of ${name}`],
  ...more,
});

const HELD: HeldDefinition = {
  tool: "t",
  reason: "definition_changed",
  accepted: "sha256:a",
  offered: "sha256:b",
  before: { description: "old" },
  after: { description: "secret of p" },
};

const ROWS = [
  seen("p", { ui: { name: "P", icon: "x", primaryView: { resourceUri: "ui://p/main" } } }),
  seen("q", {
    status: "refused",
    health: "down",
    reason: "secret of q",
    next: "secret of q",
    lastExit: "secret of q",
    refusal: { code: "install_refused", message: "secret of q", data: { inside: "secret of q" } },
  }),
];

const DETAIL: BundleDetail = {
  ...ROWS[0]!,
  origin: null,
  digest: null,
  certificationLevel: null,
  extensions: [],
  dataPath: "/secret of p",
  tools: [{ name: "t", held: "definition_changed" }],
  userConfig: [{ key: "k", title: "secret of p", required: true, sensitive: true, isSet: false }],
  held: [HELD],
};

const no = (kind: "already_installed" | "install_refused" | "protected", details = {}): Refusal =>
  new Refusal(kind, { message: `No: ${kind}.`, next: "Do otherwise.", details });

/** Bundles `p` and `q`, of which only `p` can be steered and does as it is told. Installs by name do what the name says. */
export const standInBundles = (asked: string[]): BundleAdmin => {
  const check = (name: string): void => {
    if (name !== "p") throw new Refusal("not_found", { message: "No such bundle.", next: 'Did you mean "p"?' });
  };
  const told = (what: string, by: string): void => void asked.push(`${what} by ${by}`);
  return {
    list: () => ROWS,
    inspect: async (_, name) => {
      check(name);
      return DETAIL;
    },
    logs: (_, name) => {
      check(name);
      return ["a line"];
    },
    change: async (change, name, { by }) => {
      check(name);
      told(`${change} ${name}`, by);
      return { name, status: change === "stop" ? "stopped" : "starting" };
    },
    install: async (entry, { by, workspace }, onProgress) => {
      told(`install ${JSON.stringify(entry)} in ${workspace}`, by);
      const what = entry["name"];
      if (what === "taken") throw no("already_installed");
      for (let bytes = 0; bytes <= 2; bytes++) onProgress({ message: "Downloading", bytes, total: 2 });
      onProgress({ message: "Starting" });
      if (what === "refused") throw no("install_refused", { reason: "capability-unavailable", missing: ["x/y"] });
      if (what === "bug") throw new Error("secret inside");
      return ROWS[0]!;
    },
    uninstall: async (name, { by }) => {
      if (name === "q") throw no("protected");
      check(name);
      told(`uninstall ${name}`, by);
      return { name, uninstalled: true, dataPreserved: true, dataPath: "/data/p" };
    },
    accept: async (name, yes, { by }) => {
      check(name);
      told(`accept ${name} ${JSON.stringify(yes)}`, by);
      return { name, accepted: [HELD] };
    },
    configure: async (name, values, { by }) => {
      check(name);
      told(`configure ${name} ${JSON.stringify(values)}`, by);
      return { name, stored: Object.keys(values), status: "starting" };
    },
    search: async (query, { limit, workspace }) => {
      told(`search ${query} ${limit}`, workspace);
      return { bundles: [], unreachable: [] };
    },
    reload: async ({ by }) => {
      told("reload", by);
      return { added: [], removed: [], changed: ["p"], needRestart: [], warnings: [] };
    },
    turnedAway: (wanted, { kind }, { by }) => told(`no ${wanted}: ${kind}`, by),
  };
};

export interface StandInEvents extends WorkspaceEvents {
  followers(): number;
}

const RING = 5;

/** Keeps the last five of each workspace. */
export const standInEvents = (): StandInEvents => {
  const rings = new Map<string, { last: number; kept: NumberedEvent[]; hear: Set<(event: NumberedEvent) => void> }>();
  const ringOf = (workspace: string) => {
    const known = rings.get(workspace) ?? { last: 0, kept: [], hear: new Set<(event: NumberedEvent) => void>() };
    rings.set(workspace, known);
    return known;
  };
  return {
    publish: (workspace, event) => {
      const ring = ringOf(workspace);
      const numbered = { ...event, id: ++ring.last };
      ring.kept = [...ring.kept, numbered].slice(-RING);
      for (const hear of ring.hear) hear(numbered);
    },
    follow: (workspace, after, hear) => {
      const ring = ringOf(workspace);
      if (after !== null) for (const event of ring.kept) if (event.id > after) hear(event);
      ring.hear.add(hear);
      const gap = after !== null && (ring.kept[0]?.id ?? 1) > after + 1;
      return { gap, end: () => void ring.hear.delete(hear) };
    },
    followers: () => [...rings.values()].reduce((sum, { hear }) => sum + hear.size, 0),
  };
};
