/** An approval in advance, as it is kept, and whether it fits a call. Never for what is critical or needs two persons. */
import { readArgumentTest, type ArgumentTest } from "../../kernel/argument-test.ts";
import type { StandingApproval } from "../../kernel/approvals.ts";
import type { ApprovalDemand } from "../../kernel/capability.ts";
import { matchesGlob } from "../../kernel/glob.ts";
import { principalName } from "../../kernel/principal-name.ts";
import type { RootsOf } from "../../kernel/roots.ts";
import { rootListsOf } from "../../kernel/roots-of-call.ts";
import type { Valid } from "../../kernel/stages.ts";
import { whyNotDecider, type Decider } from "./who-decides.ts";

export interface StoredStanding extends StandingApproval {
  /** The person who granted it: a call that this person could not decide now is not let through. */
  readonly granter: Decider;
  /** With which it was granted; revoked, it takes this with it. */
  readonly credential: string;
}

export interface StandingEntry {
  readonly standing: StoredStanding;
  readonly tests: readonly ArgumentTest[];
}

/** A fault as text. A test that cannot be read would let through more than was meant. */
export const readStanding = (standing: StoredStanding): StandingEntry | string => {
  const tests: ArgumentTest[] = [];
  for (const written of standing.arguments ?? []) {
    const read = readArgumentTest(written);
    if ("fault" in read) return read.fault;
    tests.push(read.test);
  }
  return { standing, tests };
};

export const isSpent = ({ max_uses, uses, expires_at }: StandingApproval, now: number): boolean =>
  Date.parse(expires_at) <= now || (max_uses !== undefined && uses >= max_uses);

/** `agent:x`, whomever it acts for, or `agent:x for person:y`. */
/** A program that came through a door and has the host's agent work for it has to be meant too. */
const isFor = (named: string, { id, onBehalfOf, chain = [] }: Valid["principal"]): boolean =>
  [id, ...chain.flatMap((actor) => (actor.isOurs ? [] : [actor.id]))].every(
    (each) => named === each || named === principalName({ id: each, onBehalfOf }),
  );

export interface StandingUse {
  readonly call: Valid;
  readonly demand: ApprovalDemand;
  /** As it is now; null: it has no say any more. */
  readonly granterOf: (standing: StoredStanding) => Decider | null;
  readonly rootsOf: RootsOf;
}

export const standingFits = ({ standing, tests }: StandingEntry, use: StandingUse): boolean => {
  const { call, demand, granterOf, rootsOf } = use;
  const { principal, target } = call;
  if (target.tool === null || target.capability.risk === "critical") return false;
  if (demand.fourEyes || demand.count > 1) return false;
  if (standing.workspace !== principal.workspace || !isFor(standing.principal, principal)) return false;
  if (!standing.tools.some((glob) => matchesGlob(glob, target.flatName))) return false;
  const decided = {
    requested_by: principal.id,
    ...(principal.onBehalfOf === null ? {} : { on_behalf_of: principal.onBehalfOf }),
    workspace: principal.workspace,
    required: { count: 1, approvers: demand.approvers ?? [], four_eyes: false },
  };
  const granter = granterOf(standing);
  if (granter === null || whyNotDecider(granter, decided) !== null) return false;
  const where = { roots: () => rootListsOf(rootsOf, call) };
  return tests.every((test) => test(call.args, where) === true);
};
