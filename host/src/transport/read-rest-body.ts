/** Reads the JSON body of a REST request; what is wrong with it is thrown as its refusal. */
import type { IncomingMessage } from "node:http";
import { Refusal } from "../kernel/refusal.ts";
import { isJsonBody } from "./is-json-body.ts";
import { parseBody } from "./parse-body.ts";
import { isObject, type JsonObject } from "./protocol.ts";
import { readBody, type Body } from "./read-body.ts";

export interface RestBody {
  readonly text: string;
  readonly value: JsonObject;
}

const MAX_BYTES = 1_048_576;

export const readRestBody = async (req: IncomingMessage): Promise<RestBody> => {
  if (!isJsonBody(req.headers)) {
    const [message, next] = [
      "The body is not declared as JSON.",
      "Send Content-Type: application/json, not compressed.",
    ];
    throw new Refusal("unsupported_type", { message, next });
  }
  const bytes = await new Promise<Body>((resolve) => readBody(req, MAX_BYTES, resolve));
  if (bytes === "too-large") {
    const next = "Send less in one request; /mcp takes larger bodies.";
    throw new Refusal("too_large", { message: `The body is larger than ${MAX_BYTES} bytes.`, next });
  }
  if (bytes === "gone")
    throw new Refusal("bad_request", { message: "The body did not arrive whole.", next: "Send it again." });
  const body = parseBody(bytes);
  if ("refusal" in body) throw body.refusal;
  if (isObject(body.value)) return { text: body.text, value: body.value };
  throw new Refusal("bad_request", { message: "The body is not a JSON object.", next: "Send an object." });
};
