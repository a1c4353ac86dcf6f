/** Ctrl-C in a chat: what it means now. Where it means nothing, the program ends at once. */

export interface Interrupts {
  readonly press: () => void;
  /** Null: the next one ends the program. */
  set(handler: (() => void) | null): void;
  close(): void;
}

/** 128 + the number of SIGINT, as shells write it. */
const FORCED = 130;

export const watchInterrupts = (): Interrupts => {
  let handler: (() => void) | null = null;
  const press = (): void => {
    if (handler === null) process.exit(FORCED);
    handler();
  };
  process.on("SIGINT", press);
  return {
    press,
    set(next) {
      handler = next;
    },
    close: () => void process.removeListener("SIGINT", press),
  };
};
