/** One request of a bundle as it is recorded: what was asked for and how it ended, never what was read. */
import type { BundleIdentity } from "../../kernel/host-extension.ts";

export interface ExtensionUse {
  readonly bundle: BundleIdentity;
  readonly method: string;
  /** As asked, of a read; long ones are cut. */
  readonly uri: string | null;
  /** As asked, of a list: JSON text, cut when it is long. */
  readonly filter: string | null;
  /** Bytes of the file that was served, or that is too large; null: no file was found, or none was asked for. */
  readonly size: number | null;
  /** How many were listed. */
  readonly count: number | null;
  readonly outcome: "success" | "denied" | "failure";
  /** Of the error; null: there was none. */
  readonly code: number | null;
  /** The rule of the policy that refused it. */
  readonly rule?: string;
  /** How many requests it stands for: refusals of one code, the newest of which this is. Absent: one. */
  readonly times?: number;
}
