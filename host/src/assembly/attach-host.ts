/**
 * A host that runs in another process, reached over its REST door with the owner's key. It has no stream back, so progress
 * of a call is not heard.
 */
import { shapeAnswer } from "../call/result/shape-answer.ts";
import type { Answer, Ending } from "../kernel/call.ts";
import type { Outcome } from "../kernel/evidence.ts";
import { rawJson } from "../kernel/raw-json.ts";
import { Refusal } from "../kernel/refusal.ts";
import type { ToolRow } from "../kernel/surface.ts";
import type { ToolSeen } from "../kernel/tool-seen.ts";
import {
  askHost,
  parseObject,
  readRefusal,
  type Ask,
  type HostQuestion,
  type HostReply,
  type Reachable,
} from "./ask-host.ts";
import type { KeyRow } from "../kernel/key.ts";
import { attachChat } from "./attach-chat.ts";
import { attachBundles } from "./attach-bundles.ts";
import { attachEvidence } from "./attach-evidence.ts";
import { attachGates } from "./attach-gates.ts";
import { attachGovernance } from "./attach-governance.ts";
import type { CallOptions, Keys, ProviderRow } from "./host.ts";
import { lostHost } from "./lost-host.ts";
import type { CallReport, ReachedHost } from "./reached-host.ts";

export const attachHost = (host: Reachable): ReachedHost => {
  const ask: Ask = async <T extends object>(question: HostQuestion, ...members: (keyof T & string)[]): Promise<T> => {
    const reply = await askHost(host, question).catch((error: Error) => {
      throw lost(host, error);
    });
    if (reply.status < 200 || reply.status > 299) throw readRefusal(reply);
    const body = parseObject(reply.text);
    if (body === null || members.some((member) => body[member] === undefined)) throw strange(host, question);
    return body as T;
  };
  return {
    origin: host.origin,
    async tools(q, { satisfied = false } = {}) {
      const query = new URLSearchParams({ ...(q !== undefined && { q }), ...(satisfied && { satisfied: "true" }) });
      const path = query.size === 0 ? "/v1/tools" : `/v1/tools?${query.toString()}`;
      return (await ask<{ tools: readonly ToolSeen[] }>({ method: "GET", path }, "tools")).tools.map(readTool);
    },
    async providers() {
      const question: HostQuestion = { method: "GET", path: "/v1/providers" };
      return (await ask<{ providers: readonly ProviderRow[] }>(question, "providers")).providers;
    },
    call(name, args, options) {
      return askHost(host, questionOf(name, args, options)).then(
        (reply) => readAnswer(name, reply),
        (error: Error) => report(refused(lost(host, error), { stage: 10, evidenceId: null, tool: name })),
      );
    },
    ...attachGovernance(ask),
    evidence: attachEvidence(host, ask),
    keys: attachKeys(ask),
    bundles: attachBundles(ask),
    ...attachGates(ask),
    ...attachChat(host, ask),
    close: () => Promise.resolve(),
  };
};

const readTool = ({ required_capabilities, missing_capabilities, ...row }: ToolSeen): ToolRow => ({
  ...row,
  required: required_capabilities ?? [],
  missing: missing_capabilities ?? [],
});

const questionOf = (
  name: string,
  args: Readonly<Record<string, unknown>>,
  { signal, idempotencyKey, approvalWaitMs = 0 }: CallOptions = {},
): HostQuestion => ({
  method: "POST",
  path: "/v1/tools/call",
  body: { name, arguments: args, ...(idempotencyKey === undefined ? {} : { idempotencyKey }) },
  ...(approvalWaitMs > 0 ? { headers: { prefer: `wait=${Math.ceil(approvalWaitMs / 1000)}` } } : {}),
  signal,
});

const attachKeys = (ask: Ask): Keys => ({
  async create(order) {
    const question: HostQuestion = { method: "POST", path: "/v1/keys", body: order };
    const { secret, key } = await ask<{ secret: string; key: KeyRow }>(question, "secret", "key");
    return { secret, row: key };
  },
  async list() {
    return (await ask<{ keys: readonly KeyRow[] }>({ method: "GET", path: "/v1/keys" }, "keys")).keys;
  },
  async revoke(name) {
    const question: HostQuestion = { method: "DELETE", path: `/v1/keys/${encodeURIComponent(name)}` };
    return (await ask<{ key: KeyRow }>(question, "key")).key;
  },
});

const lost = ({ origin }: Reachable, error: Error): Refusal =>
  lostHost(origin, error, { before: "it answered", repeated: "anything" });

const strange = ({ origin }: Reachable, { path }: HostQuestion): Refusal =>
  new Refusal("upstream_failed", {
    message: `The host at ${origin} answered ${path} in a form that this program does not know.`,
    next: "It is probably of another version. Restart it: bailiwick serve",
  });

interface Facts {
  readonly stage: number;
  readonly evidenceId: string | null;
  readonly tool: string;
}

const refused = (refusal: Refusal, { stage, evidenceId, tool }: Facts): Answer => ({
  ending: { kind: "refusal", refusal, stage },
  outcome: refusal.row.outcome,
  principal: null,
  evidenceId,
  tool,
});

const report = (answer: Answer): CallReport => ({ answer, json: shapeAnswer.mcp(answer, "call").json });

const textOrNull = (value: unknown): string | null => (typeof value === "string" ? value : null);

const readAnswer = (tool: string, reply: HostReply): CallReport => {
  const body = parseObject(reply.text);
  if (reply.status === 200 && body !== null) {
    const isError = body["isError"] === true;
    const meta = body["_meta"] as Readonly<Record<string, unknown>> | undefined;
    const ending: Ending = { kind: "result", json: rawJson(reply.text), isError };
    const outcome: Outcome = isError ? "failure" : "success";
    const evidenceId = textOrNull(meta?.["dev.bailiwick/evidence"]);
    return { answer: { ending, outcome, principal: null, evidenceId, tool }, json: reply.text };
  }
  const data = body?.["data"] as Readonly<Record<string, unknown>> | undefined;
  const evidenceId = textOrNull(data?.["evidence_id"]);
  const upstream = data?.["upstream"];
  if (typeof upstream === "object" && upstream !== null) {
    const { code } = upstream as { code?: unknown };
    const json = rawJson(JSON.stringify(upstream));
    const ending: Ending = { kind: "error", json, code: typeof code === "number" ? code : 0 };
    return report({ ending, outcome: "failure", principal: null, evidenceId, tool });
  }
  const stage = typeof data?.["stage"] === "number" ? data["stage"] : 1;
  return report(refused(readRefusal(reply), { stage, evidenceId, tool }));
};
