/** Opens what the host signs with, the evidence log and what reads it. Whatever fails leaves nothing open. */
import type { Config } from "@bailiwick/contract";
import { openArchive, type OpenArchive } from "../storage/archive/open-archive.ts";
import { openEvidenceLog, type OpenEvidenceLog } from "../storage/open-evidence-log.ts";
import { openSigningKey, type SigningKey } from "../storage/signing-key.ts";

export interface Records extends OpenArchive {
  readonly key: SigningKey;
  readonly log: OpenEvidenceLog;
}

export interface RecordsOptions {
  readonly workDir: string;
  readonly config: Config;
  readonly env: NodeJS.ProcessEnv;
  readonly hostId: string;
  readonly environment: string;
  /** Invocations of an earlier run that are still followed. */
  readonly keepOpen: readonly string[];
}

export const openRecords = async (options: RecordsOptions): Promise<Records> => {
  const { workDir, config, env, hostId, environment, keepOpen } = options;
  const { durability, redact } = config.evidence;
  const key = openSigningKey(workDir, hostId, { passphrase: env["BAILIWICK_KEY_PASSPHRASE"] });
  const log = await openEvidenceLog({
    dir: workDir,
    hostId,
    environment,
    durability,
    keepOpen,
    signing: key.material(),
    redactPatterns: redact.patterns,
  });
  const dir = durability === "memory" ? null : workDir;
  const pinnedPrincipals = [...config.auth.mandatePrincipals, ...Object.values(config.auth.delegates)];
  return { key, log, ...openArchive({ dir, hostId, key, log, pinnedWitnesses: [], pinnedPrincipals }) };
};
