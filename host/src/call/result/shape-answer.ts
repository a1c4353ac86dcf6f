/**
 * Gives an answer the shape of a door. Results and errors of an upstream pass as the text that came; only refusals are
 * written here.
 */
import { addMeta } from "../../kernel/add-meta.ts";
import type { Answer, McpReply, Operation, RestReply, ShapeAnswer } from "../../kernel/call.ts";
import { HostError } from "../../kernel/host-error.ts";
import { rawJson, rawMembers, type RawJson } from "../../kernel/raw-json.ts";
import type { Refusal } from "../../kernel/refusal.ts";
import { refusalObject } from "./refusal-object.ts";
import { toChp } from "./shape-chp.ts";

/** A refusal where the protocol has no result that could carry it. Outside JSON-RPC's reserved range. */
const REFUSED = 1403;

/** From here on it is the tool that refuses, and a model has to hear what it may do instead. */
const INSIDE = 10;

const NO_HEADERS = Object.freeze({});

const toMcp = (answer: Answer, operation: Operation | "task"): McpReply => {
  const { ending } = answer;
  if (ending.kind === "result") return { member: "result", json: ending.json };
  if (ending.kind === "error") return { member: "error", json: ending.json };
  if (ending.kind === "input") throw new HostError("a question has no form here");
  const { refusal } = ending;
  const object = refusalObject(refusal, ending.stage, answer.evidenceId);
  if (operation === "call" && (refusal.row.mcp === "tool" || ending.stage >= INSIDE))
    return { member: "result", json: toolRefusal(refusal, object) };
  const code = refusal.row.mcp === "tool" ? REFUSED : refusal.row.mcp;
  return { member: "error", json: rawJson(JSON.stringify({ code, message: refusal.message, data: object })) };
};

const toolRefusal = (refusal: Refusal, object: object): RawJson =>
  rawJson(
    JSON.stringify({
      content: [{ type: "text", text: `${refusal.message}\n${refusal.next}` }],
      isError: true,
      _meta: { "dev.bailiwick/refusal": object },
    }),
  );

const toRest = (answer: Answer): RestReply => {
  const { ending } = answer;
  if (ending.kind === "result") return { status: 200, headers: NO_HEADERS, json: withEvidence(ending.json, answer) };
  if (ending.kind === "error") return upstreamError(ending.json, answer);
  if (ending.kind === "input") throw new HostError("a question has no form here");
  const { refusal } = ending;
  const headers: Record<string, string> = {};
  if (refusal.retryAfterMs !== null) headers["retry-after"] = String(Math.ceil(refusal.retryAfterMs / 1000));
  const body = {
    error: refusal.kind,
    message: refusal.message,
    remedy: refusal.next,
    data: refusalObject(refusal, ending.stage, answer.evidenceId),
  };
  return { status: refusal.row.rest, headers, json: rawJson(JSON.stringify(body)) };
};

const withEvidence = (result: RawJson, answer: Answer): RawJson =>
  addMeta(result, rawMembers(`"dev.bailiwick/evidence":${JSON.stringify(answer.evidenceId)}`));

const upstreamError = (error: RawJson, answer: Answer): RestReply => {
  const head = JSON.stringify({
    error: "upstream_failed",
    message: `${answer.tool ?? "The provider"} answered with an error of its own; data.upstream has it whole.`,
    remedy: "Read data.upstream; the server behind this tool explains itself there.",
  });
  const data = `,"data":{"evidence_id":${JSON.stringify(answer.evidenceId)},"upstream":${error}}}`;
  return { status: 502, headers: NO_HEADERS, json: rawJson(`${head.slice(0, -1)}${data}`) };
};

export const shapeAnswer: ShapeAnswer = { mcp: toMcp, rest: toRest, chp: toChp };
