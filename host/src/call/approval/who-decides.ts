/**
 * Who may decide an approval. Never whoever asked for it, and never a program: a person that it names, by id or role; where
 * it names nobody, a person with permission `approvals:decide`.
 */
import type { ApprovalRecord } from "../../kernel/approvals.ts";
import { covers } from "../../kernel/covers.ts";
import type { Principal } from "../../kernel/principal.ts";

const PERMISSION = "approvals:decide";

export type Decider = Pick<Principal, "id" | "kind" | "onBehalfOf" | "roles" | "permissions" | "workspace">;
export type Decided = Pick<ApprovalRecord, "requested_by" | "on_behalf_of" | "workspace" | "required">;

const isNamed = ({ id, roles }: Decider, list: readonly string[]): boolean =>
  list.some((name) =>
    name.startsWith("role:") ? roles.includes(name.slice("role:".length)) : name.replace("://", ":") === id,
  );

/** Also the one for whom somebody acts is somebody. */
const is = ({ id, onBehalfOf }: Decider, who: string | undefined): boolean =>
  who !== undefined && (id === who || onBehalfOf === who);

/** Null: may. Otherwise why not, as one sentence. */
export const whyNotDecider = (
  by: Decider,
  { requested_by, on_behalf_of, workspace, required }: Decided,
): string | null => {
  if (by.kind !== "person") return "Only a person decides about an approval.";
  if (by.workspace !== workspace) return "It belongs to another workspace.";
  if (is(by, requested_by)) return "Whoever asks for an approval does not decide about it.";
  if (required.four_eyes && is(by, on_behalf_of))
    return "It needs four eyes: the person for whom it was asked does not decide about it.";
  if (required.approvers.length > 0) {
    const named = required.approvers.every((list) => isNamed(by, list));
    return named
      ? null
      : `It is for ${required.approvers.map((list) => list.join(" or ")).join(", and also ")} to decide.`;
  }
  return covers(by.permissions, PERMISSION) ? null : `It takes the permission ${PERMISSION}.`;
};

/** Somebody who said yes may still say no, unless four eyes are needed: then each has one word. */
export const whyNotAgain = (
  by: string,
  { decisions, required }: Pick<ApprovalRecord, "decisions" | "required">,
  approve: boolean,
): string | null => {
  if (!decisions.some((decision) => decision.by === by) || (!approve && !required.four_eyes)) return null;
  return "You have decided about it already; another person has to.";
};

/** A key that was pinned decides where it is named, and where nobody is named and one pair of eyes will do. */
export const mayKeyDecide = (publicKey: string, { approvers, four_eyes }: ApprovalRecord["required"]): boolean =>
  approvers.length === 0 ? !four_eyes : approvers.every((list) => list.includes(`key:${publicKey}`));

/** In short, for a next step: `role:manager`, or who has the permission. */
export const describeDeciders = ({ approvers, count, four_eyes }: ApprovalRecord["required"]): string => {
  const who = approvers.length === 0 ? `permission ${PERMISSION}` : approvers.map((l) => l.join(" or ")).join(" and ");
  return `${count === 1 ? "a person" : `${count} different persons`} with ${who}${four_eyes ? " (four eyes)" : ""}`;
};
