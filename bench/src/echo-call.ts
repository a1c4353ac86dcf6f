/**
 * The echo call as a subject's wire has it, and what is wrong with its answer. A CHP call is a whole InvocationEnvelope with
 * ids of its own, as CHP's clients send it, but for the invocation's where the host is to make it.
 */
import { randomBytes } from "node:crypto";
import type { Target } from "./target.ts";

export interface EchoCall {
  readonly id: number;
  /** Without quotes, backslashes and control characters. */
  readonly text: string;
}

interface Content {
  readonly content?: readonly { readonly text?: unknown }[];
}
interface McpAnswer {
  readonly id?: unknown;
  readonly result?: Content;
}
interface ChpAnswer {
  readonly invocation_id?: unknown;
  readonly outcome?: unknown;
  readonly data?: Content | null;
}

/** Of this process: no other client's ids begin with it. */
const RUN = randomBytes(12).toString("hex");
/** Of all its calls: what a clock costs is not the subject's. */
const NOW = new Date().toISOString();
const ownId = (prefix: string, id: number): string => `${prefix}${RUN}${id.toString(16).padStart(8, "0")}`;

type Wire = Pick<Target, "wire" | "hostIds">;

export const writeEcho = ({ wire, tool, hostIds }: Wire & Pick<Target, "tool">, { id, text }: EchoCall): string =>
  wire === "chp"
    ? `{${hostIds ? "" : `"invocation_id":"${ownId("inv_", id)}",`}"capability_id":"${tool}","version":null,"mode":"sync",` +
      `"correlation":{"correlation_id":"${ownId("corr_", id)}","causation_id":null,"parent_correlation_id":null,` +
      `"trace_id":null,"baggage":{}},"subject":{},"payload":{"text":"${text}"},` +
      `"requested_at":"${NOW}","metadata":{}}`
    : `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"${tool}","arguments":{"text":"${text}"}}}`;

/** Null: it is the echo of this very call. */
export const findEchoDefect = ({ wire, hostIds }: Wire, answer: string, { id, text }: EchoCall): string | null => {
  const wrong = `wrong answer: ${answer.slice(0, 300)}`;
  if (wire === "chp") {
    const { invocation_id: answered, outcome, data } = JSON.parse(answer) as ChpAnswer;
    const asked = hostIds ? String(answered) : ownId("inv_", id);
    if (answered !== asked) return `asked ${asked}, answered ${String(answered)}: ${answer.slice(0, 300)}`;
    return outcome === "success" && data?.content?.[0]?.text === text ? null : wrong;
  }
  const { id: answered, result } = JSON.parse(answer) as McpAnswer;
  if (answered !== id) return `asked ${id}, answered ${String(answered)}`;
  return result?.content?.[0]?.text === text ? null : wrong;
};
