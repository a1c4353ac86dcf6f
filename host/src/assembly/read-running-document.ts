/** One document of `capabilities://`, from the host that runs for a work directory in another process, read as its owner. */
import { isObject } from "../kernel/is-object.ts";
import { Refusal } from "../kernel/refusal.ts";
import { askHost, parseObject, readRefusal } from "./ask-host.ts";
import { findReachable } from "./find-reachable.ts";
import { lostHost } from "./lost-host.ts";

export interface DocumentOrder {
  /** `generators` */
  readonly type: string;
  /** An object that it has; without it, it is of another host. */
  readonly member: string;
  /** Absent: the owner's own. */
  readonly workspace?: string;
}

/** Refusal `not_ready` where none runs, else what the host refuses it with. */
export const readRunningDocument = async (
  workDir: string,
  { type, member, workspace }: DocumentOrder,
): Promise<Readonly<Record<string, unknown>>> => {
  const host = await findReachable(workDir);
  if (host === null) throw noneRuns();
  const path = `/v1/capabilities/${encodeURIComponent(type)}`;
  const where = { ...host, ...(workspace !== undefined && { workspace }) };
  const reply = await askHost(where, { method: "GET", path }).catch((error: Error) => {
    throw lostHost(host.origin, error, { before: "it answered", repeated: "anything" });
  });
  if (reply.status !== 200) throw readRefusal(reply);
  const document = parseObject(reply.text);
  if (document === null || !isObject(document[member])) throw strange(host.origin, path);
  return document;
};

const noneRuns = (): Refusal =>
  new Refusal("not_ready", {
    message: "No host is running for this work directory any more.",
    next: "Start it: bailiwick serve",
  });

const strange = (origin: string, path: string): Refusal =>
  new Refusal("upstream_failed", {
    message: `The host at ${origin} answered ${path} in a form that this program does not know.`,
    next: "It is probably of another version. Restart it: bailiwick serve",
  });
