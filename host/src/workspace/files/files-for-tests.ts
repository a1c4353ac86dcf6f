/** What the tests of the file store share: a workspace folder that goes away, a store, files to put in. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { FileQuery, FileStore, NewFile } from "../../kernel/files.ts";
import { Refusal } from "../../kernel/refusal.ts";
import type { FileLimits } from "./file-quota.ts";
import { openFileStore } from "./open-file-store.ts";
import { TextDesk } from "./text-desk.ts";

export const LIMITS: FileLimits = { maxFileSize: 26_214_400, maxWorkspaceSize: 1_073_741_824, maxFiles: 10_000 };

export const TEXT = new TextDesk();

export const temporaryDir = (): string => {
  const dir = mkdtempSync(join(tmpdir(), "bailiwick-files-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
};

export const openStore = (dir: string = temporaryDir(), limits: Partial<FileLimits> = {}): FileStore => {
  const store = openFileStore({ dir, limits: { ...LIMITS, ...limits }, text: TEXT });
  onTestFinished(() => store.close());
  return store;
};

export const newFile = (filename: string, body: string | Uint8Array = "", rest: Partial<NewFile> = {}): NewFile => ({
  filename,
  bytes: typeof body === "string" ? Buffer.from(body) : body,
  createdBy: "person:ann",
  ...rest,
});

export const QUERY: FileQuery = { limit: 100, offset: 0, sort: "createdAt", order: "asc" };

export const names = (files: readonly { readonly filename: string }[]): string[] =>
  files.map(({ filename }) => filename);

/** The refusal that the work ends with; fails when it ends in any other way. */
export const refusalOf = async (work: () => Promise<unknown>): Promise<Refusal> => {
  try {
    await work();
  } catch (no) {
    if (no instanceof Refusal) return no;
    throw no;
  }
  throw new Error("it was not refused");
};
