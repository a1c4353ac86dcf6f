/**
 * How long and how often things are measured.
 */
export interface Timing {
  readonly warmUpMs: number;
  readonly windowMs: number;
  /** Of all subjects in turns. */
  readonly rounds: number;
  /** Turns of a comparison, windows of half the length. */
  readonly turns: number;
  /** Of the doors, each with hosts of its own, and how often each host is loaded in one. */
  readonly doorRounds: number;
  readonly doorTurns: number;
  readonly starts: number;
  /** Size of the log that counts as long, and how many calls in it have an answer that is kept. */
  readonly events: number;
  readonly replies: number;
  /** Approvals that nobody waits for. */
  readonly pending: number;
  /** Of each document of `capabilities://`. */
  readonly reads: number;
}

export const FULL: Timing = {
  warmUpMs: 2000,
  windowMs: 4000,
  rounds: 3,
  turns: 5,
  doorRounds: 13,
  doorTurns: 2,
  starts: 5,
  events: 1_000_000,
  replies: 200_000,
  pending: 10_000,
  reads: 300,
};
export const QUICK: Timing = {
  warmUpMs: 500,
  windowMs: 1000,
  rounds: 1,
  turns: 1,
  doorRounds: 1,
  doorTurns: 1,
  starts: 2,
  events: 50_000,
  replies: 10_000,
  pending: 1000,
  reads: 100,
};
