/** Whom the agent acts for, and as whom. */
import type { Chatter } from "../../kernel/agent.ts";
import type { Identify, PresentedAgent, Principal } from "../../kernel/principal.ts";
import { Refusal } from "../../kernel/refusal.ts";

const OWN_AGENT = "agent:bailiwick";

export interface ActingAgent {
  readonly presented: PresentedAgent;
  readonly principal: Principal;
}

/** Refusal `unauthenticated` where the credential behind it is not good any more. */
export const actFor = (identify: Identify, { presented, door }: Pick<Chatter, "presented" | "door">): ActingAgent => {
  const shown: PresentedAgent =
    presented.kind === "agent"
      ? presented
      : { kind: "agent", id: OWN_AGENT, chain: [], behind: presented, door, ...workspaceOf(presented) };
  return named(identify, shown);
};

/** A delegate: on behalf of the same person, with everybody between them named. */
export const delegateOf = (identify: Identify, parent: PresentedAgent, profile: string | null): ActingAgent =>
  named(identify, {
    ...parent,
    id: profile === null ? parent.id : `agent:${profile}`,
    chain: [...parent.chain, parent.id],
  });

const workspaceOf = ({ workspace }: { readonly workspace?: string }): { readonly workspace?: string } =>
  workspace === undefined ? {} : { workspace };

const named = (identify: Identify, presented: PresentedAgent): ActingAgent => {
  const principal = identify(presented, "agent");
  if (principal !== null) return { presented, principal };
  throw new Refusal("unauthenticated", {
    message: "The credential behind this message is unknown, was revoked, or is none of this workspace.",
    next: "Send the message again with a key that is good: `bailiwick key create --name <name>` makes one.",
  });
};
