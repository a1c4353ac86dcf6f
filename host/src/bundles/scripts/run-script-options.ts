/** What the scripts of a workspace's packages are run with. */
import type { Sandbox } from "@bailiwick/contract";
import type { Ground } from "../ground.ts";
import type { Redaction } from "../redaction.ts";

export interface RunScriptOptions {
  readonly ground: Pick<Ground, "keeper">;
  readonly workspace: string;
  /** The host's own state, which no confined script sees. */
  readonly workDir: string;
  /** Paths of `sandbox` are relative to it. */
  readonly baseDir: string;
  /** Nor the folders of these. */
  readonly configFiles: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Of a package; made if missing, mode 0700. */
  readonly dataDirOf: (provider: string) => string;
  /** As the configuration has it now. */
  readonly sandbox: () => Sandbox;
  /** Learns what scripts are given. */
  readonly redaction: Redaction;
}
