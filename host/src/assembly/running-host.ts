/**
 * Where the host of a work directory listens: a small file, there while it listens. A crash leaves the file behind, so
 * nobody believes it before the very process that wrote it is alive and answers.
 */
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { request } from "../kernel/node-http.ts";
import { dialableOrigin } from "./dialable-origin.ts";

export interface Announcement {
  readonly pid: number;
  /** `http://127.0.0.1:7420` */
  readonly origin: string;
  readonly noAuth: boolean;
  /** Absolute; null: it runs on defaults. */
  readonly configFile: string | null;
}

export interface RunningHost extends Announcement {
  readonly startedAt: string;
  /** When the process began, in the kernel's own count; null where there is no /proc. */
  readonly processStart: string | null;
}

/** Long, because its process is alive: a host that is busy must not pass for one that is not there. */
const HEALTH_MS = 10_000;

const fileOf = (workDir: string): string => join(workDir, "run", "host.json");

export const announceHost = async (workDir: string, announcement: Announcement): Promise<void> => {
  const file = fileOf(workDir);
  await mkdir(join(workDir, "run"), { recursive: true, mode: 0o700 });
  const record: RunningHost = {
    ...announcement,
    startedAt: new Date().toISOString(),
    processStart: await readProcessStart(announcement.pid),
  };
  // Renamed into place: a command that reads meanwhile sees a whole file or none.
  const draft = `${file}.${announcement.pid}`;
  await writeFile(draft, `${JSON.stringify(record)}\n`, { mode: 0o600 });
  await rename(draft, file);
};

/** Removes the file if it is this process's own. */
export const withdrawHost = async (workDir: string): Promise<void> => {
  const record = await readAnnouncement(workDir);
  if (record?.pid === process.pid) await rm(fileOf(workDir), { force: true });
};

/** The host that listens for this work directory now, or null. */
export const findRunningHost = async (workDir: string): Promise<RunningHost | null> => {
  const record = await readAnnouncement(workDir);
  if (record === null || !(await isSameProcess(record))) return null;
  return (await answersHealth(record.origin)) ? record : null;
};

const readAnnouncement = async (workDir: string): Promise<RunningHost | null> => {
  try {
    const record = JSON.parse(await readFile(fileOf(workDir), "utf8")) as Partial<RunningHost> | null;
    if (typeof record?.pid !== "number" || !Number.isSafeInteger(record.pid) || record.pid <= 0) return null;
    if (typeof record.origin !== "string" || !/^http:\/\/[^/\s@]+$/.test(record.origin)) return null;
    return {
      pid: record.pid,
      origin: dialableOrigin(record.origin),
      noAuth: record.noAuth === true,
      configFile: typeof record.configFile === "string" ? record.configFile : null,
      startedAt: record.startedAt ?? "",
      processStart: typeof record.processStart === "string" ? record.processStart : null,
    };
  } catch {
    return null;
  }
};

/** A number may have gone to another program since; the owner key must not be sent to whatever listens there now. */
const isSameProcess = async ({ pid, processStart }: RunningHost): Promise<boolean> => {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EPERM") return false;
  }
  return processStart === null || (await readProcessStart(pid)) === processStart;
};

/** Field 22 of /proc/<pid>/stat; the name in field 2 may itself hold blanks and brackets. */
const readProcessStart = async (pid: number): Promise<string | null> => {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => null);
  return text === null ? null : (text.slice(text.lastIndexOf(")") + 2).split(" ")[19] ?? null);
};

const answersHealth = (origin: string): Promise<boolean> =>
  new Promise((resolve) => {
    const asked = request(`${origin}/v1/health`, { signal: AbortSignal.timeout(HEALTH_MS) }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    asked.once("error", () => resolve(false));
    asked.end();
  });
