/**
 * The CHP door on a free port, in front of a stand-in for the call path. Every answer that a published schema describes is
 * held against that schema, whatever a test asks for.
 */
import type { Answer, HandleCall, RawCall } from "../../kernel/call.ts";
import { schemaErrors } from "../../kernel/chp-schemas-for-tests.ts";
import { rawJson } from "../../kernel/raw-json.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { REFUSALS, type RefusalKind } from "../../kernel/refusals.ts";
import { knock, type Knock, type Said } from "../client-for-tests.ts";
import { openTestDoor, OWNER, type TestDoor, type TestDoorOptions } from "../door-for-tests.ts";

export const CHP_HEADERS = { "x-chp-key": OWNER, "content-type": "application/json" };
const PIECES = ['"s1"', '{"n":\n2}', '"s3"'].map(rawJson);

/** Which schema a path's answer has; the longest that fits. */
const SCHEMAS: readonly (readonly [path: string, schema: string])[] = [
  ["/host", "host-descriptor"],
  ["/invoke", "invocation-result"],
  ["/replay", "replay-result"],
  ["/capabilities.json", "capabilities-txt"],
];

const recordOf = ({ envelope, name }: RawCall): NonNullable<Answer["record"]> => ({
  invocationId: envelope?.invocationId ?? "inv_made",
  correlation: {
    id: envelope?.correlationId ?? "corr_made",
    causationId: null,
    parentId: null,
    traceId: null,
    fresh: false,
  },
  capabilityId: name,
  capabilityVersion: "1.0.0",
  evidenceIds: ["evt_1", "evt_2"],
  startedAt: 0,
  completedAt: 1,
});

const answered = (raw: RawCall, more: Partial<Answer> = {}): Answer => ({
  ending: { kind: "result", json: rawJson(`{"args":${raw.argsJson ?? "{}"}}`), isError: false },
  outcome: "success",
  principal: null,
  evidenceId: "evt_2",
  tool: raw.name,
  record: recordOf(raw),
  ...more,
});

const refusedBy = (
  raw: RawCall,
  kind: RefusalKind,
  { stage, recorded }: { stage: number; recorded: boolean },
): Answer => {
  const refusal = new Refusal(kind, { message: "No.", next: "Do this.", retryAfterMs: 1500 });
  const { outcome } = REFUSALS[kind];
  const { record, ...rest } = answered(raw, { ending: { kind: "refusal", refusal, stage }, outcome });
  return recorded && record !== undefined ? { ...rest, record } : rest;
};

const streamed = (raw: RawCall, kept: boolean): Answer => {
  const chunks = { count: PIECES.length, digest: "", kept: kept ? PIECES : null };
  return answered(raw, { ending: { kind: "result", json: rawJson("{}"), isError: false, chunks } });
};

/** `refuse:<kind>` is recorded, `lose:<kind>` could not be, `stop:<kind>` never reached the call path. */
const behave: HandleCall = async (raw) => {
  const [word, kind] = raw.name.split(":") as [string, RefusalKind];
  if (word === "bug") throw new Error("secret inside");
  if (word === "refuse") return refusedBy(raw, kind, { stage: 6, recorded: true });
  if (word === "lose") return refusedBy(raw, kind, { stage: 6, recorded: false });
  if (word === "stop") return refusedBy(raw, kind, { stage: 1, recorded: false });
  if (word === "again") return { ...streamed(raw, true), replayed: true };
  if (word === "lost") return { ...streamed(raw, false), replayed: true };
  if (word === "stream") {
    for (const piece of PIECES) raw.listener.chunk?.(piece);
    return streamed(raw, true);
  }
  if (word === "wait") {
    raw.listener.chunk?.(rawJson('"begun"'));
    await new Promise<void>((resolve) => raw.signal.addEventListener("abort", () => resolve(), { once: true }));
  }
  return answered(raw);
};

export interface ChpTestDoor extends TestDoor {
  /** Below the mount, with the owner's key unless headers are given. */
  readonly ask: (path: string, order?: Knock) => Promise<Said>;
  readonly invoke: (body: object, headers?: Record<string, string>) => Promise<Said>;
}

const check = (path: string, { status, text, headers }: Said): void => {
  if (status !== 200 || headers["content-type"] !== "application/json") return;
  const schema = SCHEMAS.find(([start]) => path.startsWith(start))?.[1];
  const errors = schema === undefined ? [] : schemaErrors(schema, JSON.parse(text));
  if (errors.length > 0) throw new Error(`${path} is no ${schema}: ${errors.join("; ")}`);
};

export const openChpDoor = async (options: TestDoorOptions = {}): Promise<ChpTestDoor> => {
  const door = await openTestDoor({ handleCall: behave, timings: { closeMs: 50 }, ...options });
  const ask: ChpTestDoor["ask"] = async (path, order = {}) => {
    const said = await knock(door.origin, { method: "GET", headers: CHP_HEADERS, ...order, path: `/chp${path}` });
    check(path, said);
    return said;
  };
  const invoke: ChpTestDoor["invoke"] = (body, headers = {}) =>
    ask("/invoke", { method: "POST", headers: { ...CHP_HEADERS, ...headers }, body });
  return { ...door, ask, invoke };
};
