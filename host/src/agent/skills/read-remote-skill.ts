/** The text of a skill that a server supplies, and its other files. Every read takes the one call path. */
import { Refusal } from "../../kernel/refusal.ts";
import type { RemoteFiles } from "./book-skill.ts";
import { readFront } from "./read-front.ts";
import { isInside, noSuchFile } from "./read-skill-file.ts";
import { SkillFindings } from "./skill-findings.ts";
import type { SkillReader } from "./skill-reader.ts";
import { SKILL_LIMITS } from "./skill-limits.ts";

export interface RemoteRead {
  readonly provider: string;
  /** As the workspace's endpoint lists it. */
  readonly uri: string;
  readonly reader: SkillReader;
  /** It has this much time, and no message waits longer for it. */
  readonly signal: AbortSignal;
}

const READ_MS = 10_000;

/** Rejects with Refusal, also for what is no text. */
export type ReadServerSkill = (order: RemoteRead) => Promise<string>;

interface RemoteOrder {
  readonly name: string;
  readonly remote: RemoteFiles;
  readonly reader: SkillReader;
}

/** No longer than whoever wants it waits either. */
const signalFor = ({ within }: SkillReader): AbortSignal => {
  const late = AbortSignal.timeout(READ_MS);
  return within === null ? late : AbortSignal.any([within.signal, late]);
};

/** What its `SKILL.md` says below the front matter. Refusal `upstream_failed` where that is of no use. */
export const readRemoteBody = async (read: ReadServerSkill, order: RemoteOrder): Promise<string> => {
  const { name, reader, remote } = order;
  const { provider, uri } = remote;
  const findings = new SkillFindings("SKILL.md");
  const text = await read({ provider, uri, reader, signal: signalFor(reader) });
  const front = await readFront(Buffer.from(text), findings);
  if (front !== null) return front.body;
  throw new Refusal("upstream_failed", {
    message: `The skill ${name} of ${provider} cannot be used: ${findings.all()[0] ?? ""}`,
    next: "Go on without it; the author of the bundle has to mend it.",
  });
};

/** `file`: below its folder, with `/`. Refusal `not_found` or `too_large`, or whatever the read is refused with. */
export const readRemoteFile = async (read: ReadServerSkill, order: RemoteOrder, file: string): Promise<string> => {
  const { name, reader, remote } = order;
  const uri = isInside(file) ? uriOf(remote, file) : null;
  if (uri === null) throw noSuchFile(name, file);
  const text = await read({ provider: remote.provider, uri, reader, signal: signalFor(reader) });
  if (Buffer.byteLength(text) <= SKILL_LIMITS.fileBytes) return text;
  throw new Refusal("too_large", {
    message: `${JSON.stringify(file)} of the skill ${name} has more than ${SKILL_LIMITS.fileBytes} bytes.`,
    next: "Go on without it.",
  });
};

/** Null: the server lists its files, and this is none of them. */
const uriOf = ({ uri, files }: RemoteFiles, file: string): string | null => {
  const root = uri.slice(0, uri.lastIndexOf("/") + 1);
  if (files === null) return root + file.split("/").map(encodeURIComponent).join("/");
  return files.find((each) => each.startsWith(root) && decoded(each.slice(root.length)) === file) ?? null;
};

const decoded = (path: string): string | null => {
  try {
    return path.split("/").map(decodeURIComponent).join("/");
  } catch {
    return null;
  }
};
