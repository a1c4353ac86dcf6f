/**
 * One request to the host over ordinary HTTP, with the token that the host gave for it. Never follows a redirect, so that the
 * token goes nowhere else, and reads no more than a whole file can need.
 */
import type { HostRequest } from "./host-context.ts";
import { HostResourceError } from "./host-resource-error.ts";
import { isRecord } from "./is-record.ts";

const TIMEOUT_MS = 60_000;
/** The largest files that a host stores, as JSON text with every character of them escaped. */
const MAX_ANSWER_BYTES = 256 * 1024 * 1024;

export interface ExtensionEndpoint {
  readonly endpoint: string;
  readonly token: string;
}

export const postRequest = async (
  { endpoint, token }: ExtensionEndpoint,
  request: HostRequest,
  signal?: AbortSignal,
): Promise<unknown> => {
  const late = AbortSignal.timeout(TIMEOUT_MS);
  const response = await fetch(endpoint, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json", accept: "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, ...request }),
    redirect: "error",
    signal: signal === undefined ? late : AbortSignal.any([signal, late]),
  });
  const answer = parse(await readText(response));
  if (isRecord(answer) && "result" in answer) return answer["result"];
  throw failureOf(answer, response);
};

const readText = async (response: Response): Promise<string> => {
  const decoder = new TextDecoder();
  let bytes = 0;
  let text = "";
  const body = (response.body ?? []) as AsyncIterable<Uint8Array>;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > MAX_ANSWER_BYTES) throw new Error(`The host's answer has more than ${MAX_ANSWER_BYTES} bytes.`);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
};

const failureOf = (answer: unknown, { status }: Response): Error => {
  const error = isRecord(answer) ? answer["error"] : null;
  if (isRecord(error) && Number.isSafeInteger(error["code"])) {
    const { code, message, data } = error;
    const text = typeof message === "string" ? message : "The host answered with an error.";
    return Object.assign(new Error(text), { code, data });
  }
  if (status === 401) {
    return new Error(
      "The host does not take this call's token any more (HTTP 401). Call the tool again to get a new one.",
    );
  }
  return new HostResourceError({ code: -32603, message: `The host's answer cannot be used (HTTP ${status}).` });
};
