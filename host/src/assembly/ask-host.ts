/** One request to a running host's REST door. On node:http, which sets no limit to how long a call may take. */
import { request } from "../kernel/node-http.ts";
import { readEvents } from "./read-events.ts";
import { Refusal } from "../kernel/refusal.ts";
import { REFUSALS, type RefusalKind } from "../kernel/refusals.ts";

export interface Reachable {
  readonly origin: string;
  /** Null where the host asks for none. */
  readonly key: string | null;
  /** The workspace that is meant; absent: the key's own. */
  readonly workspace?: string;
}

export interface HostQuestion {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** From the root, with its query. */
  readonly path: string;
  readonly body?: object;
  /** Further headers. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  /** Asks for a stream; hears its events up to the last, which is the answer. */
  readonly onEvent?: (type: string, data: string) => void;
}

export interface HostReply {
  readonly status: number;
  readonly text: string;
}

/** The body of a good answer, which has at least these members. */
export type Ask = <T extends object>(question: HostQuestion, ...members: (keyof T & string)[]) => Promise<T>;

/** A tool's result may have tens of megabytes; more than this is no answer of ours. */
const MAX_ANSWER_BYTES = 256 * 1024 * 1024;

/** Who asks, and for which workspace. */
export const headersFor = ({ key, workspace }: Reachable): Readonly<Record<string, string>> => ({
  ...(key === null ? {} : { authorization: `Bearer ${key}` }),
  ...(workspace === undefined ? {} : { "x-workspace-id": workspace }),
});

/** Rejects when no whole answer came. */
export const askHost = (host: Reachable, question: HostQuestion): Promise<HostReply> =>
  new Promise((resolve, reject) => {
    const { method, path, body, signal, onEvent } = question;
    const text = body === undefined ? null : JSON.stringify(body);
    const headers = {
      accept: onEvent ? "text/event-stream" : "application/json",
      ...headersFor(host),
      ...question.headers,
      ...(text === null ? {} : { "content-type": "application/json", "content-length": Buffer.byteLength(text) }),
    };
    const asked = request(`${host.origin}${path}`, { method, headers, ...(signal ? { signal } : {}) }, (response) => {
      if (onEvent && response.headers["content-type"]?.startsWith("text/event-stream")) {
        readEvents(response, onEvent).then(resolve, reject);
        return;
      }
      const chunks: Buffer[] = [];
      let bytes = 0;
      response.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > MAX_ANSWER_BYTES) response.destroy(new Error(`an answer of more than ${MAX_ANSWER_BYTES} bytes`));
        else chunks.push(chunk);
      });
      response.once("error", reject);
      response.once("end", () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }));
    });
    asked.once("error", reject);
    asked.end(text ?? undefined);
  });

/** The refusal that an error body carries; one of ours says `upstream_failed` where it carries none. */
export const readRefusal = ({ status, text }: HostReply): Refusal => {
  const body = parseObject(text);
  const data = asObject(body?.["data"]);
  const kind = String(body?.["error"]);
  const known = Object.hasOwn(REFUSALS, kind);
  return new Refusal(known ? (kind as RefusalKind) : "upstream_failed", {
    message: asText(body?.["message"]) ?? `The running host answered with status ${status}.`,
    next: asText(body?.["remedy"]) ?? "Run `bailiwick doctor`.",
    details: asObject(data?.["details"]) ?? {},
    ...(typeof data?.["retry_after_ms"] === "number" ? { retryAfterMs: data["retry_after_ms"] } : {}),
    ...(typeof data?.["retryable"] === "boolean" ? { retryable: data["retryable"] } : {}),
  });
};

const asText = (value: unknown): string | null => (typeof value === "string" ? value : null);

const asObject = (value: unknown): Readonly<Record<string, unknown>> | null =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : null;

export const parseObject = (text: string): Readonly<Record<string, unknown>> | null => {
  try {
    return asObject(JSON.parse(text));
  } catch {
    return null;
  }
};
