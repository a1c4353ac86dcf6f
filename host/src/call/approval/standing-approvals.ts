/** All approvals that were given in advance: granting, using and revoking them, each with its event in one commit. */
import type { Admission } from "../../kernel/admission.ts";
import type { NewStandingApproval, StandingApproval } from "../../kernel/approvals.ts";
import type { ApprovalDemand } from "../../kernel/capability.ts";
import { covers } from "../../kernel/covers.ts";
import type { EvidenceDraft, StateWrite } from "../../kernel/evidence.ts";
import { makeId } from "../../kernel/make-id.ts";
import type { Principal } from "../../kernel/principal.ts";
import { principalName } from "../../kernel/principal-name.ts";
import { Refusal } from "../../kernel/refusal.ts";
import type { RootsOf } from "../../kernel/roots.ts";
import { stable } from "../../kernel/stable.ts";
import type { Valid } from "../../kernel/stages.ts";
import { principalUri, subjectOf } from "../../kernel/subject.ts";
import type { LedgerOptions } from "./approval-ledger.ts";
import { granterNow, keepGranter, type GranterOptions } from "./granter.ts";
import { isSpent, readStanding, standingFits, type StandingEntry, type StoredStanding } from "./standing-approval.ts";
import { readStandingOrder } from "./standing-order.ts";
import { readSealed, SEAL_PURPOSE } from "./stored-approval.ts";
import { HOST_CAPABILITY } from "../../kernel/host-capability.ts";

const MAX_OF_HOST = 1_000;
const MAX_OF_PERSON = 100;

export interface StandingOptions extends LedgerOptions, GranterOptions {
  readonly hostId: string;
  /** Whom the policy of a workspace names as those who decide: `person:...`, `role:...`. */
  readonly approversIn: (workspace: string) => ReadonlySet<string>;
  readonly rootsOf: RootsOf;
}

export class StandingApprovals {
  readonly #options: StandingOptions;
  readonly #entries = new Map<string, StandingEntry>();

  constructor(options: StandingOptions) {
    this.#options = options;
    for (const [, value] of options.state.entries("standing")) {
      const standing = readSealed(options.seals, value) as StoredStanding | null;
      const entry = standing === null ? null : readStanding(standing);
      if (entry !== null && typeof entry !== "string") this.#entries.set(entry.standing.id, entry);
    }
  }

  find(call: Valid, demand: ApprovalDemand): StandingEntry | null {
    const { rootsOf } = this.#options;
    const now = this.#options.now();
    const use = {
      call,
      demand,
      rootsOf,
      granterOf: ({ granter }: StoredStanding) => granterNow(granter, this.#options),
    };
    for (const entry of this.#entries.values())
      if (!isSpent(entry.standing, now) && standingFits(entry, use)) return entry;
    return null;
  }

  /** Counts a use when the call begins. */
  admission(id: string, capabilityUri: string): Admission {
    return {
      take: () => {
        const entry = this.#entries.get(id);
        if (entry === undefined || isSpent(entry.standing, this.#options.now())) throw spent(id);
        const { standing } = entry;
        const used = { ...standing, uses: standing.uses + 1 };
        this.#entries.set(id, { ...entry, standing: used });
        const facts = { capability_uri: capabilityUri, approval_id: id, uses: used.uses, max_uses: used.max_uses };
        return {
          writes: [this.#write(used)],
          events: [
            {
              type: "dev.bailiwick.standing_approval_used",
              payload: stable({ ...facts, granted_by: principalUri(used.granted_by) }),
            },
          ],
          release: () => {
            const now = this.#entries.get(id);
            if (now) this.#entries.set(id, { ...now, standing: { ...now.standing, uses: now.standing.uses - 1 } });
          },
        };
      },
    };
  }

  /** Those that the reader granted, may use or, with the permission, could revoke. */
  list(reader: Principal): readonly StandingApproval[] {
    const now = this.#options.now();
    return [...this.#entries.values()]
      .map(({ standing }) => standing)
      .filter((standing) => !isSpent(standing, now) && maySee(reader, standing))
      .map(withoutGranter)
      .toReversed();
  }

  async grant(by: Principal, order: NewStandingApproval): Promise<StandingApproval> {
    if (by.kind !== "person") throw notAPerson();
    if (!this.#mayDecideSomething(by)) throw notAnApprover(by);
    const wanted = readStandingOrder(by, order, this.#options.now());
    const gone = this.#spent();
    const own = this.#countOf(by.id);
    if (this.#entries.size - gone.length >= MAX_OF_HOST || own >= MAX_OF_PERSON) throw tooMany();
    const standing: StoredStanding = {
      ...wanted,
      id: makeId("sap_"),
      uses: 0,
      granted_by: by.id,
      workspace: by.workspace,
      granter: keepGranter(by, this.#options),
      credential: by.credentialId,
    };
    const entry = readStanding(standing);
    if (typeof entry === "string") {
      const message = `This is no standing approval: ${entry}.`;
      throw new Refusal("bad_request", {
        message,
        next: "Write the tests of arguments as rules of the policy have them.",
      });
    }
    await this.#options.log.append(this.#event("granted", standing, by), {
      state: [this.#write(standing), ...gone.map((key): StateWrite => ({ space: "standing", key, value: null }))],
    });
    for (const key of gone) this.#entries.delete(key);
    this.#entries.set(standing.id, entry);
    return withoutGranter(standing);
  }

  async revoke(by: Principal, id: string): Promise<StandingApproval> {
    const entry = this.#entries.get(id);
    if (entry === undefined || !maySee(by, entry.standing)) throw unknown(id);
    const { standing } = entry;
    if (by.kind !== "person" || !(standing.granted_by === by.id || covers(by.permissions, "approvals:decide")))
      throw notAPerson();
    await this.#end(entry, this.#event("revoked", standing, by));
    return withoutGranter(standing);
  }

  /** Ends all for which `why` has a reason. */
  async endWhere(why: (standing: StoredStanding) => string | null): Promise<void> {
    for (const entry of this.#entries.values()) {
      const reason = why(entry.standing);
      if (reason !== null) await this.#end(entry, this.#event("revoked", entry.standing, reason));
    }
  }

  async #end(entry: StandingEntry, event: EvidenceDraft): Promise<void> {
    const { id } = entry.standing;
    // Before it is durable: nobody is let through by what is to be gone.
    this.#entries.delete(id);
    try {
      await this.#options.log.append(event, { state: [{ space: "standing", key: id, value: null }] });
    } catch (no) {
      this.#entries.set(id, entry);
      throw no;
    }
  }

  /** What would let nobody through is not granted. */
  #mayDecideSomething({ id, roles, permissions, workspace }: Principal): boolean {
    if (covers(permissions, "approvals:decide")) return true;
    const named = this.#options.approversIn(workspace);
    return named.has(id) || roles.some((role) => named.has(`role:${role}`));
  }

  #countOf(person: string): number {
    const now = this.#options.now();
    let count = 0;
    for (const { standing } of this.#entries.values())
      if (standing.granted_by === person && !isSpent(standing, now)) count++;
    return count;
  }

  #spent(): readonly string[] {
    const now = this.#options.now();
    return [...this.#entries].filter(([, { standing }]) => isSpent(standing, now)).map(([id]) => id);
  }

  #write(standing: StoredStanding): StateWrite {
    return {
      space: "standing",
      key: standing.id,
      value: this.#options.seals.seal(SEAL_PURPOSE, JSON.stringify(standing)),
    };
  }

  /** `by`: who did it, or why the host did. */
  #event(what: "granted" | "revoked", standing: StoredStanding, by: Principal | string): EvidenceDraft {
    const { id, tools, principal, max_uses, expires_at, workspace } = standing;
    return {
      type: `dev.bailiwick.standing_approval_${what}`,
      invocationId: "host",
      capabilityId: HOST_CAPABILITY,
      capabilityVersion: null,
      correlation: {
        id: `host-policy-${this.#options.hostId}`,
        causationId: null,
        parentId: null,
        traceId: null,
        fresh: false,
      },
      outcome: null,
      payload: stable({
        approval_id: id,
        tools,
        principal,
        max_uses,
        expires_at,
        workspace,
        tests: standing.arguments?.length ?? 0,
        granted_by: principalUri(standing.granted_by),
        ...(typeof by === "string" ? { reason: by } : {}),
      }),
      subject: typeof by === "string" ? "null" : subjectOf(by, by.assurance === "local" ? "cli" : "rest"),
      error: "null",
      denial: "null",
    };
  }
}

const withoutGranter = ({ granter: _who, credential: _with, ...standing }: StoredStanding): StandingApproval =>
  standing;

const maySee = (reader: Principal, { workspace, granted_by, principal }: StoredStanding): boolean =>
  reader.workspace === workspace &&
  (granted_by === reader.id ||
    principal === reader.id ||
    principal === principalName(reader) ||
    covers(reader.permissions, "approvals:decide"));

const spent = (id: string): Refusal =>
  new Refusal("approval_expired", {
    message: `The standing approval ${id} was used up or revoked while the call was on its way.`,
    next: "Repeat the call to ask for an approval of its own.",
    details: { approval_id: id, state: "expired" },
  });

const notAPerson = (): Refusal =>
  new Refusal("not_visible", {
    message: "Only persons approve in advance, and only they or a person with approvals:decide revoke it.",
    next: "Ask a person with permission approvals:decide.",
  });

const notAnApprover = ({ id, workspace }: Principal): Refusal =>
  new Refusal("permission_missing", {
    message: `${id} decides about no approval in ${workspace}, so it cannot approve anything in advance.`,
    next: `Ask the operator to give ${id} the permission approvals:decide in auth.principals, or to name it as an approver.`,
    details: { required_permission: "approvals:decide", missing: ["approvals:decide"] },
  });

const tooMany = (): Refusal =>
  new Refusal("rate_limited", {
    message: `There are too many standing approvals (${MAX_OF_PERSON} a person, ${MAX_OF_HOST} a host).`,
    next: "Revoke some of them: GET /v1/standing-approvals lists them.",
    details: { limit: MAX_OF_PERSON },
  });

const unknown = (id: string): Refusal =>
  new Refusal("not_found", {
    message: `There is no standing approval ${id.slice(0, 64)}.`,
    next: "GET /v1/standing-approvals lists those that there are.",
  });
