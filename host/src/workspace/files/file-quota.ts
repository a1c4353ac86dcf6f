/**
 * How much a workspace may hold. A create takes its share before it writes, so that many at once never exceed together what
 * each alone would be allowed. The limits are read each time, since they may change while the host runs.
 */
import { Refusal } from "../../kernel/refusal.ts";
import type { Totals } from "./file-index.ts";

export interface FileLimits {
  readonly maxFileSize: number;
  readonly maxWorkspaceSize: number;
  readonly maxFiles: number;
}

interface NewShare {
  readonly size: number;
  readonly filename: string;
}

export class FileQuota {
  readonly #limits: FileLimits;
  #files = 0;
  #bytes = 0;

  constructor(limits: FileLimits) {
    this.#limits = limits;
  }

  /** Throws Refusal `quota_exceeded`; otherwise `give` must follow, once the file is counted in the totals or is none. */
  take({ size, filename }: NewShare, stored: Totals): void {
    const { maxFileSize, maxWorkspaceSize, maxFiles } = this.#limits;
    const files = stored.files + this.#files;
    const bytes = stored.bytes + this.#bytes;
    if (size > maxFileSize) throw tooLarge(filename, maxFileSize, size);
    if (files + 1 > maxFiles) throw exceeded("maxFiles", maxFiles, files);
    if (bytes + size > maxWorkspaceSize) throw exceeded("maxWorkspaceSize", maxWorkspaceSize, bytes);
    this.#files += 1;
    this.#bytes += size;
  }

  give(size: number): void {
    this.#files -= 1;
    this.#bytes -= size;
  }
}

/** Whoever takes it in need not read on behind the limit, so `used` may be less than the file has. */
const tooLarge = (filename: string, limit: number, used: number): Refusal =>
  new Refusal("quota_exceeded", {
    message: `The file ${JSON.stringify(filename)} is larger than ${limit} bytes, which a file may have at most.`,
    next: `Split the file, or raise files.maxFileSize in bailiwick.json.`,
    details: { quota: "maxFileSize", limit, used },
  });

const exceeded = (quota: "maxFiles" | "maxWorkspaceSize", limit: number, used: number): Refusal =>
  new Refusal("quota_exceeded", {
    message: `This file does not fit into the workspace: it holds ${used} of at most ${limit} ${quota === "maxFiles" ? "files" : "bytes"}.`,
    next: `Delete files that are no longer needed with files__delete, or raise files.${quota} in bailiwick.json.`,
    details: { quota, limit, used },
  });
