/**
 * The thread of the evidence log: takes what batches there are, writes, commits, acknowledges. After a failure it drops the
 * store and opens it again with the next batch or probe. It decides nothing about what is recorded.
 */
import { open } from "node:fs/promises";
import { join } from "node:path";
import { parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { HostError } from "../kernel/host-error.ts";
import { unpackDrafts } from "./draft-fields.ts";
import { EVIDENCE_FILE } from "./evidence-schema.ts";
import { EvidenceStore } from "./evidence-store.ts";
import { JournalSync } from "./journal-sync.ts";
import { takeFileLock, type FileLock } from "./file-lock.ts";
import { recoverOpenCalls } from "./recover-open-calls.ts";
import type { FromWorker, ToWorker, WorkerOptions } from "./worker-messages.ts";

const BATCHED_SYNC_MS = 200;

if (parentPort === null) throw new HostError("evidence-worker runs as a worker thread only");
const port = parentPort;
const options = workerData as WorkerOptions;

let lock: FileLock | null = null;
let store: EvidenceStore | null = null;
let knownLast = 0;
let timer: NodeJS.Timeout | null = null;

const say = (message: FromWorker): void => port.postMessage(message);
const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const lockDirectory = (dir: string): FileLock => {
  const taken = takeFileLock(join(dir, "evidence.lock"), 0);
  if (taken !== null) return taken;
  throw new Error(
    "another host is running there. Stop it, or start this one in a work directory of its own (--workdir)",
  );
};

const openStore = (): EvidenceStore => {
  store ??= new EvidenceStore({ ...options, knownLast });
  return store;
};

interface Commit {
  readonly batches: number;
  readonly first: number;
  readonly eventIds: string;
  readonly last: number;
}

const dropStore = (): void => {
  if (timer !== null) clearTimeout(timer);
  timer = null;
  store?.abandon();
  store = null;
};

/** On disk, or not: each batch hears of it once. After a failure the store is opened anew. */
const journal = new JournalSync<Commit>(join(options.dir, `${EVIDENCE_FILE}-wal`), (commits, error) => {
  const [first] = commits;
  if (first === undefined) return;
  if (error !== null) {
    dropStore();
    const batches = commits.reduce((sum, commit) => sum + commit.batches, 0);
    say({ kind: "failed", batches, reason: reasonOf(error) });
    return;
  }
  knownLast = commits.at(-1)?.last ?? knownLast;
  say({ kind: "written", first: first.first, eventIds: commits.map(({ eventIds }) => eventIds).join("") });
});

/** Under `batched` nobody waits; what fails to reach the disk is told. */
const syncJournal = async (): Promise<void> => {
  try {
    const file = await open(join(options.dir, `${EVIDENCE_FILE}-wal`), "r");
    try {
      await file.datasync();
    } finally {
      await file.close();
    }
  } catch (error) {
    say({ kind: "lost", reason: reasonOf(error) });
  }
};

const syncLater = (): void => {
  timer ??= setTimeout(() => {
    timer = null;
    void syncJournal();
  }, BATCHED_SYNC_MS);
};

/** Everything that has arrived goes into one commit. */
const writeBatches = (first: string): ToWorker | null => {
  let text = first;
  let batches = 1;
  let other: ToWorker | null = null;
  while (other === null) {
    const next = receiveMessageOnPort(port);
    if (next === undefined) break;
    const message = next.message as ToWorker;
    if (typeof message === "string") {
      text += message;
      batches++;
    } else other = message;
  }
  try {
    const log = openStore();
    const written = log.write(unpackDrafts(text));
    log.commit();
    acknowledge({ ...written, batches, last: log.lastSequence });
  } catch (error) {
    journal.close();
    dropStore();
    say({ kind: "failed", batches, reason: reasonOf(error) });
  }
  return other;
};

const acknowledge = (commit: Commit): void => {
  const { first, eventIds, last } = commit;
  if (options.durability === "before-execution") {
    journal.add(commit, last - first + 1);
    return;
  }
  knownLast = last;
  if (options.durability === "batched") syncLater();
  say({ kind: "written", first, eventIds });
};

const probe = (): void => {
  journal.finish();
  try {
    openStore().probe();
    if (options.durability === "before-execution") journal.sync();
    say({ kind: "probed", reason: null });
  } catch (error) {
    journal.close();
    dropStore();
    say({ kind: "probed", reason: reasonOf(error) });
  }
};

const close = (): void => {
  let reason: string | null = null;
  journal.close();
  try {
    if (timer !== null) clearTimeout(timer);
    store?.close();
  } catch (error) {
    reason = reasonOf(error);
    store?.abandon();
  }
  lock?.release();
  say({ kind: "closed", reason });
  port.close();
};

port.on("message", (message: ToWorker) => {
  const other = typeof message === "string" ? writeBatches(message) : message;
  if (other === null || typeof other === "string") return;
  if (other.ask === "close") close();
  else probe();
});

try {
  if (options.durability !== "memory") lock = lockDirectory(options.dir);
  const log = openStore();
  const { ended, kept } = recoverOpenCalls(log, new Set(options.keepOpen));
  knownLast = log.lastSequence;
  say({ kind: "opened", recovered: ended, kept, lastSequence: knownLast });
} catch (error) {
  dropStore();
  lock?.release();
  say({ kind: "refused", reason: reasonOf(error) });
  port.close();
}
