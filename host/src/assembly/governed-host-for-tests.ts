/**
 * A whole host with one bundle, `ops`, that writes down whatever it does, a key for an agent, and every door behind one face,
 * so that the same can be asked at each.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { holdToSchemas } from "../kernel/chp-client-for-tests.ts";
import { JSON_HEADERS, knock, modern, openSession, type Said } from "../transport/client-for-tests.ts";
import { makePlace, type EvidenceSeen, type Place, type WholeHost } from "./whole-host-for-tests.ts";

const SERVER = fileURLToPath(new URL("../../test/fixtures/governed-server.mjs", import.meta.url));

type Json = Record<string, any>;

export interface Verdict {
  /** The kind of the refusal; null: it ran. */
  readonly refused: string | null;
  readonly rule: string | null;
  readonly next: string;
  /** Of HTTP; 200 where there is none. */
  readonly status: number;
  /** All that the door said. */
  readonly text: string;
  readonly evidenceId: string | null;
}

export interface GovernedDoor {
  readonly name: string;
  readonly call: (tool: string, args?: object) => Promise<Verdict>;
}

export interface Event extends EvidenceSeen {
  readonly event_id: string;
  readonly invocation_id: string;
  readonly capability_id: string;
  readonly outcome: string | null;
  readonly subject: Json | null;
  readonly error: Json | null;
  readonly denial: Json | null;
  readonly correlation: { readonly correlation_id: string };
}

export interface GovernedPlace extends Place {
  /** What the bundle did, oldest first. */
  effects(): readonly string[];
  events(): readonly Event[];
}

/** `tools` of the bundle, `settings` of the configuration. */
export const makeGovernedPlace = (tools: readonly string[], settings: object, secret = ""): GovernedPlace => {
  const place = makePlace();
  const file = join(place.dir, "effects");
  writeFileSync(file, "");
  const env = { GOVERNED_EFFECTS: file, GOVERNED_TOOLS: tools.join(","), GOVERNED_SECRET: secret };
  const server = { type: "node", entry_point: "server.mjs", mcp_config: { command: "node", args: [SERVER], env } };
  const path = place.bundle("ops", { server });
  place.configure({ bundles: [{ path }], approvals: { waitSeconds: 0 }, ...settings });
  return {
    ...place,
    effects: () => readFileSync(file, "utf8").split("\n").filter(Boolean),
    events: () => place.evidence() as readonly Event[],
  };
};

export interface Governed {
  readonly place: GovernedPlace;
  readonly host: WholeHost;
  /** The secret of `agent:planner for person:owner`. */
  readonly agent: string;
  readonly doors: readonly GovernedDoor[];
}

export const startGoverned = async (place: GovernedPlace): Promise<Governed> => {
  const host = await place.start();
  await host.until("ops", "running");
  const { secret: agent } = await host.keys.create({ name: "planner" });
  return { place, host, agent, doors: await openDoors(host, agent) };
};

/** As the agent, whichever way. */
const openDoors = async (host: WholeHost, key: string): Promise<readonly GovernedDoor[]> => {
  const { origin } = host;
  const headers = { ...JSON_HEADERS, authorization: `Bearer ${key}` };
  const post = (path: string, body: object): Promise<Said> => knock(origin, { path, headers, body });
  const session = await openSession(origin, "2025-11-25", "/mcp", key);
  const own = await openSession(origin, "2025-11-25", "/mcp/providers/ops", key);
  return [
    {
      name: "MCP legacy",
      call: async (name, args = {}) => ofMcp(await session.call("tools/call", { name, arguments: args })),
    },
    {
      name: "MCP modern",
      call: async (name, args = {}) =>
        ofMcp(await knock(origin, modern("tools/call", { name, arguments: args }, headers))),
    },
    {
      name: "MCP of the provider",
      call: async (tool, args = {}) =>
        ofMcp(await own.call("tools/call", { name: tool.replace(/^ops__/, ""), arguments: args })),
    },
    {
      name: "REST",
      call: async (name, args = {}) => ofRest(await post("/v1/tools/call", { name, arguments: args })),
    },
    {
      name: "CHP",
      call: async (capability_id, payload = {}) => ofChp(await post("/chp/invoke", { capability_id, payload })),
    },
    { name: "program", call: (name, args = {}) => fromProgram(host, name, args) },
  ];
};

const verdict = (status: number, text: string, evidenceId: unknown, refusal: Json | undefined): Verdict => ({
  refused: (refusal?.["kind"] as string | undefined) ?? null,
  rule: (refusal?.["details"]?.["matched_rule"] as string | undefined) ?? null,
  next: (refusal?.["next"] as string | undefined) ?? "",
  status,
  text,
  evidenceId: ((refusal?.["evidence_id"] ?? evidenceId) as string | undefined) ?? null,
});

/** Of a tool, a resource or a prompt. */
export const ofMcp = ({ status, text, json }: Said): Verdict => {
  const { result, error } = (Array.isArray(json) ? json.at(-1) : json) as Json;
  const meta = (result?._meta ?? {}) as Json;
  return verdict(status, text, meta["dev.bailiwick/evidence"], meta["dev.bailiwick/refusal"] ?? error?.data);
};

const ofRest = ({ status, text, json }: Said): Verdict =>
  verdict(status, text, json._meta?.["dev.bailiwick/evidence"], status === 200 ? undefined : json.data);

const ofChp = ({ status, headers, text, json }: Said): Verdict => {
  holdToSchemas("/invoke", { status, type: headers["content-type"] ?? "", text, json });
  const said = (json.denial ?? json.error) as Json | null;
  const details = said?.["details"] as Json | undefined;
  return verdict(status, text, json.evidence_ids?.at(-1), details && { ...details, details });
};

const fromProgram = async (host: WholeHost, name: string, args: object): Promise<Verdict> => {
  const { ending, evidenceId } = await host.call(name, { ...args }, { principal: "agent:planner" });
  if (ending.kind !== "refusal") return verdict(200, JSON.stringify(ending), evidenceId, undefined);
  const { kind, message, next, details } = ending.refusal;
  return verdict(200, message, evidenceId, { kind, next, details });
};
