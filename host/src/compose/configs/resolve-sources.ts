/**
 * What a config takes into its context from elsewhere: its `inputs.sources`, under their ids, and files that its own context
 * names. Where things are read from is the ports' matter, and so are roots.
 */
import { ComposeError } from "../compose-error.ts";
import type { InputSource } from "./config-types.ts";
import { isReference, type Context } from "./read-context.ts";

export interface SourcePorts {
  /** A text file inside a root; null: there is none. Throws for what may not be read. */
  readonly readFile: (path: string) => Promise<string | null>;
  /** Stored texts that the strategy picks; none: there is none. */
  readonly readStored: (contentId: string, strategy: string) => Promise<readonly string[]>;
  /** A saved config; null: there is none. */
  readonly readConfig: (type: "content" | "artifact", id: string) => Promise<unknown>;
  /** A file as it is in a commit, inside a root; null: there is none. */
  readonly readGit: (ref: string, path: string) => Promise<string | null>;
}

class Unresolved extends Error {}

const MAX_TOLD = 300;

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new Unresolved("it is no JSON");
  }
};

const found = <T>(value: T | null | undefined): T => {
  if (value === null || value === undefined) throw new Unresolved("there is none");
  return value;
};

const asFile = (text: string, path: string): unknown => (path.toLowerCase().endsWith(".json") ? parseJson(text) : text);

const inline = (locator: unknown): unknown => {
  if (typeof locator !== "string") return locator;
  try {
    return JSON.parse(locator) as unknown;
  } catch {
    return locator;
  }
};

const read = async (
  { source_type: type, source_locator: given }: InputSource,
  ports: SourcePorts,
): Promise<unknown> => {
  if (type === "inline_data") return inline(given);
  if (typeof given !== "string" || given === "") throw new Unresolved("its source_locator must be a text");
  const [first, rest] = splitOnce(given);
  if (type === "external_file") return asFile(found(await ports.readFile(given)), given);
  if (type === "content_config") return found(await ports.readConfig("content", given));
  if (type === "artifact_config") return found(await ports.readConfig("artifact", given));
  if (type === "ephemeral_output") {
    const texts = await ports.readStored(first, rest ?? "latest");
    return texts.length > 1 ? texts : found(texts[0]);
  }
  if (type !== "git_reference") throw new Unresolved(`the source type ${type} is not supported`);
  if (rest === undefined) throw new Unresolved("its source_locator must be ref:path");
  return asFile(found(await ports.readGit(first, rest)), rest);
};

const splitOnce = (text: string): [string, string | undefined] => {
  const at = text.indexOf(":");
  return at === -1 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
};

const select = (value: unknown, pointer: string): unknown => {
  // A stored text of data is data to whoever looks into it.
  let at = typeof value === "string" && pointer !== "" ? parseJson(value) : value;
  for (const step of pointer.split("/").slice(1)) {
    const key = step.replaceAll("~1", "/").replaceAll("~0", "~");
    const isThere = typeof at === "object" && at !== null && Object.hasOwn(at, key);
    if (!isThere || (Array.isArray(at) && key === "length")) throw new Unresolved(`it has nothing at ${pointer}`);
    at = (at as Readonly<Record<string, unknown>>)[key];
  }
  return at;
};

const whyOf = (error: unknown): string | null =>
  error instanceof Unresolved || error instanceof ComposeError ? error.message : null;

/** By id. ComposeError `generation_failed` for one that is required and cannot be had; an optional one is then null. */
export const resolveSources = async (sources: readonly InputSource[], ports: SourcePorts): Promise<Context> => {
  const members = new Map<string, unknown>();
  for (const source of sources) {
    const { id, required = true, data_selector: pointer = "" } = source;
    try {
      members.set(id, select(await read(source, ports), pointer));
    } catch (error) {
      const why = whyOf(error);
      if (why === null) throw error;
      if (required)
        throw new ComposeError("generation_failed", `Source '${id}' cannot be used: ${why.slice(0, MAX_TOLD)}`, {
          source: id,
          source_type: source.source_type,
        });
      members.set(id, null);
    }
  }
  return Object.fromEntries(members);
};

/** Of a config's own context: what names a file becomes what is in it. */
export const resolveReferences = async (context: Context, ports: Pick<SourcePorts, "readFile">): Promise<Context> => {
  const members = new Map<string, unknown>();
  for (const [key, value] of Object.entries(context)) {
    if (!isReference(value)) members.set(key, value);
    else if (value.source === "file" && typeof value.path === "string") {
      const text = await ports.readFile(value.path);
      if (text === null) throw unreadable(key, `there is no file ${JSON.stringify(value.path.slice(0, MAX_TOLD))}`);
      try {
        members.set(key, asFile(text, value.path));
      } catch (error) {
        throw unreadable(key, whyOf(error) ?? "it cannot be read");
      }
    } else throw unreadable(key, "only source file with a path is supported");
  }
  return Object.fromEntries(members);
};

const unreadable = (key: string, why: string): ComposeError =>
  new ComposeError("generation_failed", `The context variable '${key.slice(0, MAX_TOLD)}' cannot be read: ${why}`, {
    variable: key.slice(0, MAX_TOLD),
  });
