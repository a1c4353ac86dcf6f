/** What the host reads of a task as its server tells it. Whatever a server says is hostile until it is read here. */
type Json = Readonly<Record<string, unknown>>;

const STATUSES = ["working", "input_required", "completed", "failed", "cancelled"] as const;
type TaskStatus = (typeof STATUSES)[number];

export interface TaskState {
  readonly status: TaskStatus;
  readonly ttlMs: number | null;
  readonly pollMs: number;
}

const DEFAULT_POLL_MS = 1_000;
const MIN_POLL_MS = 100;
const MAX_POLL_MS = 30_000;
const MAX_ID = 1_024;

const isStatus = (value: unknown): value is TaskStatus => STATUSES.includes(value as TaskStatus);

const readMs = (value: unknown): number | null =>
  typeof value === "number" && Number.isFinite(value) && value >= 0 ? Math.ceil(value) : null;

/** Null: it is not what the protocol describes. Both eras' names of the times are read. */
export const readTaskState = (value: Json): TaskState | null => {
  const { status } = value;
  if (!isStatus(status)) return null;
  const pollMs = readMs(value["pollIntervalMs"] ?? value["pollInterval"]) ?? DEFAULT_POLL_MS;
  const ttlMs = readMs(value["ttlMs"] ?? value["ttl"]);
  return { status, ttlMs, pollMs: Math.min(Math.max(pollMs, MIN_POLL_MS), MAX_POLL_MS) };
};

/** The server's own id of a task that it made. */
export const readTaskId = (value: Json): string | null => {
  const { taskId } = value;
  return typeof taskId === "string" && taskId !== "" && taskId.length <= MAX_ID ? taskId : null;
};

export const isTerminal = ({ status }: TaskState): boolean => status !== "working" && status !== "input_required";
