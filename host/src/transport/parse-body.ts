/**
 * Bytes to one JSON value and its text. Refuses what two parsers could read differently, because what is checked here is
 * what is sent on.
 */
import { isUtf8 } from "node:buffer";
import { findJsonDefect } from "../kernel/scan-json.ts";
import { doorRefusal, type DoorRefusal } from "./door-refusal.ts";

export interface ParsedBody {
  readonly text: string;
  readonly value: unknown;
}

const MAX_DEPTH = 256;
/** Below this even the deepest nesting parses in a few milliseconds. */
const WORTH_LOOKING = 65_536;
const MAX_SHOWN = 200;
const WALK = { maxDepth: MAX_DEPTH, numbers: false } as const;

const badRequest = (message: string, next: string): DoorRefusal => doorRefusal("bad_request", { message, next });

const tooDeep = (): DoorRefusal =>
  badRequest(`The body nests deeper than ${MAX_DEPTH} levels.`, `Send at most ${MAX_DEPTH} levels of nesting.`);

/** Brackets outside strings, counted without trusting the grammar; spares the parser a body that is nothing but depth. */
const nestsTooDeep = (bytes: Buffer): boolean => {
  let depth = 0;
  let inString = false;
  for (let i = 0; i < bytes.length; i++) {
    const c = bytes[i];
    if (inString) {
      if (c === 92) i++;
      else if (c === 34) inString = false;
    } else if (c === 34) inString = true;
    else if (c === 123 || c === 91) {
      if (++depth > MAX_DEPTH) return true;
    } else if (c === 125 || c === 93) depth--;
  }
  return false;
};

const parse = (text: string): { readonly value: unknown } | null => {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return null;
  }
};

export const parseBody = (bytes: Buffer): ParsedBody | DoorRefusal => {
  if (!isUtf8(bytes)) return badRequest("The body is not valid UTF-8.", "Encode the JSON text as UTF-8.");
  if (bytes.length > WORTH_LOOKING && nestsTooDeep(bytes)) return tooDeep();
  const text = bytes.toString("utf8");
  const parsed = parse(text);
  if (parsed === null) {
    const [message, next] = ["The body is not JSON.", "Send one JSON value as the body."];
    return doorRefusal("bad_request", { message, next, code: -32700 });
  }
  const defect = findJsonDefect(text, WALK);
  if (defect === null) return { text, value: parsed.value };
  if (defect.kind === "deep") return tooDeep();
  const where = defect.kind === "repeated" ? defect.pointer.slice(0, MAX_SHOWN) : "";
  return badRequest(`The member ${JSON.stringify(where)} is there twice.`, "Send each member of an object once.");
};
