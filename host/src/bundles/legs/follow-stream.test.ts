import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { followStream } from "./follow-stream.ts";
import type { HttpResponse } from "./http-client.ts";

const responseOf = (text: string): HttpResponse => ({
  status: 200,
  headers: { "content-type": "text/event-stream" },
  body: Readable.from([Buffer.from(text)]),
});

/** Follows a stream that breaks off after each of these; says when it was resumed, in ms after the break before. */
const follow = async (...texts: readonly string[]): Promise<number[]> => {
  const [first, ...rest] = texts.map(responseOf);
  const pauses: number[] = [];
  let since = performance.now();
  let heard = 0;
  await followStream({
    first: first as HttpResponse,
    maxBytes: 1_000,
    signal: new AbortController().signal,
    onData: (data) => {
      if (data === "last") heard++;
    },
    done: () => heard > 0,
    room: () => null,
    resume: () => {
      pauses.push(performance.now() - since);
      since = performance.now();
      return Promise.resolve(rest.shift() as HttpResponse);
    },
  });
  return pauses;
};

test("a server that wants no pause at all is given one, which grows while it has nothing to say", async () => {
  const pauses = await follow("retry: 0\nid: 1\ndata: a\n\n", "", "retry: 0\n\n", "data: b\n\n", "data: last\n\n");
  // A timer may be a millisecond early.
  const least = [100, 200, 400, 100].map((ms) => ms - 2);
  expect(pauses).toHaveLength(4);
  for (const [i, pause] of pauses.entries()) expect(pause).toBeGreaterThanOrEqual(least[i] as number);
});
