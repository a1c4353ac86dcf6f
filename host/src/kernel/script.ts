/** One run of one program of a skill package: a process of its own, text in, text out. */
export interface ScriptOrder {
  /** Whose it is: its data directory is the working directory. */
  readonly provider: string;
  /** Absolute, real. With the sandbox on it is mounted read-only. */
  readonly packageDir: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Other places that it must be able to read, such as the runner's own. */
  readonly support: readonly string[];
  /** Host variables that an operator granted. */
  readonly allowedEnv: readonly string[];
  /** Folders it may work in; with the sandbox on they are mounted. */
  readonly roots: readonly { readonly path: string; readonly writable: boolean }[];
  /** Given on stdin, which then ends. */
  readonly input: string;
  readonly limitMs: number;
  readonly maxOutputBytes: number;
  /** Aborted: the process group is ended as at the limit. */
  readonly signal: AbortSignal;
  /** Each line of stderr, redacted. */
  readonly onStderr: (line: string) => void;
}

export interface ScriptEnd {
  /** `too_large`: it wrote more than it may, and was ended. */
  readonly how: "exited" | "timed_out" | "cancelled" | "too_large";
  /** Null: a signal ended it. */
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: Buffer;
  /** The last line of stderr, redacted; null: there was none. */
  readonly lastLine: string | null;
  /** The first 2,000 characters of stdout, redacted: what may be shown of it when it is no answer. */
  readonly opening: string;
}

/** Rejects with ScriptNotStarted when nothing could be started; with anything else it is a bug. */
export type RunScript = (order: ScriptOrder) => Promise<ScriptEnd>;
