/** The files that a message names, read as the agent would read them, and contained. What cannot be read is said. */
import type { HandleCall } from "../../kernel/call.ts";
import { evidenceUnavailable } from "../loop/loop-refusals.ts";
import { contain } from "../prompt/contain.ts";
import { cutText, oneLine } from "../prompt/one-line.ts";
import { isLight } from "../runs/is-light.ts";
import { agentCall, SILENT, type CallsOfRun } from "./agent-call.ts";

export interface Attachment {
  readonly calls: CallsOfRun;
  readonly message: string;
  /** `files://…` */
  readonly refs: readonly string[];
  readonly signal: AbortSignal;
}

const MOST_CHARS = 50_000;
const UNRECORDED: ReadonlySet<string> = new Set(["evidence_unavailable", "outcome_unrecorded"]);

/** The message as the model gets it, without the runtime context. Refusal `evidence_unavailable`, which ends the run. */
export const attachFiles = async (
  { handleCall }: { readonly handleCall: HandleCall },
  { calls, message, refs, signal }: Attachment,
): Promise<string> => {
  const texts: string[] = [];
  for (const uri of refs) texts.push(contain("file", await readFile(handleCall, { calls, uri, signal }), { uri }));
  return [message, ...texts].join("\n\n");
};

interface Reading {
  readonly calls: CallsOfRun;
  readonly uri: string;
  readonly signal: AbortSignal;
}

const readFile = async (handleCall: HandleCall, { calls, uri, signal }: Reading): Promise<string> => {
  const { ending } = await handleCall(
    agentCall(calls, { operation: "read", name: uri, input: {}, signal, listener: SILENT }),
  );
  if (ending.kind === "refusal" && UNRECORDED.has(ending.refusal.kind))
    throw evidenceUnavailable(`reading ${oneLine(uri)}`);
  if (ending.kind === "refusal") return `It cannot be read: ${oneLine(ending.refusal.message, 500)}`;
  if (ending.kind !== "result" || !isLight(ending.json)) return "It cannot be read.";
  const { contents = [] } = JSON.parse(ending.json) as { contents?: readonly Readonly<Record<string, unknown>>[] };
  const first = contents[0];
  const [text, mimeType] = [first?.["text"], first?.["mimeType"]];
  if (typeof text !== "string")
    return `A file of type ${oneLine(typeof mimeType === "string" ? mimeType : "unknown")}; it is no text.`;
  const cut = cutText(text, MOST_CHARS);
  return cut.length < text.length ? `${cut}\n(cut at ${MOST_CHARS} of ${text.length} characters)` : cut;
};
