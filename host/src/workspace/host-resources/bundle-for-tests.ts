/** For tests: the extension as one bundle sees it, over the real store in a folder of its own, on a clock that is set by hand. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FileInfo, FilesOf, NewFile } from "../../kernel/files.ts";
import { HOST_RESOURCES, type ExtensionPort } from "../../kernel/host-extension.ts";
import { createFiles } from "../files/create-files.ts";
import { createHostExtensions, type HostExtensionsOptions, type OfferedExtensions } from "./create-host-extensions.ts";
import type { ExtensionUse } from "./extension-use.ts";

export interface TestExtensions {
  readonly workDir: string;
  readonly files: FilesOf;
  readonly uses: ExtensionUse[];
  readonly bugs: unknown[];
  readonly clock: { now: number; origin: string | null };
  readonly extensions: OfferedExtensions;
  port(workspace?: string, provider?: string, keys?: readonly string[]): ExtensionPort;
  add(bytes: string | Uint8Array, file?: Partial<NewFile>, workspace?: string): Promise<FileInfo>;
  end(): Promise<void>;
}

export const SETTINGS = { enabled: true, ratePerSecond: 100, burst: 1000, maxReadBytes: 10_485_760 };

export const openExtensions = (more: Partial<HostExtensionsOptions> = {}): TestExtensions => {
  const workDir = mkdtempSync(join(tmpdir(), "bailiwick-resources-"));
  const limits = { maxFileSize: 26_214_400, maxWorkspaceSize: 1_073_741_824, maxFiles: 10_000 };
  const stores = createFiles({ workDir, limits });
  const files: FilesOf = (workspace) => stores.of(workspace);
  const uses: ExtensionUse[] = [];
  const bugs: unknown[] = [];
  const clock: TestExtensions["clock"] = { now: 1_800_000_000_000, origin: "http://127.0.0.1:7420" };
  const extensions = createHostExtensions({
    files,
    settings: () => SETTINGS,
    origin: () => clock.origin,
    judge: () => null,
    record: async (use) => void uses.push(use),
    report: (bug) => bugs.push(bug),
    now: () => clock.now,
    ...more,
  });
  return {
    workDir,
    files,
    uses,
    bugs,
    clock,
    extensions,
    port: (workspace = "ws_default", provider = "research", keys = [HOST_RESOURCES]) => {
      const port = extensions.port({ workspace, provider }, keys);
      port.open();
      return port;
    },
    add: (bytes, file = {}, workspace = "ws_default") =>
      files(workspace).create({
        filename: "a.txt",
        mimeType: "text/plain",
        createdBy: "person:local",
        ...file,
        bytes: typeof bytes === "string" ? Buffer.from(bytes) : bytes,
      }),
    end: async () => {
      await stores.close();
      rmSync(workDir, { recursive: true, force: true });
    },
  };
};
