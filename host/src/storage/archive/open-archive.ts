/** The archive of a running host, over its work directory: joins what the store offers. */
import type { Archive } from "../../kernel/archive.ts";
import type { OpenEvidenceLog } from "../open-evidence-log.ts";
import { openEvidenceReader } from "../read-evidence.ts";
import { StoreHeads } from "../tree/store-heads.ts";
import { TreeReader } from "../tree/tree-reader.ts";
import type { HostKey } from "./archive-parts.ts";
import { createArchive } from "./create-archive.ts";
import { EMPTY_READER, EMPTY_TREE, headOfNothing, NO_KEY } from "./empty-log.ts";
import { PurgedLeaves } from "./purged-leaves.ts";

export interface OpenArchiveOptions {
  /** Null: the log is in memory, and nothing can be read back from it. */
  readonly dir: string | null;
  readonly hostId: string;
  readonly key: HostKey;
  readonly log: Pick<OpenEvidenceLog, "append" | "state" | "checkpoint">;
  /** Base64 of the witness keys that are kept before all others. */
  readonly pinnedWitnesses: readonly string[];
  /** Base64 of the keys whose revocations are always kept. */
  readonly pinnedPrincipals: readonly string[];
}

export interface OpenArchive {
  readonly archive: Archive;
  readonly close: () => void;
}

const openNothing = ({ hostId, log, pinnedWitnesses, pinnedPrincipals }: OpenArchiveOptions): OpenArchive => ({
  archive: createArchive({
    hostId,
    reader: EMPTY_READER,
    tree: EMPTY_TREE,
    purged: () => [],
    key: NO_KEY,
    log,
    state: log.state,
    checkpoint: () => Promise.resolve(null),
    headV1: headOfNothing,
    pinnedWitnesses: new Set(pinnedWitnesses),
    pinnedPrincipals: new Set(pinnedPrincipals),
  }),
  close: () => undefined,
});

/** After the log was opened, which makes the file. */
export const openArchive = (options: OpenArchiveOptions): OpenArchive => {
  const { dir, hostId, key, log, pinnedWitnesses, pinnedPrincipals } = options;
  if (dir === null) return openNothing(options);
  const reader = openEvidenceReader(dir);
  const tree = new TreeReader(dir);
  const purged = new PurgedLeaves(dir);
  const heads = new StoreHeads(dir);
  const archive = createArchive({
    hostId,
    reader,
    tree,
    purged: (from, to) => purged.between(from, to),
    key,
    log,
    state: log.state,
    checkpoint: () => log.checkpoint(),
    headV1: (sequence) => heads.at(sequence),
    pinnedWitnesses: new Set(pinnedWitnesses),
    pinnedPrincipals: new Set(pinnedPrincipals),
  });
  return {
    archive,
    close: () => {
      reader.close();
      tree.close();
      purged.close();
    },
  };
};
