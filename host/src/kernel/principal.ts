/**
 * Who calls, verified by the door. Nothing a request body claims ends up here.
 * `id` is written `kind:name`; evidence and manifests write it as a URI (`agent://name`).
 */
import type { RiskTier } from "./risk-tier.ts";

export type PrincipalKind = "person" | "agent" | "service" | "bundle" | "app";

export interface Principal {
  readonly id: string;
  readonly kind: PrincipalKind;
  readonly onBehalfOf: string | null;
  readonly roles: readonly string[];
  readonly permissions: readonly string[];
  readonly assurance: "credential" | "local";
  /** Tool globs that the key may name; null: no narrowing. */
  readonly scopes: readonly string[] | null;
  readonly workspace: string;
  /** Which credential it came from, for limits and revocation; never the secret. */
  readonly credentialId: string;
  /** Up to which class of data it may go; absent: the default. */
  readonly clearance?: string;
  /** The highest risk it may take; absent: no bound of its own. */
  readonly maxRiskTier?: RiskTier;
  /** How evidence names it where that is not its URI: a CHP key is `{id: its name, type: "api_key"}`. */
  readonly subject?: { readonly id: string; readonly type: string };
  /**
   * Programs between it and whom it acts for, the first one first: whatever one of them may not do, it may not. Absent: there
   * are none.
   */
  readonly chain?: readonly Actor[];
  /** Further bounds like `clearance`: all of them hold. */
  readonly clearances?: readonly (string | null)[];
}

/** By which rules and lists tell who acts. */
export interface Actor extends Pick<Principal, "id" | "subject"> {
  /** The host's own agent, and no program that came through a door. */
  readonly isOurs?: true;
}

/** Where a call came in. */
export type Door = "mcp" | "rest" | "cli" | "program" | "chp" | "agent";

/**
 * What a door was shown. `local` is the process's own user (stdio, CLI in process, programs). `workspace` is the one that was
 * asked for; absent: the credential's own.
 */
export type Presented =
  | { readonly kind: "none"; readonly workspace?: string }
  | { readonly kind: "bearer"; readonly token: string; readonly workspace?: string }
  | { readonly kind: "local"; readonly principal?: string; readonly workspace?: string }
  /** `name:key` of `X-CHP-Key`. */
  | { readonly kind: "chp-key"; readonly text: string; readonly workspace?: string }
  /** A signed statement of who calls; base64 or JSON text, as it came. */
  | { readonly kind: "chp-token"; readonly token: string; readonly workspace?: string }
  | PresentedAgent;

/** The host's own agent acts for whoever showed something at another door; it is looked at anew for every call. */
export interface PresentedAgent {
  readonly kind: "agent";
  /** `agent:bailiwick`, or `agent:<profile>` of a delegate. */
  readonly id: string;
  readonly chain: readonly string[];
  readonly behind: Exclude<Presented, PresentedAgent>;
  /** Where that was shown. */
  readonly door: Door;
  /** As `behind` has it. */
  readonly workspace?: string;
}

/**
 * Verifies what was presented, for the workspace that was asked for; null too for who is no member of that. The one place
 * that does; doors and the spine are handed this function.
 */
export interface Identify {
  (presented: Presented, door: Door): Principal | null;
  /** Whether the credential is good, in whatever workspace: who has none hears something else than who is no member. */
  knows(presented: Presented): boolean;
}
