/**
 * The questions that a server has out for one call. Made with the first of them, so that a call without any costs nothing.
 */
export class Asking {
  readonly out = new Set<AbortController>();
  /** Set while answers are there and another call must end first. */
  turn: PromiseWithResolvers<void> | null = null;
  /** It may not go on and is about to be cancelled. */
  isWithdrawn = false;
  /** When the first of those that are out came, and how long the call has stood still before. */
  since = 0;
  stoodStillMs = 0;

  /** Nobody waits for the call any more. */
  giveUp(): void {
    for (const question of this.out) question.abort();
    this.takeTurn();
  }

  takeTurn(): void {
    this.turn?.resolve();
    this.turn = null;
  }
}
