/**
 * Something that stands between the client and the echo server.
 */
import type { Launched } from "./launch.ts";
import type { Target } from "./target.ts";

export interface Running {
  readonly target: Target;
  readonly launched: Launched;
}

export interface Subject {
  /** For `--only`. */
  readonly id: string;
  readonly title: string;
  /** How it is run, for the report. */
  readonly note: string;
  /** `gateway-sse`: a gateway's second door, the old SSE transport. */
  readonly kind: "baseline" | "bailiwick" | "gateway" | "gateway-sse";
  /** Resolves when it has answered its first call. `home` is an empty directory of its own. */
  start(home: string): Promise<Running>;
}
