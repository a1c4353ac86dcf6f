/** What was found about a config. */
import type { ContentConfig } from "./config-types.ts";

export interface Violation {
  /** JSON pointer. */
  readonly pointer: string;
  readonly message: string;
}

export interface ConfigWarning extends Violation {
  readonly code: "unknown_key" | "unsupported_field";
}

export interface ConfigReading {
  readonly errors: readonly Violation[];
  readonly warnings: readonly ConfigWarning[];
}

/** The type of the generator that would take it; null: it cannot be said. */
export type GeneratorOf = (config: ContentConfig) => string | null;
