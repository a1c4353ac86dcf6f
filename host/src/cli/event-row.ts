/** One evidence event as a line for people: number, time, what happened, to which tool, by whom, and why not. Pure. */
import { HOST_CAPABILITY } from "../kernel/host-capability.ts";
import type { Paint } from "./terminal.ts";

interface EventText {
  readonly sequence?: unknown;
  readonly timestamp?: unknown;
  readonly event_type?: unknown;
  readonly outcome?: unknown;
  readonly capability_id?: unknown;
  readonly payload?: Readonly<Record<string, unknown>> | null;
  readonly subject?: { readonly id?: unknown; readonly door?: unknown; readonly on_behalf_of?: unknown } | null;
  readonly denial?: { readonly code?: unknown; readonly message?: unknown } | null;
  readonly error?: { readonly code?: unknown; readonly message?: unknown } | null;
}

const WIDTHS = [7, 19, 14, 32] as const;
const EXECUTION = "execution_";
const OURS = "dev.bailiwick.";

const word = (value: unknown): string => (typeof value === "string" || typeof value === "number" ? String(value) : "");

export const eventRow = (line: string, paint: Paint): string => {
  const event = JSON.parse(line) as EventText;
  const type = word(event.event_type).replace(EXECUTION, "").replace(OURS, "");
  const cells = [
    word(event.sequence).padStart(WIDTHS[0]),
    word(event.timestamp).slice(0, 19).replace("T", " ").padEnd(WIDTHS[1]),
    colour(event.outcome, paint)(type.padEnd(WIDTHS[2])),
    nameCapability(event).padEnd(WIDTHS[3]),
    describeSubject(event),
    describeEnd(event),
  ];
  return cells
    .filter((cell) => cell !== "")
    .join("  ")
    .trimEnd();
};

const nameCapability = ({ capability_id: capability, payload }: EventText): string => {
  if (capability !== HOST_CAPABILITY) return word(payload?.["tool"]) || word(capability);
  return word(payload?.["bundle"]) || word(payload?.["name"]) || "the host";
};

const colour = (outcome: unknown, paint: Paint): ((text: string) => string) => {
  if (outcome === "success") return paint.green;
  if (outcome === "denied" || outcome === "failure") return paint.red;
  return outcome === "indeterminate" || outcome === "skipped" ? paint.yellow : paint.dim;
};

const describeSubject = ({ subject }: EventText): string => {
  const id = word(subject?.id).replace("://", ":");
  const behalf = word(subject?.on_behalf_of).replace("://", ":");
  const door = word(subject?.door);
  return [id, behalf === "" ? "" : `for ${behalf}`, door === "" ? "" : `via ${door}`]
    .filter((part) => part !== "")
    .join(" ");
};

const describeEnd = ({ denial, error, payload, capability_id: capability }: EventText): string => {
  // What the host says of itself is in the payload.
  if (capability === HOST_CAPABILITY) {
    const by = word(payload?.["by"]);
    return word(payload?.["message"]) || (by === "" ? JSON.stringify(payload ?? {}) : `by ${by}`);
  }
  const no = denial ?? error;
  if (no) return [word(no.code), word(no.message)].filter((part) => part !== "").join(": ");
  const duration = word(payload?.["duration_ms"]);
  return duration === "" ? "" : `${duration} ms`;
};
