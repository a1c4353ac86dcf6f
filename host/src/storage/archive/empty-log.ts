/** A log that cannot be read back, as the archive sees it: nothing in it, and nothing signed. */
import { hash } from "node:crypto";
import type { EvidenceReader } from "../read-evidence.ts";
import type { HostKey, LogTree } from "./archive-parts.ts";

const NOTHING = hash("sha256", "");

export const EMPTY_READER: EvidenceReader = {
  last: () => 0,
  tail: () => [],
  byId: () => null,
  byCorrelation: () => [],
  byCorrelationBack: () => [],
  byInvocation: () => [],
  batchesBack: () => [],
  range: () => [],
  close: () => undefined,
};

export const EMPTY_TREE: LogTree = {
  size: () => 0,
  root: () => NOTHING,
  inclusion: () => [],
  consistency: () => [],
  leafCheck: () => () => false,
  checkpoints: () => [],
  latestCheckpoint: () => null,
};

export const NO_KEY: HostKey = { signer: () => null, identity: () => ({ assurance: "none" }) };

export const headOfNothing = (): Promise<string> => Promise.resolve(NOTHING);
