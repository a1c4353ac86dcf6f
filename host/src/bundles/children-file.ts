/**
 * `<workDir>/run/children`: what the host has started, for the next boot in case host and keeper both were killed. Start
 * times and the machine's boot id make sure that only those very processes are ended.
 */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { endProcesses } from "./end-processes.ts";
import { bootId, bornOf, isRunning, type Spawned } from "./process-table.ts";
import { Survivors } from "./survivors.ts";

const GRACE_MS = 1_000;
const HEADER = /^host (\d+) (\d*) (\S*)$/;
const LINE = /^(\d+) (\d*) ([0-9a-f]{16,64})$/;

/** Written synchronously: a host killed right after a spawn must have left its line. */
export const writeChildren = (file: string, children: Iterable<Spawned>): void => {
  const lines = [`host ${process.pid} ${bornOf(process.pid)} ${bootId()}`];
  for (const { pgid, born, marker } of children) lines.push(`${pgid} ${born} ${marker}`);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${lines.join("\n")}\n`, { mode: 0o600 });
  renameSync(draft, file);
};

/** Ends what an earlier host left behind; returns how many groups there were. A host that still runs keeps its own. */
export const reapChildren = async (file: string): Promise<number> => {
  const children = readLeftovers(file);
  const ended = await Promise.all(children.map((child) => endProcesses(new Survivors(child), { graceMs: GRACE_MS })));
  if (children.length > 0 && ended.every(Boolean)) rmSync(file, { force: true });
  return children.length;
};

const readLeftovers = (file: string): Spawned[] => {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch {
    return [];
  }
  const [first = "", ...rest] = text.split("\n");
  const header = HEADER.exec(first);
  if (header === null || header[3] !== bootId()) return [];
  const owner = Number(header[1]);
  if (owner !== process.pid && isRunning(owner, header[2] ?? "")) return [];
  return rest.flatMap((line) => {
    const parts = LINE.exec(line);
    return parts === null ? [] : [{ pgid: Number(parts[1]), born: parts[2] ?? "", marker: parts[3] ?? "" }];
  });
};
