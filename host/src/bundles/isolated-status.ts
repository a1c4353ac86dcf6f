/** What is said of a bundle whose connections are made for those who come, where none of them says it. Pure. */
import type { ProviderState, ProviderStatus } from "../kernel/provider.ts";
import type { Refusal } from "../kernel/refusal.ts";

export interface IsolatedLife {
  readonly name: string;
  readonly refusal: Refusal | null;
  /** Why it is stopped; null: it runs. */
  readonly stopped: string | null;
  /** The gate has not answered yet. */
  readonly isChecked: boolean;
  readonly since: number;
  readonly version: string | null;
}

const RETRY_MS = 1_000;

/** Why nobody may call it now; null: each one's own connection decides. */
export const blockedStatus = (life: IsolatedLife): ProviderStatus | null => {
  const { name, refusal, stopped, isChecked } = life;
  if (refusal !== null) return plainStatus(life, "refused", refusal);
  if (stopped !== null) {
    return plainStatus(life, "stopped", {
      message: `${name} is stopped: ${stopped}`,
      next: `Run: bailiwick bundle start ${name}`,
    });
  }
  if (isChecked) return null;
  const starting = { message: `${name} is starting.`, next: "Wait a moment; it joins by itself." };
  return { ...plainStatus(life, "starting", starting), retryAfterMs: RETRY_MS };
};

/** Nobody is connected, and everybody may be. */
export const idleStatus = (life: IsolatedLife): ProviderStatus => plainStatus(life, "running", null);

const plainStatus = (
  { since, version }: IsolatedLife,
  state: ProviderState,
  why: Pick<Refusal, "message" | "next"> | null,
): ProviderStatus => ({
  state,
  reason: why?.message ?? null,
  next: why?.next ?? null,
  retryAfterMs: null,
  since,
  version,
  restartsInWindow: 0,
  lastError: null,
});
