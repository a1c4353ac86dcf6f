/**
 * The evidence log as the rooms use it. All hashing and writing happens on a worker thread; on the main thread drafts are
 * only queued and acknowledged.
 */
import { mkdirSync } from "node:fs";
import { Worker } from "node:worker_threads";
import type { DraftsTogether, EvidenceDraft, EvidenceLog, EvidenceReceipt, HostState } from "../kernel/evidence.ts";
import { Refusal } from "../kernel/refusal.ts";
import type { SigningMaterial } from "./checkpoint-table.ts";
import type { Durability } from "./compose-event.ts";
import type { BesideDraft } from "./draft-fields.ts";
import type { PurgeOrder, PurgeOutcome, RetentionOrder } from "./retention.ts";
import { REPLIES_PURPOSE } from "./replies-format.ts";
import { RowSeal } from "./row-seal.ts";
import { readSealSecret, sealKey } from "./seal-secret.ts";
import { WorkerLog } from "./worker-log.ts";
import type { FromWorker, WorkerOptions } from "./worker-messages.ts";

export interface EvidenceLogOptions {
  readonly dir: string;
  readonly hostId: string;
  /** As in the events: dev, test, pilot or prod. */
  readonly environment: string;
  readonly durability: Durability;
  /** Invocations of an earlier run that are still followed, so they do not end with it; default: none. */
  readonly keepOpen?: readonly string[];
  /** Absent: the log is not signed and has no checkpoints. */
  readonly signing?: SigningMaterial;
  /** Regular expressions (linear time) for secrets beside the known ones; default: none. */
  readonly redactPatterns?: readonly string[];
}

export interface OpenEvidenceLog extends EvidenceLog {
  /** How many calls of an earlier run were ended as indeterminate. */
  readonly recovered: number;
  /** Those of `keepOpen` that have no outcome yet. */
  readonly kept: ReadonlySet<string>;
  /** The last sequence at opening. */
  readonly openedAt: number;
  /** With what is to be kept encrypted beside the event, if anything. */
  append(draft: EvidenceDraft, beside?: BesideDraft): Promise<EvidenceReceipt>;
  appendAll(drafts: DraftsTogether, beside?: BesideDraft): Promise<readonly EvidenceReceipt[]>;
  /** What stands beside the log. */
  readonly state: HostState;
  /** Why the store cannot be written; null while it can. */
  problem(): string | null;
  /** The signed head of the log as it is now, canonical text; null: the log is not signed, or empty. */
  checkpoint(): Promise<string | null>;
  /** Further checkpoints are signed with this key. */
  signWith(signing: SigningMaterial): Promise<void>;
  purge(order: PurgeOrder): Promise<PurgeOutcome>;
  /** How many events went. */
  applyRetention(order: RetentionOrder): Promise<number>;
  /** False when there is no such event, or its payload is withheld already. */
  redactPayload(sequence: number): Promise<boolean>;
}

const firstWord = (worker: Worker): Promise<FromWorker> =>
  new Promise((resolve, reject) => {
    worker.once("message", resolve);
    worker.once("error", reject);
  });

/** Opens `<dir>/evidence.db`, takes the directory's lock and ends what an earlier run left open. */
export const openEvidenceLog = async (options: EvidenceLogOptions): Promise<OpenEvidenceLog> => {
  const inMemory = options.durability === "memory";
  if (!inMemory) mkdirSync(options.dir, { recursive: true, mode: 0o700 });
  const replyKey = inMemory ? null : sealKey(readSealSecret(options.dir), REPLIES_PURPOSE);
  const workerData: WorkerOptions = {
    ...options,
    keepOpen: options.keepOpen ?? [],
    signing: options.signing ?? null,
    redactPatterns: options.redactPatterns ?? [],
    replyKey,
  };
  const built = !import.meta.url.endsWith(".ts");
  const url = new URL(built ? "./evidence-worker.js" : "./evidence-worker.ts", import.meta.url);
  const worker = new Worker(url, { workerData });
  const word = await firstWord(worker);
  if (word.kind === "opened")
    return new WorkerLog(worker, word, replyKey && { dir: options.dir, seal: new RowSeal(replyKey) });
  await worker.terminate();
  const reason = word.kind === "refused" ? word.reason : `unexpected word ${word.kind}`;
  throw new Refusal("evidence_unavailable", {
    message: `The evidence log in ${options.dir} cannot be opened: ${reason}.`,
    next: "Run `bailiwick doctor`; it names the file and what is wrong with it.",
  });
};
