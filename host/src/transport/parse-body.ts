/**
 * Bytes to one JSON value and its text. Refuses what two parsers could read differently, because what is checked here is
 * what is sent on.
 */
import { isUtf8 } from "node:buffer";
import { countMembers, findJsonDefect } from "../kernel/scan-json.ts";
import { doorRefusal, type DoorRefusal } from "./door-refusal.ts";

export interface ParsedBody {
  readonly text: string;
  readonly value: unknown;
}

/** Counts the members of all objects, -1 where they nest too deep; a door may look for more on the way. */
export interface MemberCounter {
  count(text: string, maxDepth: number): number;
}

const MAX_DEPTH = 256;
/** Below this even the deepest nesting parses in a few milliseconds. */
const WORTH_LOOKING = 65_536;
const MAX_SHOWN = 200;
const PLAIN: MemberCounter = { count: countMembers };
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

const isNested = (value: unknown): value is object => typeof value === "object" && value !== null;

/** Of a value that does not nest too deep: the parser keeps one of two members of the same name, so a difference to the text tells. */
const membersIn = (value: object): number => {
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value as unknown[]) if (isNested(item)) count += membersIn(item);
    return count;
  }
  for (const key in value) {
    count++;
    const member = (value as Readonly<Record<string, unknown>>)[key];
    if (isNested(member)) count += membersIn(member);
  }
  return count;
};

const parseText = (text: string, counter: MemberCounter): ParsedBody | DoorRefusal => {
  const parsed = parse(text);
  if (parsed === null) {
    const [message, next] = ["The body is not JSON.", "Send one JSON value as the body."];
    return doorRefusal("bad_request", { message, next, code: -32700 });
  }
  const count = counter.count(text, MAX_DEPTH);
  if (count === -1) return tooDeep();
  if (count === (isNested(parsed.value) ? membersIn(parsed.value) : 0)) return { text, value: parsed.value };
  const defect = findJsonDefect(text, WALK);
  if (defect === null) return { text, value: parsed.value };
  const where = defect.kind === "repeated" ? defect.pointer.slice(0, MAX_SHOWN) : "";
  return badRequest(`The member ${JSON.stringify(where)} is there twice.`, "Send each member of an object once.");
};

export const parseBody = (bytes: Buffer, counter = PLAIN): ParsedBody | DoorRefusal => {
  if (!isUtf8(bytes)) return badRequest("The body is not valid UTF-8.", "Encode the JSON text as UTF-8.");
  if (bytes.length > WORTH_LOOKING && nestsTooDeep(bytes)) return tooDeep();
  return parseText(bytes.toString("utf8"), counter);
};

/** The same for a line that is known to be UTF-8. */
export const parseLine = (text: string): ParsedBody | DoorRefusal =>
  text.length > WORTH_LOOKING && nestsTooDeep(Buffer.from(text)) ? tooDeep() : parseText(text, PLAIN);
