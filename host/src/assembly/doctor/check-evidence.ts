/** The evidence log: readable, writable, with room on its disk, and held by one host at most. Verifying is another command. */
import { constants, existsSync } from "node:fs";
import { access, statfs } from "node:fs/promises";
import { join } from "node:path";
import { takeFileLock } from "../../storage/file-lock.ts";
import { openEvidenceReader } from "../../storage/read-evidence.ts";
import type { RunningHost } from "../running-host.ts";
import { fail, ok, warn, type Check } from "./check.ts";

const NAME = "evidence";
const LOW_BYTES = 200 * 1024 * 1024;

export const checkEvidence = async (workDir: string, running: RunningHost | null): Promise<readonly Check[]> => {
  const file = join(workDir, "evidence.db");
  if (!existsSync(file)) return [ok(NAME, "no record yet; the log begins with the first start")];
  return [...(await checkLog(workDir, file)), checkHolder(workDir, running), ...(await checkRoom(workDir))];
};

const checkLog = async (workDir: string, file: string): Promise<readonly Check[]> => {
  try {
    const reader = openEvidenceReader(workDir);
    const count = reader.last();
    reader.close();
    await access(file, constants.W_OK);
    return [ok(NAME, `${count === 1 ? "1 record" : `${count} records`} in ${file}`)];
  } catch (error) {
    const fix = `Make ${file} readable and writable for this account; if it is damaged, move it away and keep it.`;
    return [fail(NAME, `${file} cannot be used: ${(error as Error).message}. No call runs unrecorded.`, fix)];
  }
};

const checkHolder = (workDir: string, running: RunningHost | null): Check => {
  if (running !== null) return ok(NAME, `written by the running host (process ${running.pid})`);
  const file = join(workDir, "evidence.lock");
  if (!existsSync(file)) return ok(NAME, "no host is writing to it");
  try {
    const lock = takeFileLock(file, 0);
    if (lock === null) {
      const fix = "Wait for that command to end, or find it: ps -ef | grep bailiwick";
      return warn(NAME, `${workDir} is held by a host that does not listen: a command, or one that is starting.`, fix);
    }
    lock.release();
    return ok(NAME, "no host is writing to it");
  } catch (error) {
    return fail(NAME, `${file} cannot be locked: ${(error as Error).message}.`, "Make it writable for this account.");
  }
};

const checkRoom = async (workDir: string): Promise<readonly Check[]> => {
  const facts = await statfs(workDir).catch(() => null);
  if (facts === null || facts.bavail * facts.bsize >= LOW_BYTES) return [];
  const left = Math.floor((facts.bavail * facts.bsize) / 1_000_000);
  return [
    warn(
      NAME,
      `only ${left} MB are left on its disk; when it is full, every call is refused.`,
      "Make room on the disk.",
    ),
  ];
};
