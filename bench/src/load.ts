/**
 * What the load client is asked to do and what it found. Both cross a process boundary as JSON.
 */
import type { Target } from "./target.ts";

export interface LoadJob {
  readonly target: Target;
  /** `call`: the echo tool, each answer compared. `list`: `tools/list`, the tools of the upstream counted. */
  readonly work: { readonly kind: "call" } | { readonly kind: "list"; readonly tools: number };
  readonly inFlight: number;
  readonly warmUpMs: number;
  readonly windowMs: number;
  /** Process whose tree is charged for the calls. */
  readonly rootPid: number;
}

export interface Load {
  /** The window on the machine's monotonic clock, which a CPU profile uses too. */
  readonly fromMicros: number;
  readonly toMicros: number;
  readonly calls: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly wrong: number;
  /** The first wrong answer, for people. */
  readonly firstWrong: string | null;
  /** Null where there is no /proc. */
  readonly cpuMicrosPerCall: number | null;
  readonly clientCpuMicrosPerCall: number;
  readonly rootRssBytes: number | null;
  readonly treeRssBytes: number | null;
}
