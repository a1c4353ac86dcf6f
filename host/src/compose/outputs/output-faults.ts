/** How a place for an output is refused, and how writing there fails. Texts name no absolute path of the host. */
import { ComposeError } from "../compose-error.ts";

const MAX_TOLD = 200;
const NEXT = "Give output_path, or the file in metadata.outputs, as folder/name below a root of the workspace.";

const tell = (path: string): string => path.slice(0, MAX_TOLD).toWellFormed();

export const invalidOutput = (
  path: string,
  reason: string,
  more: Readonly<Record<string, unknown>> = {},
): ComposeError =>
  new ComposeError("invalid_output_path", `Nothing can be written to ${JSON.stringify(tell(path))}: ${reason}.`, {
    output_path: tell(path),
    reason,
    ...more,
    next: NEXT,
  });

export const writeFailed = (path: string, reason: string, more: Readonly<Record<string, unknown>> = {}): ComposeError =>
  new ComposeError("write_failed", `${JSON.stringify(tell(path))} was not written: ${reason}.`, {
    path: tell(path),
    reason,
    ...more,
  });

const INVALID: ReadonlyMap<string, string> = new Map([
  ["ELOOP", "a link is on the way, and none is followed"],
  ["ENOTDIR", "something on the way is no folder, or a link, and none is followed"],
  ["EISDIR", "a folder has this name"],
  ["ENAMETOOLONG", "a name in it is too long"],
]);
const FAILED: ReadonlyMap<string, string> = new Map([
  ["ENOENT", "its folder went away"],
  ["EACCES", "the host may not write there"],
  ["EPERM", "the host may not write there"],
  ["EROFS", "the disk can only be read"],
  ["ENOSPC", "the disk is full"],
  ["EDQUOT", "the disk is full"],
]);

/** What the system said; whatever else was thrown is passed on as it is. */
export const tellOutputError = (
  error: unknown,
  path: string,
  more: Readonly<Record<string, unknown>> = {},
): unknown => {
  const { code } = error as NodeJS.ErrnoException;
  if (error instanceof ComposeError || typeof code !== "string") return error;
  const invalid = INVALID.get(code);
  if (invalid !== undefined) return invalidOutput(path, invalid, more);
  return writeFailed(path, `${FAILED.get(code) ?? "the system refused it"} (${code})`, more);
};
