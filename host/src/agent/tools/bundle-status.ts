/**
 * `nb__bundle_status`: how the bundles of the workspace are, those that were refused included. What a server said when it failed
 * is for those who may manage bundles.
 */
import type { BuiltInTool } from "../../kernel/built-in.ts";
import type { BundleSeen } from "../../kernel/bundle-admin.ts";
import { covers } from "../../kernel/covers.ts";
import type { Principal } from "../../kernel/principal.ts";
import { oneLine } from "../prompt/one-line.ts";
import type { SystemToolPorts } from "./system-tool-ports.ts";
import { answer, unknownName } from "./tool-answers.ts";
import { integer, list, object, orNull, text } from "./tool-schemas.ts";

const LINE = 400;

const bundleHealth = object(
  {
    name: text("Its tools are named <name>__<tool>"),
    state: text("running, starting, crashed, dead, stopped or refused"),
    health: text("ok, degraded or down"),
    since: integer("When it entered that state, in ms since 1970"),
    uptimeMs: { type: "number", description: "For how long it has been up", minimum: 0 },
    restartsInWindow: integer("How often it was started again lately", { minimum: 0 }),
    toolCount: integer("How many tools it has", { minimum: 0 }),
    heldTools: integer("How many of them wait for a person's acceptance", { minimum: 0 }),
    version: orNull("string", "Of its package"),
    trustScore: orNull("number", "0 to 100, or null for none"),
    lastExit: text("How its process ended last"),
    lastError: text("What went wrong last"),
    reason: text("Why it is not running"),
    next: text("What a person does about it"),
    refusal: object({ code: text("Of the refusal"), message: text("Why it was not let in") }, ["code"]),
  },
  [
    "name",
    "state",
    "health",
    "since",
    "uptimeMs",
    "restartsInWindow",
    "toolCount",
    "heldTools",
    "version",
    "trustScore",
  ],
);

export const bundleStatusTool = (ports: SystemToolPorts): BuiltInTool => ({
  definition: {
    name: "bundle_status",
    title: "Look at the bundles",
    description:
      "Tells which bundles are installed in this workspace and how each of them is: its state, its health, how many tools it has, " +
      "and why it is not running. Use it when a tool is not ready or missing.",
    inputSchema: object({ name: text("Of one bundle; absent: all of them", { minLength: 1, maxLength: 214 }) }),
    outputSchema: object({ bundles: list("By name", bundleHealth) }, ["bundles"]),
    annotations: { readOnlyHint: true, openWorldHint: false },
  },
  run: async (args, call) => {
    const { name } = args as { readonly name?: string };
    const { caller } = call.facts();
    const seen = bundlesFor(caller, ports).toSorted((a, b) => (a.name < b.name ? -1 : 1));
    const asked = name === undefined ? seen : seen.filter((each) => each.name === name || each.bundleName === name);
    if (name !== undefined && asked.length === 0) {
      const known = seen.map((each) => each.name);
      throw unknownName("bundle", name, known);
    }
    const steers = covers(caller.permissions, "bundles:manage");
    return answer({ bundles: asked.map((each) => describeHealth(each, steers)) });
  },
});

/** A key knows of those of which it may name something; one that is switched off is no provider. */
export const bundlesFor = (
  caller: Principal,
  { bundles, providers }: Pick<SystemToolPorts, "bundles" | "providers">,
): readonly BundleSeen[] => {
  const all = bundles.list(caller.workspace);
  if (caller.scopes === null) return all;
  const names = new Set(providers(caller).map(({ name }) => name));
  return all.filter(({ name }) => names.has(name));
};

const describeHealth = (bundle: BundleSeen, steers: boolean): object => {
  const { lastExit, lastError, reason, next, refusal } = bundle;
  return {
    name: bundle.name,
    state: bundle.status,
    health: bundle.health,
    since: Math.round(bundle.since),
    uptimeMs: Math.max(0, bundle.uptimeMs),
    restartsInWindow: bundle.restartsInWindow,
    toolCount: bundle.toolCount,
    heldTools: bundle.heldTools,
    version: bundle.version,
    trustScore: bundle.trustScore,
    ...(steers ? told({ lastExit, lastError, reason, next }) : {}),
    ...(refusal === undefined
      ? {}
      : { refusal: { code: refusal.code, ...(steers ? told({ message: refusal.message }) : {}) } }),
  };
};

const told = (texts: Readonly<Record<string, string | null | undefined>>): object =>
  Object.fromEntries(
    Object.entries(texts).flatMap(([key, said]) => (said == null ? [] : [[key, oneLine(said, LINE)] as const])),
  );
