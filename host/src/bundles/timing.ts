/** The waits of a bundle that no configuration changes. Tests shorten them. */
export interface Timing {
  /** From the start to `running`. */
  readonly startTimeoutMs: number;
  readonly livenessIntervalMs: number;
  readonly livenessTimeoutMs: number;
  /** Notices of a changed list within this time are answered by one listing. */
  readonly relistDelayMs: number;
  readonly relistTimeoutMs: number;
  /** How long a principal's own connection stays without being used. */
  readonly idleMs: number;
}

export const PROCESS_TIMING: Timing = {
  startTimeoutMs: 30_000,
  livenessIntervalMs: 30_000,
  livenessTimeoutMs: 20_000,
  relistDelayMs: 25,
  relistTimeoutMs: 30_000,
  idleMs: 600_000,
};

export const REMOTE_TIMING: Timing = { ...PROCESS_TIMING, startTimeoutMs: 15_000 };
