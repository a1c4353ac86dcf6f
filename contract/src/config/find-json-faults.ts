/**
 * Says where a text is not JSON, and finds what `JSON.parse` accepts and a strict reader must not: repeated keys (two
 * readers would see two configurations), `__proto__`, and nesting without end. Builds no values.
 */
import { type Finding, pointerOf } from "./finding.ts";

const MAX_DEPTH = 64;
const SPACE = /[ \t\r\n]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const SCALAR = /true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;

class Fault extends Error {
  readonly offset: number;
  constructor(offset: number, message: string) {
    super(message);
    this.offset = offset;
  }
}

class Scanner {
  readonly faults: Finding[] = [];
  readonly #text: string;
  readonly #path: PropertyKey[] = [];
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  scan(): void {
    this.#value();
    if (this.#at < this.#text.length) this.#fail("expected the end of the file");
  }

  #value(): void {
    this.#skip(SPACE);
    const c = this.#text[this.#at];
    if (c === "{") this.#object();
    else if (c === "[") this.#array();
    else if (c === '"') this.#string();
    else if (!this.#skip(SCALAR)) this.#fail("expected a value");
    this.#skip(SPACE);
  }

  #object(): void {
    const keys = new Set<string>();
    this.#items("}", () => {
      this.#skip(SPACE);
      if (this.#text[this.#at] !== '"') this.#fail("expected a key in double quotes");
      const key = this.#string();
      this.#path.push(key);
      if (keys.has(key)) this.#note("this key stands here more than once; keep one");
      if (key === "__proto__") this.#note("this key is not allowed");
      keys.add(key);
      this.#skip(SPACE);
      if (this.#text[this.#at] !== ":") this.#fail("expected : after the key");
      this.#at++;
      this.#value();
      this.#path.pop();
    });
  }

  #array(): void {
    let index = 0;
    this.#items("]", () => {
      this.#path.push(index++);
      this.#value();
      this.#path.pop();
    });
  }

  #items(close: "}" | "]", item: () => void): void {
    if (this.#path.length === MAX_DEPTH) this.#fail(`nested more than ${MAX_DEPTH} levels deep`);
    this.#at++;
    this.#skip(SPACE);
    if (this.#text[this.#at] === close) {
      this.#at++;
      return;
    }
    for (;;) {
      item();
      const c = this.#text[this.#at];
      if (c !== "," && c !== close) this.#fail(`expected , or ${close}`);
      this.#at++;
      if (c === close) return;
      this.#skip(SPACE);
      if (this.#text[this.#at] === close) this.#fail("the comma before this is one too many");
    }
  }

  #string(): string {
    const start = this.#at++;
    // A loop and not one expression: a string of megabytes would overflow the stack of the expression's matcher.
    for (;;) {
      const c = this.#text[this.#at];
      if (c === '"') break;
      if (c === undefined) this.#fail("this string does not end");
      if (c < " ") this.#fail("a line break or control character in a string is written as an escape, such as \\n");
      if (c !== "\\") this.#at++;
      else if (!this.#skip(ESCAPE)) this.#fail("no such escape; write \\\\ for a backslash");
    }
    this.#at++;
    return JSON.parse(this.#text.slice(start, this.#at)) as string;
  }

  #skip(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    if (!pattern.test(this.#text)) return false;
    this.#at = pattern.lastIndex;
    return true;
  }

  #note(message: string): void {
    this.faults.push({ pointer: pointerOf(this.#path), message });
  }

  #fail(message: string): never {
    const end = this.#at >= this.#text.length && !message.includes("end of the file");
    const found = this.#text.slice(this.#at, this.#at + 2);
    const comment = found === "//" || found === "/*" ? "; JSON has no comments" : "";
    throw new Fault(this.#at, end ? `the file ends too early: ${message}` : `${message}${comment}`);
  }
}

const placeOf = (text: string, offset: number): string => {
  const before = text.slice(0, offset);
  const line = before.split("\n").length;
  return `line ${line}, column ${offset - before.lastIndexOf("\n")}`;
};

/** Empty: `JSON.parse` accepts the text. */
export const findJsonFaults = (text: string): Finding[] => {
  const scanner = new Scanner(text);
  try {
    scanner.scan();
    return scanner.faults;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return [{ pointer: "", message: `${placeOf(text, error.offset)}: not valid JSON: ${error.message}` }];
  }
};
