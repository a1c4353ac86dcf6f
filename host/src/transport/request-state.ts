/**
 * The state that leaves with every `input_required` and comes back with the answers. It is sealed, and bound to one
 * principal, endpoint, request and time. Whoever brings a wrong one learns only that; which check failed is for evidence.
 */
import { hash } from "node:crypto";
import type { Continued, InputWanted, Operation } from "../kernel/call.ts";
import { jcs } from "../kernel/jcs.ts";
import { randomSlice } from "../kernel/make-id.ts";
import { rawJson, type RawJson } from "../kernel/raw-json.ts";
import type { Seals } from "../kernel/seal.ts";
import { doorRefusal, type DoorRefusal } from "./door-refusal.ts";
import { isObject, type JsonObject } from "./protocol.ts";
import { UsedNonces } from "./used-nonces.ts";

const PURPOSE = "requestState";
const RELAY_MS = 3_600_000;
const NONCE_BYTES = 16;

/** Whom a state is for and what it goes on with. */
export interface StateBond {
  /** As `ownerOf` names the principal. */
  readonly owner: string;
  readonly endpoint: string | null;
  /** `digestRequest` of the request. */
  readonly digest: string;
}

/** A call of this process that waits for its caller. */
export interface HeldPlace {
  readonly call: string;
  readonly round: number;
  /** Where it waits; new each time it is parked. */
  readonly nonce: string;
  readonly expires: number;
}

/** A call that a person has yet to allow. Nothing of it waits in this process. */
export interface PendingApproval {
  readonly approval: string;
  /** Of the call that asked for it. */
  readonly call: string;
  readonly correlation: string | null;
  readonly expires: number;
}

export type StateCheck = "seal" | "principal" | "endpoint" | "request" | "expired" | "hold_lost" | "used";

export type OpenedState =
  | { readonly kind: "held"; readonly nonce: string }
  | ({ readonly kind: "approval" } & Omit<PendingApproval, "expires">)
  | {
      readonly kind: "continues";
      readonly continues: Continued;
      readonly provider: string;
      /** The server's own state, as it came. */
      readonly state: RawJson | null;
    }
  | { readonly kind: "wrong"; readonly check: StateCheck };

/** What is sealed. `boot` tells a restarted host that the call it held is gone. */
interface Payload extends StateBond {
  readonly kind: "held" | "approval" | Continued["kind"];
  readonly provider: string | null;
  readonly call: string;
  readonly expires: number;
  readonly round: number;
  readonly nonce: string;
  readonly questions?: string;
  readonly target?: string;
  readonly state?: string | null;
  readonly boot?: string;
  readonly approval?: string;
  readonly correlation?: string | null;
}

export const makeNonce = (): string => randomSlice(NONCE_BYTES).toString("base64url");

/** SHA-256 over what makes two requests the same request. */
export const digestRequest = (method: string, operation: Operation, params: JsonObject): string => {
  const { name, uri, arguments: args } = params;
  const named = operation === "call" || operation === "prompt";
  const same = named ? { method, name, arguments: isObject(args) ? args : {} } : { method, uri };
  return hash("sha256", jcs(same));
};

export class RequestStates {
  readonly #seals: Seals;
  readonly #boot = makeNonce();
  readonly #used = new UsedNonces();

  constructor(seals: Seals) {
    this.#seals = seals;
  }

  sealHeld({ owner, endpoint, digest }: StateBond, { call, round, nonce, expires }: HeldPlace): string {
    return this.#seal({
      kind: "held",
      provider: endpoint,
      call,
      owner,
      endpoint,
      expires,
      digest,
      round,
      nonce,
      boot: this.#boot,
    });
  }

  sealInput({ owner, endpoint, digest }: StateBond, { continues, provider, state }: InputWanted): string {
    const { kind, invocationId, round, questions, target } = continues;
    return this.#seal({
      kind,
      provider,
      call: invocationId,
      owner,
      endpoint,
      expires: Date.now() + RELAY_MS,
      digest,
      round,
      nonce: makeNonce(),
      questions,
      target,
      state,
    });
  }

  sealApproval({ owner, endpoint, digest }: StateBond, pending: PendingApproval): string {
    const place = { provider: endpoint, owner, endpoint, digest, round: 0, nonce: makeNonce() };
    return this.#seal({ kind: "approval", ...place, ...pending });
  }

  /** Who does not own it learns nothing of its age. That of an approval opens once. */
  open(sealed: unknown, bond: StateBond): OpenedState {
    const plain = typeof sealed === "string" ? this.#seals.unseal(PURPOSE, sealed) : null;
    if (plain === null) return wrong("seal");
    const payload = JSON.parse(plain) as Payload;
    if (payload.owner !== bond.owner) return wrong("principal");
    if (payload.endpoint !== bond.endpoint) return wrong("endpoint");
    if (payload.digest !== bond.digest) return wrong("request");
    if (payload.expires <= Date.now()) return wrong("expired");
    if (payload.kind === "approval") return this.#openApproval(payload);
    const { kind, call, round, questions = "", target = "", provider, state } = payload;
    if (kind === "held")
      return payload.boot === this.#boot ? { kind: "held", nonce: payload.nonce } : wrong("hold_lost");
    return {
      kind: "continues",
      continues: { kind, invocationId: call, round, questions, target },
      provider: provider ?? "",
      state: typeof state === "string" ? rawJson(state) : null,
    };
  }

  /** After a restart one that was used opens again; what it leads to is decided by the approval, which is good for one call. */
  #openApproval({ nonce, expires, call, approval = "", correlation = null }: Payload): OpenedState {
    return this.#used.use(nonce, expires) ? { kind: "approval", approval, call, correlation } : wrong("used");
  }

  #seal(payload: Payload): string {
    return this.#seals.seal(PURPOSE, JSON.stringify(payload));
  }
}

const wrong = (check: StateCheck): OpenedState => ({ kind: "wrong", check });

const REASONS = {
  expired: [
    "The answers came too late: this requestState has expired.",
    "Send the request again without requestState.",
  ],
  hold_lost: [
    "The call that waited for these answers is gone: the host was restarted.",
    "Send the request again without requestState, if it is safe to run it twice.",
  ],
  invalid_request_state: [
    "This requestState does not belong to this request, or was used already.",
    "Send the same request with the requestState of its last answer, or start over without requestState.",
  ],
} as const;

export const refuseState = (check: StateCheck): DoorRefusal => {
  const reason = check === "expired" || check === "hold_lost" ? check : "invalid_request_state";
  const [message, next] = REASONS[reason];
  return doorRefusal("bad_request", { code: -32602, status: 200, message, next, data: { reason } });
};
