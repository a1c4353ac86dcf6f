/**
 * What others signed about this host and about mandates: taken in only if it verifies and is about a head that is ours, kept
 * beside the log, each arrival an event. Any key may bear witness; which ones count is for those who ask to decide.
 */
import { hash } from "node:crypto";
import type { Statements } from "../../kernel/archive.ts";
import type { EvidenceDraft, EvidenceLog, HostState } from "../../kernel/evidence.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { keyIdOf } from "../../kernel/signing.ts";
import { stable } from "../../kernel/stable.ts";
import type { Json } from "../archive/archive-parts.ts";
import { findAnchorDefect, findRevocationDefect, findWitnessDefect } from "./check-statement.ts";
import { KeptStatements } from "./kept-statements.ts";
import { makeRevocationRoom } from "./revocation-room.ts";
import { revocationHead } from "./revocation-head.ts";
import { HOST_CAPABILITY } from "../../kernel/host-capability.ts";

export interface StatementsOptions {
  readonly hostId: string;
  readonly log: Pick<EvidenceLog, "append">;
  readonly state: HostState;
  /** Whether the log had this head, of either scheme, when it had so many events. */
  readonly hadHead: (sequence: number, head: string) => Promise<boolean>;
  /** Base64 of the witness keys that are kept before all others. */
  readonly pinnedWitnesses: ReadonlySet<string>;
  /** Base64 of the keys whose revocations are always kept. */
  readonly pinnedPrincipals: ReadonlySet<string>;
  /** Self-signed statements about keys of this host, as in its identity document. */
  readonly revokedKeys: () => readonly Json[];
}

const MAX_HEADS = 1000;
const MAX_SHOWN = 1000;

const signerOf = (statement: Json, member: string): { readonly host_id: string; readonly public_key: string } =>
  statement[member] as { host_id: string; public_key: string };

const refuse = (code: string, message: string, next: string): Refusal =>
  new Refusal("bad_request", { message, next, details: { code } });

const full = (what: string): Refusal =>
  new Refusal("quota_exceeded", {
    message: `This host keeps no more ${what}.`,
    next: "Ask the operator of the host to pin the key of this witness, or to remove statements.",
  });

class OpenStatements implements Statements {
  readonly #options: StatementsOptions;
  readonly #witnesses: KeptStatements;
  readonly #anchors: KeptStatements;
  readonly #revocations: KeptStatements;
  /** One change at a time, so that bounds and repeats are decided on what is durable. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: StatementsOptions) {
    this.#options = options;
    const { state } = options;
    const head = (each: Json): string => `${String(each["sequence"])}\n${String(each["store_head"])}`;
    this.#witnesses = new KeptStatements(state, {
      space: "witness",
      identity: (each) => `${signerOf(each, "witness").public_key}\n${head(each)}`,
    });
    this.#anchors = new KeptStatements(state, {
      space: "anchor",
      identity: (each) => `${String((each["anchor"] as Json)["did"])}\n${head(each)}`,
    });
    this.#revocations = new KeptStatements(state, {
      space: "revocation",
      identity: (each) => `${String(each["mandate_id"])}\n${signerOf(each, "principal").public_key}`,
    });
  }

  async addWitness(given: unknown): Promise<Json> {
    const defect = findWitnessDefect(given);
    if (defect !== null) throw refuse("invalid_witness", `The witness statement was not accepted: ${defect}.`, SIGN);
    const statement = given as Json;
    await this.#checkHead(statement);
    const { host_id: witness, public_key: publicKey } = signerOf(statement, "witness");
    const answer = { accepted: true, sequence: statement["sequence"], witness };
    await this.#take(this.#witnesses, statement, {
      type: "witness_added",
      about: { witness, key_id: keyIdOf(publicKey), witnessed_sequence: statement["sequence"] },
      leaving: () => this.#leavingWitness(publicKey),
    });
    return answer;
  }

  witnesses(): readonly Json[] {
    return this.#witnesses.all();
  }

  async addAnchor(given: unknown): Promise<Json> {
    const defect = findAnchorDefect(given);
    if (defect !== null) throw refuse("invalid_anchor", `The anchor was not accepted: ${defect}.`, SIGN);
    const statement = given as Json;
    await this.#checkHead(statement);
    const { did } = statement["anchor"] as Json;
    await this.#take(this.#anchors, statement, {
      type: "anchor_added",
      about: { anchor_did: did, anchored_sequence: statement["sequence"] },
      leaving: () => (this.#anchors.size < MAX_HEADS ? null : this.#anchors.oldest(() => true)),
    });
    return { accepted: true, sequence: statement["sequence"], anchor_did: did };
  }

  anchors(): readonly Json[] {
    return this.#anchors.all();
  }

  async addRevocation(given: unknown, sender: string): Promise<Json> {
    const defect = findRevocationDefect(given);
    if (defect !== null) throw refuse("invalid_revocation", `The revocation was not accepted: ${defect}.`, SIGN);
    const statement = given as Json;
    const { host_id: principal, public_key: publicKey } = signerOf(statement, "principal");
    const by = hash("sha256", sender).slice(0, 16);
    await this.#take(this.#revocations, statement, {
      type: "mandate_revoked",
      about: { mandate_id: statement["mandate_id"], principal, key_id: keyIdOf(publicKey) },
      leaving: () => makeRevocationRoom(this.#revocations, { pinned: this.#options.pinnedPrincipals, publicKey, by }),
      by,
    });
    return { accepted: true, mandate_id: statement["mandate_id"], principal };
  }

  revocations(after = ""): Json {
    const { statements, next } = this.#revocations.page(after, MAX_SHOWN);
    const more = next === null ? {} : { truncated: true, after: next };
    return { keys: this.#options.revokedKeys(), mandates: statements, ...more };
  }

  isRevoked(mandateId: string, principalKey: string): boolean {
    return this.#revocations.has({ mandate_id: mandateId, principal: { public_key: principalKey } });
  }

  revocationHead(): string {
    const mandates = this.#revocations.all().map((each) => ({
      mandateId: String(each["mandate_id"]),
      publicKey: signerOf(each, "principal").public_key,
    }));
    return revocationHead(
      mandates,
      this.#options.revokedKeys().map((each) => String(each["revoked_key_id"])),
    );
  }

  /** That it is about this host, and about a head that the log really had. */
  async #checkHead(statement: Json): Promise<void> {
    const { host_id: host, sequence, store_head: head, revocation_head: freshness } = statement;
    const isOurs = host === this.#options.hostId && (await this.#options.hadHead(Number(sequence), String(head)));
    if (!isOurs) {
      throw refuse(
        "head_mismatch",
        `This host had no such head at sequence ${String(sequence)}.`,
        "Read the head again (GET /head) and sign what it says; if you kept the head from this host, compare the two.",
      );
    }
    if (freshness !== undefined && freshness !== this.revocationHead()) {
      throw refuse(
        "revocation_head_mismatch",
        "What is revoked on this host is not what the statement was signed over.",
        "Read the head again (GET /head) and sign what it says.",
      );
    }
  }

  /** The oldest whose key is not pinned makes room; a new one that is not pinned itself never takes a pinned one's place. */
  #leavingWitness(publicKey: string): Json | null {
    if (this.#witnesses.size < MAX_HEADS) return null;
    const { pinnedWitnesses: pinned } = this.#options;
    const unpinned = this.#witnesses.oldest((each) => !pinned.has(signerOf(each, "witness").public_key));
    if (unpinned !== null) return unpinned;
    if (!pinned.has(publicKey)) throw full("witnesses");
    return this.#witnesses.oldest(() => true);
  }

  #take(kept: KeptStatements, statement: Json, news: News): Promise<void> {
    const turn = this.#change(this.#turn, { kept, statement, news });
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  async #change(before: Promise<unknown>, { kept, statement, news }: Change): Promise<void> {
    await before;
    if (kept.has(statement)) return;
    const { writes, commit } = kept.change(statement, { gone: news.leaving(), by: news.by ?? "" });
    await this.#options.log.append(this.#draft(news), { state: writes });
    commit();
  }

  #draft({ type, about }: News): EvidenceDraft {
    const id = `host-identity-${this.#options.hostId}`;
    return {
      type: `dev.bailiwick.${type}`,
      invocationId: "host",
      capabilityId: HOST_CAPABILITY,
      capabilityVersion: null,
      correlation: { id, causationId: null, parentId: null, traceId: null, fresh: false },
      outcome: null,
      payload: stable(about),
      subject: "null",
      error: "null",
      denial: "null",
    };
  }
}

const SIGN = "Sign the members that the schema names, with the key that the statement names, and send it again.";

interface News {
  readonly type: string;
  readonly about: Json;
  /** What has to make room; null: nothing. */
  readonly leaving: () => Json | null;
  /** Who sent it, where that counts. */
  readonly by?: string;
}

interface Change {
  readonly kept: KeptStatements;
  readonly statement: Json;
  readonly news: News;
}

export interface KeptAndHead extends Statements {
  revocationHead(): string;
}

export const openStatements = (options: StatementsOptions): KeptAndHead => new OpenStatements(options);
