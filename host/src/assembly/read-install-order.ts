/** What somebody wants to install: the entry as the file would have it, or the refusal that names each fault. */
import { formatFinding, parseConfig, type BundleEntry } from "@bailiwick/contract";
import { BASH_NAME } from "../bundles/bash/locate-bash.ts";
import { Refusal } from "../kernel/refusal.ts";
import type { RawEntry } from "./config-entries.ts";
import type { WorkspaceRoom } from "./workspace-room.ts";

export const readInstallOrder = (raw: RawEntry, { config }: WorkspaceRoom): BundleEntry => {
  const text = JSON.stringify({ sandbox: config.sandbox, bundles: [raw] });
  const reading = parseConfig(text, { dialect: "bailiwick" });
  const entry = reading.config?.bundles[0];
  // What a file's reader leaves out with a warning was meant by whoever asks for an install.
  const dropped = reading.warnings.filter(({ message }) => /^(?:unknown key|ignored: )/.test(message));
  const faults = [...reading.errors, ...dropped].map(formatFinding).map(aboutThis);
  if (entry === undefined || faults.length > 0) {
    throw new Refusal("bad_request", {
      message: `This is no entry that could be installed: ${faults.join("; ")}.`,
      next: "Give exactly one of name, path and url, and correct or leave out the named fields.",
      details: { errors: faults },
    });
  }
  if (entry.enabled) return entry;
  throw new Refusal("bad_request", {
    message: 'An install starts what it installs, so it takes no "enabled": false.',
    next: 'Leave "enabled" out, and stop it afterwards: bailiwick bundle stop <name>',
  });
};

const aboutThis = (line: string): string => line.replace("/bundles/0", "").replace(": ignored: ", ": ");

/** What a registry has only as a server elsewhere becomes an entry for that server, with all else that was asked for. */
export const asWritten = async (asked: RawEntry, target: WorkspaceRoom, signal: AbortSignal): Promise<RawEntry> => {
  const { name } = asked;
  if (typeof name !== "string" || name.startsWith("npm:") || name === BASH_NAME) return asked;
  const entry = readInstallOrder(asked, target);
  const remote = entry.kind === "name" ? await target.sources.remoteFor(entry, signal) : null;
  if (remote === null) return asked;
  const carried = Object.entries(asked).filter(([field]) => field !== "name" && field !== "version");
  return { ...Object.fromEntries(carried), ...remote };
};
