/** All places that an artifact is written to, looked at before anything is written. */
import { lstat } from "node:fs/promises";
import { join, sep } from "node:path";
import { ComposeError } from "../compose-error.ts";
import type { ArtifactOutput } from "../configs/config-types.ts";
import type { RootList } from "../../kernel/roots.ts";
import { findOutput, type FoundOutput } from "./find-output.ts";
import { invalidOutput, tellOutputError } from "./output-faults.ts";

const MAX_OUTPUTS = 100;

export interface CheckedOutput extends FoundOutput {
  readonly format: string;
  /** Of what is there; null: nothing is. */
  readonly size: number | null;
}

/** ComposeError `invalid_output_path`, `write_failed`, `assembly_failed`. */
export const checkOutputs = async (
  wanted: readonly ArtifactOutput[],
  roots: RootList,
): Promise<readonly CheckedOutput[]> => {
  if (wanted.length > MAX_OUTPUTS)
    throw new ComposeError("assembly_failed", `It has ${wanted.length} outputs; at most ${MAX_OUTPUTS} are written.`, {
      outputs: wanted.length,
      limit: MAX_OUTPUTS,
    });
  const checked: CheckedOutput[] = [];
  for (const { file, format } of wanted) {
    const found = findOutput(file, roots);
    const other = checked.find(({ real }) => isInTheWay(real, found.real));
    if (other !== undefined) throw invalidOutput(file, `another output goes to ${JSON.stringify(other.told)}`);
    checked.push({ ...found, format, size: await sizeAt(found) });
  }
  return checked;
};

const isInTheWay = (a: string, b: string): boolean => a === b || a.startsWith(b + sep) || b.startsWith(a + sep);

/** Null: nothing is there. */
const sizeAt = async ({ root, path, told }: FoundOutput): Promise<number | null> => {
  const names = path.split("/");
  let at = root;
  for (const [index, name] of names.entries()) {
    at = join(at, name);
    const found = await lstat(at).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
      throw tellOutputError(error, told);
    });
    if (found === null) return null;
    if (found.isSymbolicLink()) throw invalidOutput(told, `${JSON.stringify(name)} is a link, and none is followed`);
    const isLast = index === names.length - 1;
    if (isLast && found.isFile()) return found.size;
    if (isLast) throw invalidOutput(told, "what has this name is no plain file");
    if (!found.isDirectory()) throw invalidOutput(told, `${JSON.stringify(name)} is no folder`);
  }
  return null;
};
