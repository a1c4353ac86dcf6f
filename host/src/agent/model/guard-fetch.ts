/**
 * The fetch that the SDK gets: it follows no redirect, because a key would go along to wherever that points, and it
 * ends an answer that does not end by itself.
 */
import { ModelError } from "../../kernel/model.ts";

export type Fetch = typeof globalThis.fetch;

/** Well above the longest answer of any model, with all that is around it on the wire. */
const MAX_ANSWER_BYTES = 67_108_864;
const MAX_ERROR_BYTES = 262_144;

export const guardFetch =
  (fetch: Fetch, maxBytes = MAX_ANSWER_BYTES): Fetch =>
  async (input, init) => {
    const response = await fetch(input, { ...init, redirect: "manual" });
    if (response.body === null) return response;
    const { status, statusText, headers } = response;
    const body = response.body.pipeThrough(limitBytes(response.ok ? maxBytes : MAX_ERROR_BYTES));
    return new Response(body, { status, statusText, headers });
  };

const limitBytes = (limit: number): TransformStream<Uint8Array, Uint8Array> => {
  let left = limit;
  return new TransformStream({
    transform: (chunk, controller) => {
      left -= chunk.byteLength;
      if (left >= 0) controller.enqueue(chunk);
      else controller.error(new ModelError("bad_request", `The answer of the model is longer than ${limit} bytes.`));
    },
  });
};
