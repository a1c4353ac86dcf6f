/** How a process of a plug-in leaves a request that it may not be to blame for. */
import type { ComposeError } from "../compose-error.ts";

/**
 * The process went before it answered, and another request may be why, so it may be sent to another process; `failure`:
 * unless that was done. `begun`: code of the plug-in ran for it, so it may be the one.
 */
export class Unanswered extends Error {
  override readonly name = "Unanswered";
  readonly failure: ComposeError;
  readonly begun: boolean;

  constructor(failure: ComposeError, begun: boolean) {
    super(failure.message);
    this.failure = failure;
    this.begun = begun;
  }
}
