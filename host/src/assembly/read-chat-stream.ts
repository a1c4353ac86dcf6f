/** One connection that tells the events of a run, from the first byte to however it ends. */
import type { IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { request } from "../kernel/node-http.ts";
import { createParser } from "eventsource-parser";
import type { RunEvent } from "../kernel/agent.ts";
import { headersFor, parseObject, readRefusal, type Reachable } from "./ask-host.ts";

export interface ChatStreamQuestion {
  readonly path: string;
  /** Begins a run with it; absent: takes up one that goes on. */
  readonly body?: object;
  /** The last event that was heard; absent: none. */
  readonly after?: number;
  /** Null: the host gave it no number. */
  readonly onEvent: (id: number | null, event: RunEvent) => void;
}

/** The host says something every 15 s. */
const SILENCE_MS = 60_000;
/** A tool's result may have tens of megabytes; no event is longer than this. */
const MAX_EVENT = 256 * 1024 * 1024;

/** Resolves when it has ended, cut off or not. Rejects with the Refusal that came instead, or when nothing came. */
export const readChatStream = (host: Reachable, question: ChatStreamQuestion): Promise<void> =>
  new Promise((resolve, reject) => {
    const { path, body, after } = question;
    const sent = body === undefined ? null : JSON.stringify(body);
    const headers = {
      accept: "text/event-stream",
      ...headersFor(host),
      ...(after === undefined ? {} : { "last-event-id": String(after) }),
      ...(sent === null ? {} : { "content-type": "application/json", "content-length": Buffer.byteLength(sent) }),
    };
    const asked = request(`${host.origin}${path}`, { method: sent === null ? "GET" : "POST", headers }, (response) => {
      asked.setTimeout(SILENCE_MS, () => response.destroy());
      readResponse(response, question).then(resolve, reject);
    });
    asked.once("error", reject);
    asked.end(sent ?? undefined);
  });

const readResponse = async (response: IncomingMessage, question: ChatStreamQuestion): Promise<void> => {
  const status = response.statusCode ?? 0;
  if (status !== 200 || response.headers["content-type"]?.startsWith("text/event-stream") !== true) {
    throw readRefusal({ status, text: await text(response) });
  }
  const parser = createParser({
    maxBufferSize: MAX_EVENT,
    onEvent: ({ id, event = "message", data }) => {
      const heard = readEvent(event, data);
      if (heard !== null) question.onEvent(readId(id), heard);
    },
    onError: (error) => {
      if (error.type === "max-buffer-size-exceeded") response.destroy(error);
    },
  });
  response.setEncoding("utf8");
  try {
    for await (const piece of response as AsyncIterable<string>) parser.feed(piece);
  } catch {
    // Cut off: what came before counts, and the rest is asked for again.
  }
};

const readId = (id: string | undefined): number | null =>
  id !== undefined && /^\d{1,15}$/.test(id) ? Number(id) : null;

const readEvent = (type: string, data: string): RunEvent | null => {
  const body = parseObject(data);
  return typeof body?.["runId"] === "string" ? ({ ...body, type } as unknown as RunEvent) : null;
};
