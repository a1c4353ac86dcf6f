/**
 * What somebody who holds no code of the host can recompute from what its CHP door gives away: the hashes and signatures of a
 * bundle, a countersignature, and the proofs of an RFC 6962 tree. Only canonical text and Ed25519 are shared with the host;
 * its own verifier is not asked.
 */
import { hash } from "node:crypto";
import type { Json } from "../kernel/chp-client-for-tests.ts";
import { jcs } from "../kernel/jcs.ts";
import { isSignedBy } from "../kernel/signing.ts";
import { stable } from "../kernel/stable.ts";

const sha = (text: string): string => hash("sha256", text);
const pick = (from: Json, names: readonly string[]): Json =>
  Object.fromEntries(names.map((name) => [name, from[name]]));
const set = (from: Json, ...names: string[]): string[] => names.filter((name) => from[name] !== undefined);

const IN_HASH = ["event_id", "event_type", "invocation_id", "capability_id", "host_id", "timestamp", "outcome"];
const IN_ATTESTATION = ["host_id", "public_key", "key_id", "valid_from", "valid_until"];
const IN_HEADER = ["host_id", "protocol_version", "created_at", "canonicalization", "root_hash"];
const IN_WITNESS = ["kind", "host_id", "sequence", "store_head", "witnessed_at", "canonicalization"];
const CANONS = new Map([
  ["chp-stable-v1", stable],
  ["chp-jcs-v1", jcs],
]);

const contentHash = (event: Json): string =>
  sha(
    stable({
      ...pick(event, [...IN_HASH, "payload_commitment", "prev_hash"]),
      correlation_id: event["correlation"].correlation_id,
    }),
  );

const isCommitted = ({ payload, payload_commitment }: Json): boolean =>
  payload.chp_withheld === true || sha(stable(payload)) === payload_commitment;

export const rootHash = (events: readonly Json[]): string =>
  sha(events.map(({ content_hash }) => `${content_hash}\n`).join(""));

/** What the signature of a bundle is over, as text. An unknown canonicalization has none. */
export const headerText = (bundle: Json): string | null =>
  CANONS.get(bundle["canonicalization"])?.(pick(bundle, [...IN_HEADER, ...set(bundle, "completeness")])) ?? null;

/** Whether this is a statement of that key about itself, for that host and that time. */
const isAttested = (said: Json, { host_id, public_key }: Json, at: string): boolean =>
  said["host_id"] === host_id &&
  said["public_key"] === public_key &&
  said["valid_from"] <= at &&
  (said["valid_until"] === null || at <= said["valid_until"]) &&
  isSignedBy(public_key, stable(pick(said, [...IN_ATTESTATION, ...set(said, "anchors")])), said["signature"]);

const isComplete = (claim: Json, last: Json | undefined): boolean =>
  claim["scheme"] === "chp-completeness-v1" &&
  claim["correlation_id"] === last?.["correlation"].correlation_id &&
  claim["head_hash"] === last?.["content_hash"] &&
  claim["as_of_sequence"] >= last?.["sequence"];

/** What does not hold in a signed bundle, by name. Empty: all of it does. */
export const defectsOf = (bundle: Json): string[] => {
  const events = bundle["events"] as Json[];
  const text = headerText(bundle);
  const { completeness, host_identity: identity, public_key: key, signature } = bundle;
  const holds = {
    event_hashes: events.every((event) => contentHash(event) === event["content_hash"]),
    chain: events.every(({ prev_hash }, i) => prev_hash === (events[i - 1]?.["content_hash"] ?? null)),
    payload_commitments: events.every(isCommitted),
    root_hash: rootHash(events) === bundle["root_hash"],
    completeness: completeness === undefined || isComplete(completeness, events.at(-1)),
    signature: text !== null && isSignedBy(key, text, signature.signature),
    host_identity: isAttested(identity, bundle, bundle["created_at"]),
  };
  return Object.entries(holds).flatMap(([name, held]) => (held ? [] : [name]));
};

/** Whether the countersignature of a head verifies, and the key of whoever gave it too. */
export const isCountersigned = (statement: Json): boolean => {
  const { witness, signature, witnessed_at: at } = statement;
  const header = pick(statement, [...IN_WITNESS, ...set(statement, "revocation_head")]);
  return (
    isSignedBy(witness.public_key, stable(header), signature.signature) &&
    isAttested(witness.host_identity, witness, at)
  );
};

const node = (left: Buffer, right: Buffer): Buffer =>
  hash("sha256", Buffer.concat([Buffer.of(1), left, right]), "buffer");
const bytes = (hex: string): Buffer => Buffer.from(hex, "hex");
/** The largest power of two below it. */
const halfOf = (size: number): number => 2 ** Math.floor(Math.log2(size - 1));

/** The root above a leaf; the last of the path stands beside the largest part. Null: the path has not the length it must. */
const rootAbove = (leaf: Buffer, index: number, size: number, path: readonly Buffer[]): Buffer | null => {
  const [beside, rest, half] = [path.at(-1), path.slice(0, -1), halfOf(size)];
  if (size === 1) return beside === undefined ? leaf : null;
  const isLeft = index < half;
  const below = isLeft ? rootAbove(leaf, index, half, rest) : rootAbove(leaf, index - half, size - half, rest);
  if (below === null || beside === undefined) return null;
  return isLeft ? node(below, beside) : node(beside, below);
};

/** Whether the log of this root holds, as the latest of its correlation, the event with this content hash. */
export const isInLog = (root: string, contentHashOfLast: string, proof: Json): boolean => {
  const { correlation_id, leaf_index, tree_size, audit_path } = proof;
  const leaf = hash("sha256", `\0${correlation_id}\0${contentHashOfLast}\n`, "buffer");
  return rootAbove(leaf, leaf_index, tree_size, audit_path.map(bytes))?.toString("hex") === root;
};

interface Grown {
  readonly first: number;
  readonly second: number;
  readonly path: readonly Buffer[];
  /** The root of the first tree, while that is a whole part on the left. */
  readonly known: Buffer | null;
}

/** The roots of both trees, from the parts that the path gives. */
const bothRoots = ({ first, second, path, known }: Grown): readonly [Buffer, Buffer] | null => {
  const [beside, rest, half] = [path.at(-1), path.slice(0, -1), halfOf(second)];
  if (first === second) {
    const whole = known ?? beside;
    return whole !== undefined && path.length === (known === null ? 1 : 0) ? [whole, whole] : null;
  }
  if (beside === undefined) return null;
  if (first <= half) {
    const left = bothRoots({ first, second: half, path: rest, known });
    return left && [left[0], node(left[1], beside)];
  }
  const right = bothRoots({ first: first - half, second: second - half, path: rest, known: null });
  return right && [node(beside, right[0]), node(beside, right[1])];
};

/** Whether the log of the one root is the beginning of the log of the other. */
export const onlyGrew = (firstRoot: string, secondRoot: string, proof: Json): boolean => {
  const { first_size: first, second_size: second, proof: path } = proof;
  const roots = bothRoots({ first, second, path: path.map(bytes), known: bytes(firstRoot) });
  return roots?.[0].toString("hex") === firstRoot && roots[1].toString("hex") === secondRoot;
};
