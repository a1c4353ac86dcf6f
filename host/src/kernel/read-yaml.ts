/**
 * YAML 1.2 as plain JSON values, with the line of what a person may have to mend. Aliases count as what they stand for, so
 * that none can be made to grow; keys that stand twice, values that JSON does not have and too many levels are faults of
 * their own place only. The reader of YAML is loaded with the first text.
 */
import type { Document, LineCounter, Node, Pair, Scalar } from "yaml";

type Yaml = typeof import("yaml");

export interface YamlFault {
  /** JSON pointer. */
  readonly pointer: string;
  readonly line: number;
  readonly message: string;
  /** It is a number, and only not that very one. */
  readonly rounded?: true;
}

export interface YamlReading {
  /** Null too where nothing could be made of it. */
  readonly value: unknown;
  /** Why the whole text counts for nothing; null: it was read. */
  readonly broken: YamlFault | null;
  /** Of places in it. */
  readonly faults: readonly YamlFault[];
  /** What was taken as something else than it was meant to be, such as what has a tag that means nothing. */
  readonly warnings: readonly YamlFault[];
  /** Of the place, or of the next one around it. */
  readonly lineOf: (pointer: string) => number;
  /** A number as it was written, such as `1.10`; null: there is none at this place. */
  readonly sourceOf: (pointer: string) => string | null;
}

const MAX_DEPTH = 64;
/** Values and characters, aliases written out. */
const MAX_SIZE = 4_000_000;
/** Each costs the reader a microsecond or more and some kilobytes. */
const MAX_MARKS = 200_000;
const MAX_WARNINGS = 20;
const MARKS = new Set(Array.from("[]{}&*!?:-,#\n", (each) => each.charCodeAt(0)));
/** How deep lines are told apart. */
const LINE_DEPTH = 4;

export const stepInto = (pointer: string, key: string | number): string =>
  `${pointer}/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`;

export const readYaml = async (text: string): Promise<YamlReading> => {
  if (hasTooManyMarks(text)) return brokenReading(1, "it has too many entries; split it");
  const yaml = await import("yaml");
  const lines = new yaml.LineCounter();
  let document: Document.Parsed;
  try {
    document = yaml.parseDocument(text, {
      version: "1.2",
      schema: "core",
      // Compared here, since the reader compares each key with each other one.
      uniqueKeys: false,
      // Quieter, and a second document would be passed over.
      logLevel: "error",
      prettyErrors: false,
      lineCounter: lines,
    });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return brokenReading(1, "it is nested too deep");
  }
  const [error] = document.errors;
  if (error !== undefined) return brokenReading(lines.linePos(error.pos[0]).line, oneLine(error.message));
  const { version, explicit } = document.directives.yaml;
  if (explicit === true && version !== "1.2")
    return brokenReading(1, `it asks for YAML ${version}, and is read as 1.2`);
  const warnings = document.warnings.slice(0, MAX_WARNINGS).map(({ pos, message }) => {
    return { pointer: "", line: lines.linePos(pos[0]).line, message: oneLine(message) };
  });
  return { ...new Walk(yaml, lines).read(document), warnings };
};

const brokenReading = (line: number, message: string): YamlReading => ({
  value: null,
  broken: { pointer: "", line, message },
  faults: [],
  warnings: [],
  lineOf: () => line,
  sourceOf: () => null,
});

const oneLine = (message: string): string =>
  message.includes("call stack") ? "it is nested too deep" : (message.split("\n", 1)[0]?.slice(0, 200) ?? "");

const hasTooManyMarks = (text: string): boolean => {
  let marks = 0;
  for (let i = 0; i < text.length; i++) if (MARKS.has(text.charCodeAt(i))) marks++;
  return marks > MAX_MARKS;
};

const ROUNDED = "is a whole number beyond 2^53, which would be rounded";

/** Written out digit by digit, and larger than what is kept exactly. */
const isRounded = (value: number, source: string): boolean =>
  Number.isInteger(value) && !Number.isSafeInteger(value) && /^[-+]?(?:0x[0-9a-f]+|0o[0-7]+|[0-9.]+)$/i.test(source);

class TooLarge extends Error {}

class Walk {
  readonly #yaml: Yaml;
  readonly #counter: LineCounter;
  readonly #faults: YamlFault[] = [];
  readonly #lines = new Map<string, number>();
  readonly #sources = new Map<string, string>();
  readonly #anchors = new Map<string, { readonly value: unknown; readonly size: number }>();
  #size = 0;

  constructor(yaml: Yaml, counter: LineCounter) {
    this.#yaml = yaml;
    this.#counter = counter;
  }

  read(document: Document.Parsed): YamlReading {
    const lineOf = (pointer: string): number => {
      for (let at = pointer; at !== ""; at = at.slice(0, at.lastIndexOf("/"))) {
        const line = this.#lines.get(at);
        if (line !== undefined) return line;
      }
      return 1;
    };
    try {
      const value = this.#value(document.contents, "", 0);
      const sourceOf = (pointer: string): string | null => this.#sources.get(pointer) ?? null;
      return { value, broken: null, faults: this.#faults, warnings: [], lineOf, sourceOf };
    } catch (error) {
      if (!(error instanceof TooLarge)) throw error;
      return brokenReading(1, "its aliases make it too large");
    }
  }

  #value(node: Node | null, pointer: string, depth: number): unknown {
    const { isAlias, isMap, isScalar, isSeq } = this.#yaml;
    this.#spend(1);
    if (node === null) return null;
    if (isAlias(node)) return this.#alias(node.source, node, pointer);
    const before = this.#size;
    let value: unknown = null;
    if (depth > MAX_DEPTH) this.#fault(node, pointer, `lies deeper than ${MAX_DEPTH} levels`);
    else if (isMap(node)) value = this.#map(node.items, pointer, depth);
    else if (isSeq(node))
      value = node.items.map((item, i) => this.#item(item as Node | null, stepInto(pointer, i), depth));
    else if (isScalar(node)) value = this.#scalar(node, pointer);
    const { anchor } = node as { anchor?: string };
    if (anchor !== undefined) this.#anchors.set(anchor, { value, size: this.#size - before });
    return value;
  }

  #item(node: Node | null, pointer: string, depth: number): unknown {
    this.#mark(node, pointer, depth);
    return this.#value(node, pointer, depth + 1);
  }

  #map(pairs: readonly Pair[], pointer: string, depth: number): Record<string, unknown> {
    const members = new Map<string, unknown>();
    for (const pair of pairs) {
      const key = pair.key as Node | null;
      const name = this.#key(key);
      const at = stepInto(pointer, name ?? "");
      this.#mark(key, at, depth);
      if (name === null) this.#fault(key, pointer, "has a key that is no plain text");
      else if (members.has(name)) this.#fault(key, at, "stands there twice");
      else members.set(name, this.#value(pair.value as Node | null, at, depth + 1));
    }
    // Unlike an assignment, this makes a member of `__proto__` too.
    return Object.fromEntries(members);
  }

  #key(key: Node | null): string | null {
    if (key === null || !this.#yaml.isScalar(key)) return null;
    const { value, source } = key;
    if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean") return null;
    this.#spend(String(value).length);
    return typeof value === "string" ? value : (source ?? String(value));
  }

  #scalar(node: Scalar, pointer: string): unknown {
    const { value } = node;
    if (typeof value === "string") this.#spend(value.length);
    if (value === null || typeof value === "string" || typeof value === "boolean") return value;
    if (typeof value === "number" && Number.isFinite(value)) {
      if (isRounded(value, node.source ?? "")) this.#fault(node, pointer, ROUNDED, true);
      this.#sources.set(pointer, node.source ?? String(value));
      return value;
    }
    this.#fault(node, pointer, "is nothing that JSON can say");
    return null;
  }

  #alias(name: string, node: Node, pointer: string): unknown {
    const known = this.#anchors.get(name);
    if (known === undefined) {
      this.#fault(node, pointer, "refers to an anchor that is not before it");
      return null;
    }
    this.#spend(known.size);
    return known.value;
  }

  #mark(node: Node | null, pointer: string, depth: number): void {
    if (depth < LINE_DEPTH) this.#lines.set(pointer, this.#lineAt(node));
  }

  #fault(node: Node | null, pointer: string, message: string, isRounding = false): void {
    this.#faults.push({ pointer, line: this.#lineAt(node), message, ...(isRounding ? { rounded: true } : {}) });
  }

  #lineAt(node: Node | null): number {
    return this.#counter.linePos(node?.range?.[0] ?? 0).line;
  }

  #spend(size: number): void {
    this.#size += size;
    if (this.#size > MAX_SIZE) throw new TooLarge();
  }
}
