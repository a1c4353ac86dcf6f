/**
 * The body of a CHP request: one JSON object without numbers that would silently become others. What is wrong with it is
 * thrown as its refusal.
 */
import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { Refusal } from "../../kernel/refusal.ts";
import { findJsonDefect, skipString } from "../../kernel/scan-json.ts";
import { parseBody } from "../parse-body.ts";
import { isObject, type JsonObject } from "../protocol.ts";
import { readBody, type Body } from "../read-body.ts";
import { bad } from "./chp-answers.ts";
import { EnvelopeScan } from "./envelope-scan.ts";

export interface ChpBody {
  readonly text: string;
  readonly value: JsonObject;
  readonly scan: EnvelopeScan;
}

export const MAX_BODY_BYTES = 8_388_608;
const NOT_JSON = -32700;
const MAX_DEPTH = 256;
const MAX_SHOWN = 200;

const QUOTE = 34;
/** Shorter numbers without an exponent are safe whatever their digits. */
const SAFE_LENGTH = 15;

/** Whether a number may be beyond what a double holds exactly; looks at no character twice. Of text that parses. */
const hasLongNumber = (text: string): boolean => {
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === QUOTE) i = skipString(text, i) - 1;
    else if (c >= 48 && c <= 57) {
      const start = i;
      for (;;) {
        const d = text.charCodeAt(i + 1);
        if (d === 69 || d === 101) return true;
        if (!((d >= 48 && d <= 57) || d === 46)) break;
        i++;
      }
      if (i - start >= SAFE_LENGTH) return true;
    }
  }
  return false;
};

const refuseLongNumbers = (text: string): void => {
  if (!hasLongNumber(text)) return;
  const defect = findJsonDefect(text, { maxDepth: MAX_DEPTH, numbers: true });
  if (defect?.kind !== "number") return;
  throw bad(
    `The number at ${JSON.stringify(defect.pointer.slice(0, MAX_SHOWN))} cannot be kept exactly.`,
    "Send integers between -(2^53-1) and 2^53-1, and others as strings.",
  );
};

export const parseChpBody = (bytes: Exclude<Body, "gone">): ChpBody => {
  if (bytes === "too-large") throw tooLarge();
  const scan = new EnvelopeScan();
  const body = parseBody(bytes, scan);
  if ("refusal" in body) {
    if (body.code !== NOT_JSON && isUtf8(bytes)) throw body.refusal;
    const { message, next } = body.refusal;
    throw new Refusal("bad_request", { message, next, details: { code: "invalid_json" } });
  }
  const { text, value } = body;
  if (!isObject(value)) throw bad("The body is not a JSON object.", "Send an object.");
  // Most have none, and then the text need not be looked at again.
  if (scan.hasDigit) refuseLongNumbers(text);
  return { text, value, scan };
};

export const readChpBody = async (req: IncomingMessage): Promise<ChpBody> => {
  const bytes = await new Promise<Body>((resolve) => readBody(req, MAX_BODY_BYTES, resolve));
  if (bytes === "gone") throw bad("The body did not arrive whole.", "Send it again.");
  return parseChpBody(bytes);
};

const tooLarge = (): Refusal =>
  new Refusal("too_large", {
    message: `The body is larger than ${MAX_BODY_BYTES} bytes.`,
    next: "Send less in one request.",
  });
