/**
 * A client of the CHP door. Whatever it is told is held against the published schemas: results and frames, events, proofs and
 * statements, and the form of every error.
 */
import { schemaErrors } from "./chp-schemas-for-tests.ts";

export type Json = Record<string, any>;

export interface ChpAsk {
  readonly body?: unknown;
  /** Default: the runner's. */
  readonly key?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface ChpSaid {
  readonly status: number;
  readonly type: string;
  readonly text: string;
  readonly json: Json;
}

export interface ChpFrame {
  readonly id: number;
  readonly event: string;
  readonly data: Json;
}

export interface ChpClient {
  get(path: string, order?: ChpAsk): Promise<ChpSaid>;
  post(path: string, body: unknown, order?: ChpAsk): Promise<ChpSaid>;
  /** The InvocationResult of a call that was processed. */
  invoke(capability: string, payload?: unknown, more?: Json): Promise<Json>;
  /** The types of a correlation's events, in order. */
  types(correlation: string): Promise<string[]>;
  events(correlation: string): Promise<Json[]>;
}

type Schema = readonly [path: RegExp, schema: string, parts: (json: Json) => readonly unknown[]];

/** What each address answers with, and which part of that a schema is for. */
const SCHEMAS: readonly Schema[] = [
  [/^\/host$/, "host-descriptor", (json) => [json]],
  [/^\/host$/, "capability-descriptor", (json) => json["capabilities"]],
  [/^\/capabilities$/, "capability-descriptor", (json) => json["capabilities"]],
  [/^\/capabilities\.json$/, "capabilities-txt", (json) => [json]],
  [/chp-identity$/, "chp-identity", (json) => [json]],
  [/^\/invoke$/, "invocation-result", (json) => [json]],
  [/^\/invoke$/, "denial-reason", ({ denial }) => (denial === null ? [] : [denial])],
  [/^\/replay/, "replay-result", (json) => [json]],
  [/^\/replay/, "evidence-event", (json) => json["events"]],
  [/^\/export\//, "evidence-bundle", (json) => [json]],
  [/^\/export\//, "evidence-event", (json) => json["events"]],
  [/^\/head\/inclusion\//, "store-head-inclusion", (json) => [json["proof"]]],
  [/^\/head\/consistency/, "store-head-consistency", (json) => [json]],
  [/^\/witnesses$/, "chain-witness", (json) => json["witnesses"]],
  [/^\/anchors$/, "store-head-anchor", (json) => json["anchors"] ?? []],
  [/^\/revocations$/, "mandate-revocation", (json) => json["mandates"] ?? []],
  [/^\/approvals\//, "chp-approval-grant", ({ grant }) => (grant === undefined ? [] : [grant])],
];

const hold = (path: string, schema: string, part: unknown): void => {
  const errors = schemaErrors(schema, part);
  if (errors.length > 0) throw new Error(`${path} is no ${schema}: ${errors.join("; ")} in ${JSON.stringify(part)}`);
};

/** Throws unless this answer of the door, at this path below the mount, is as the schemas have it. */
export const holdToSchemas = (path: string, { status, type, text, json }: ChpSaid): void => {
  if (type === "text/event-stream") {
    for (const { event, data } of framesOf(text)) if (event === "result") hold(path, "invocation-result", data);
    return;
  }
  if (type !== "application/json") return;
  if (status !== 200) {
    const { code, message } = (json["error"] ?? {}) as Json;
    if (typeof code !== "string" || typeof message !== "string") throw new Error(`${path}: no error in ${text}`);
    return;
  }
  for (const [pattern, schema, parts] of SCHEMAS) {
    if (pattern.test(path)) for (const part of parts(json)) hold(path, schema, part);
  }
};

/** The frames of a stream, in order; comments are left out. */
export const framesOf = (text: string): readonly ChpFrame[] =>
  [...text.matchAll(/^id: (\d+)\nevent: (\w+)\ndata: (.*)$/gm)].map(([, id, event = "", data = ""]) => ({
    id: Number(id),
    event,
    data: JSON.parse(data) as Json,
  }));

/** `key`: of whoever asks, where the order names nobody else. */
export const createChpClient = (base: string, usual = "k"): ChpClient => {
  const ask = async (method: string, path: string, { body, key = usual, headers = {} }: ChpAsk): Promise<ChpSaid> => {
    const res = await fetch(base + path, {
      method,
      headers: { ...(key === null ? {} : { "x-chp-key": key }), "content-type": "application/json", ...headers },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await res.text();
    const type = res.headers.get("content-type") ?? "";
    const json = type === "application/json" ? (JSON.parse(text) as Json) : {};
    const said = { status: res.status, type, text, json };
    holdToSchemas(path, said);
    return said;
  };
  const events = async (correlation: string): Promise<Json[]> =>
    (await ask("GET", `/replay/${encodeURIComponent(correlation)}`, {})).json["events"] as Json[];
  return {
    get: (path, order = {}) => ask("GET", path, order),
    post: (path, body, order = {}) => ask("POST", path, { ...order, body }),
    invoke: async (capability_id, payload = {}, more = {}) => {
      const said = await ask("POST", "/invoke", { body: { capability_id, payload, ...more } });
      if (said.status !== 200) throw new Error(`HTTP ${said.status}: ${said.text}`);
      return said.json;
    },
    events,
    types: async (correlation) => (await events(correlation)).map((event) => String(event["event_type"])),
  };
};
