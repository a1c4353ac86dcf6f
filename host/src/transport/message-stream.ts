/** A stream of messages to one reader that stays open for what is still to come. */
export interface MessageStream {
  /** Nothing more can be written. */
  readonly ended: boolean;
  /** Its reader has not taken what was written; `onDrain` tells when it has. */
  readonly slow: boolean;
  /** The id is for a reader that comes back; wires on which nobody can drop it. */
  write(text: string, id?: string): void;
  end(): void;
  onDrain(listener: () => void): void;
  /** Called once: it was ended, or its reader left. */
  onClose(listener: () => void): void;
}
