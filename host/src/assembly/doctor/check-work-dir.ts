/** The work directory and the owner key in it: there, ours, writable, and nobody else's to read. */
import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fail, ok, warn, type Check } from "./check.ts";

const OTHERS = 0o077;

export const checkWorkDir = async (workDir: string): Promise<readonly Check[]> => {
  const facts = await stat(workDir).catch(() => null);
  if (facts === null) return [await checkParent(workDir)];
  if (!facts.isDirectory())
    return [fail("workdir", `${workDir} is not a directory.`, "Move it away, or give --workdir.")];
  return [await checkDirectory(workDir, facts), await checkOwnerKey(join(workDir, "owner.key"))];
};

const mayWrite = (path: string): Promise<boolean> =>
  access(path, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );

/** It is made at the first start, in the nearest directory that exists. */
const checkParent = async (workDir: string): Promise<Check> => {
  let parent = dirname(workDir);
  while ((await stat(parent).catch(() => null)) === null && parent !== dirname(parent)) parent = dirname(parent);
  if (await mayWrite(parent)) return ok("workdir", `${workDir} is made at the first start`);
  return fail(
    "workdir",
    `${workDir} cannot be made: ${parent} may not be written to.`,
    "Give another: --workdir <dir>",
  );
};

const checkDirectory = async (
  workDir: string,
  facts: { readonly mode: number; readonly uid: number },
): Promise<Check> => {
  if (!(await mayWrite(workDir))) {
    return fail("workdir", `${workDir} may not be written to.`, `Make it yours: sudo chown -R "$USER" ${workDir}`);
  }
  const mode = facts.mode & 0o777;
  if ((mode & OTHERS) === 0) return ok("workdir", workDir);
  return warn("workdir", `${workDir} is open to others (mode ${mode.toString(8)}).`, `chmod 700 ${workDir}`);
};

const checkOwnerKey = async (file: string): Promise<Check> => {
  const facts = await stat(file).catch(() => null);
  if (facts === null) return ok("owner key", `${file} is made at the first start`);
  const mode = facts.mode & 0o777;
  if ((mode & OTHERS) !== 0) {
    return warn("owner key", `${file} can be read by others (mode ${mode.toString(8)}).`, `chmod 600 ${file}`);
  }
  const isReadable = await access(file, constants.R_OK).then(
    () => true,
    () => false,
  );
  if (isReadable) return ok("owner key", file);
  return fail("owner key", `${file} cannot be read.`, `Make it yours: sudo chown "$USER" ${file}`);
};
