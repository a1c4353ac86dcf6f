/** The host's key as another process reads it from the work directory: writes nothing, makes none. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { signerOf, type Signer } from "../../kernel/signing.ts";
import { readKeyFile } from "../signing-key-file.ts";
import type { Json } from "./archive-parts.ts";

export interface ReadHostKey {
  readonly hostId: string;
  /** Null: the key is sealed and there is no passphrase for it, or this user may not read it. */
  readonly signer: Signer | null;
  /** As `/.well-known/chp-identity` gives it out. */
  readonly identity: Json;
}

interface Open {
  readonly host_id: string;
  readonly attestation: Json;
  readonly history: readonly Json[];
  readonly revoked: readonly Json[];
}

const KEY_FILE = "host-key.json";

const signerFrom = (path: string, passphrase: string | null): Signer | null => {
  try {
    const seed = readKeyFile(path, passphrase).file.seeds.at(-1);
    return seed === undefined ? null : signerOf(Buffer.from(seed, "base64"));
  } catch {
    return null;
  }
};

/** Null: the host has no key, or none that can be read. */
export const readHostKey = (dir: string, passphrase: string | null): ReadHostKey | null => {
  const path = join(dir, KEY_FILE);
  if (!existsSync(path)) return null;
  let open: Partial<Open>;
  try {
    open = JSON.parse(readFileSync(path, "utf8")) as Partial<Open>;
  } catch {
    return null;
  }
  const { host_id: hostId, attestation, history = [], revoked = [] } = open;
  if (typeof hostId !== "string" || typeof attestation !== "object") return null;
  const identity = {
    assurance: "signed",
    key_id: attestation["key_id"],
    public_key: attestation["public_key"],
    host_identity: attestation,
    ...(history.length === 0 ? {} : { key_history: history }),
    ...(revoked.length === 0 ? {} : { revoked_keys: revoked }),
  };
  return { hostId, signer: signerFrom(path, passphrase), identity };
};
