import { expect, it } from "vitest";
import type { ApprovalState } from "../../kernel/approvals.ts";
import { nextState, type ApprovalMove } from "./next-state.ts";

const STATES: readonly ApprovalState[] = ["pending", "granted", "denied", "expired", "cancelled", "consumed"];
const MOVES: readonly ApprovalMove[] = ["approve", "deny", "expire", "cancel", "consume"];

const WAYS: Readonly<Record<string, ApprovalState>> = {
  "pending approve": "granted",
  "pending deny": "denied",
  "pending expire": "expired",
  "pending cancel": "cancelled",
  "granted consume": "consumed",
  "granted expire": "expired",
  "granted cancel": "cancelled",
};

it.each(STATES.flatMap((state) => MOVES.map((move) => [state, move] as const)))("%s, %s", (state, move) => {
  expect(nextState(state, move)).toBe(WAYS[`${state} ${move}`] ?? null);
});
