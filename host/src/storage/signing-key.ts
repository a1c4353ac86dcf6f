/**
 * The key the host signs with, its past and what it says of itself. Made at the first start and kept in `host-key.json`; the
 * attestation is renewed before it ends. Nothing here writes evidence: whoever rotates or revokes records it.
 */
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { HostError } from "../kernel/host-error.ts";
import { signerOf, type Signer } from "../kernel/signing.ts";
import type { SigningMaterial } from "./checkpoint-table.ts";
import { KEY_FILE, readKeyFile, writeKeyFile, type KeyFile } from "./signing-key-file.ts";
import {
  attest,
  continueWith,
  revokeKey,
  type Attestation,
  type Continuity,
  type Revocation,
} from "./signing-key-statements.ts";

export interface SigningKeyOptions {
  /** Seals the key; an unsealed one is sealed when it is opened with one. */
  readonly passphrase?: string | undefined;
  /** Ms; default: the machine's clock. */
  readonly now?: () => number;
}

/** As `/.well-known/chp-identity` gives it out. */
export type IdentityDocument = {
  readonly assurance: "signed";
  readonly key_id: string;
  readonly public_key: string;
  readonly host_identity: Attestation;
  readonly key_history?: readonly Continuity[];
  readonly revoked_keys?: readonly Revocation[];
};

const VALID_MS = 366 * 24 * 60 * 60 * 1000;
const RENEW_MS = 60 * 24 * 60 * 60 * 1000;

const signerFrom = (seed: string): Signer => signerOf(Buffer.from(seed, "base64"));
const newSeed = (): string => randomBytes(32).toString("base64");
const iso = (ms: number): string => new Date(ms).toISOString();

export class SigningKey {
  /** What a person should hear about its file at start; null: nothing. */
  readonly note: string | null = null;
  readonly #path: string;
  readonly #passphrase: string | null;
  readonly #now: () => number;
  #file: KeyFile;
  #signer: Signer;

  constructor(dir: string, hostId: string, options: SigningKeyOptions) {
    this.#path = join(dir, KEY_FILE);
    this.#passphrase = options.passphrase === undefined || options.passphrase === "" ? null : options.passphrase;
    this.#now = options.now ?? Date.now;
    if (!existsSync(this.#path)) {
      mkdirSync(dir, { recursive: true, mode: 0o700 });
      this.#file = this.#first(hostId);
      this.#save(this.#file);
    } else {
      const { file, isSealed, note } = readKeyFile(this.#path, this.#passphrase);
      this.note = note;
      this.#file = file;
      if (file.hostId !== hostId) throw otherHost(this.#path, file.hostId, hostId);
      if (!isSealed && this.#passphrase !== null) this.#save(file);
    }
    this.#signer = signerFrom(this.#seed());
  }

  /** Of the current key. */
  signer(): Signer {
    return this.#signer;
  }

  /** For the log, which signs its checkpoints on a thread of its own. */
  material(): SigningMaterial {
    const publicKeys = this.#file.seeds.map((seed) => signerFrom(seed).publicKey);
    return { seed: Buffer.from(this.#seed(), "base64"), publicKeys };
  }

  attestation(): Attestation {
    const { valid_until: until } = this.#file.attestation;
    if (until !== null && Date.parse(until) - this.#now() < RENEW_MS) {
      const { valid_from: validFrom, anchors = [] } = this.#file.attestation;
      this.#save({ ...this.#file, attestation: this.#attest(this.#signer, { validFrom, anchors }) });
    }
    return this.#file.attestation;
  }

  /** The same key attested with these anchors; empty: none. */
  anchor(anchors: readonly Readonly<Record<string, unknown>>[]): Attestation {
    const { valid_from: validFrom } = this.#file.attestation;
    this.#save({ ...this.#file, attestation: this.#attest(this.#signer, { validFrom, anchors }) });
    return this.#file.attestation;
  }

  identity(): IdentityDocument {
    const { history, revoked } = this.#file;
    return {
      assurance: "signed",
      key_id: this.#signer.keyId,
      public_key: this.#signer.publicKey,
      host_identity: this.attestation(),
      ...(history.length === 0 ? {} : { key_history: history }),
      ...(revoked.length === 0 ? {} : { revoked_keys: revoked }),
    };
  }

  /** A new key, which the old one vouches for. The log has to be told: `log.signWith(key.material())`. */
  rotate(): Continuity {
    const at = iso(this.#now());
    const seed = newSeed();
    const next = signerFrom(seed);
    const continuity = continueWith(this.#signer, next, at);
    this.#save({
      ...this.#file,
      seeds: [...this.#file.seeds, seed],
      attestation: this.#attest(next, { validFrom: at, anchors: [] }),
      history: [...this.#file.history, continuity],
    });
    this.#signer = next;
    return continuity;
  }

  /** One of this host's keys says that it is not to be believed any more. The current key has to be rotated first. */
  revoke(keyId: string, reason: string): Revocation {
    const known = this.#file.revoked.find((each) => each.revoked_key_id === keyId);
    if (known !== undefined) return known;
    if (keyId === this.#signer.keyId) throw new HostError("the current signing key is rotated before it is revoked");
    const signer = this.#file.seeds.map(signerFrom).find((each) => each.keyId === keyId);
    if (signer === undefined) throw new HostError(`${keyId} is no signing key of this host`);
    const revocation = revokeKey(signer, iso(this.#now()), reason);
    this.#save({ ...this.#file, revoked: [...this.#file.revoked, revocation] });
    return revocation;
  }

  #seed(): string {
    return this.#file.seeds[this.#file.seeds.length - 1] ?? "";
  }

  #first(hostId: string): KeyFile {
    const seed = newSeed();
    const claim = { hostId, validFrom: iso(this.#now()), validUntil: iso(this.#now() + VALID_MS), anchors: [] };
    return { hostId, seeds: [seed], attestation: attest(claim, signerFrom(seed)), history: [], revoked: [] };
  }

  #attest(signer: Signer, claim: Pick<Parameters<typeof attest>[0], "validFrom" | "anchors">): Attestation {
    return attest({ ...claim, hostId: this.#file.hostId, validUntil: iso(this.#now() + VALID_MS) }, signer);
  }

  /** Durable before anybody hears of it. */
  #save(file: KeyFile): void {
    writeKeyFile(this.#path, file, this.#passphrase);
    this.#file = file;
  }
}

const otherHost = (path: string, kept: string, configured: string): Error =>
  new Error(
    `${path} is the key of host ${kept}, but the configuration says ${configured}. ` +
      `Set host.id to ${kept}, or start ${configured} in a work directory of its own (--workdir).`,
  );

/** Throws an Error fit for people when the key belongs to another host, or cannot be read. */
export const openSigningKey = (dir: string, hostId: string, options: SigningKeyOptions = {}): SigningKey =>
  new SigningKey(dir, hostId, options);
