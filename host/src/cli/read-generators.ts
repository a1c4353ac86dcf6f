/** The generators of the running host, as its document `capabilities://generators` tells of them. */
import { readRunningDocument } from "../assembly/read-running-document.ts";
import { isObject } from "../kernel/is-object.ts";
import type { CommandContext } from "./command.ts";
import { inWorkspace, openConfig } from "./open-config.ts";

export interface GeneratorSeen {
  readonly type: string;
  readonly version: string;
  readonly source: string;
  readonly status: string;
  /** What its config must have. */
  readonly fields: readonly string[];
  readonly isAvailable: boolean;
  readonly reason: string;
  readonly missing: readonly string[];
}

export interface RejectedSeen {
  readonly path: string;
  readonly code: string;
  readonly message: string;
}

export interface GeneratorsSeen {
  readonly generators: readonly GeneratorSeen[];
  readonly rejected: readonly RejectedSeen[];
  /** As the host wrote it. */
  readonly document: Readonly<Record<string, unknown>>;
}

export const readGenerators = async (context: CommandContext): Promise<GeneratorsSeen> => {
  const { workDir } = openConfig(context);
  const order = { type: "generators", member: "generators", ...inWorkspace(context) };
  const document = await readRunningDocument(workDir, order);
  const { rejected } = membersOf(document["metadata"]);
  return {
    generators: Object.entries(membersOf(document["generators"])).map(([type, entry]) => readEntry(type, entry)),
    rejected: (Array.isArray(rejected) ? rejected : []).map(readRejected),
    document,
  };
};

const readEntry = (type: string, entry: unknown): GeneratorSeen => {
  const { version, source, status, requirements, availability } = membersOf(entry);
  const { status: word, reason, missing } = membersOf(availability);
  return {
    type,
    version: textOf(version),
    source: textOf(source),
    status: textOf(status),
    fields: textsOf(membersOf(requirements)["fields"]),
    isAvailable: word === "available",
    reason: textOf(reason),
    missing: textsOf(missing),
  };
};

const readRejected = (value: unknown): RejectedSeen => {
  const { plugin_path, reason_code, message } = membersOf(value);
  return { path: textOf(plugin_path), code: textOf(reason_code), message: textOf(message) };
};

const membersOf = (value: unknown): Readonly<Record<string, unknown>> => (isObject(value) ? value : {});
const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
const textsOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
