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
import { takeFileLock, type FileLock } from "./file-lock.ts";
import { recoverOpenCalls } from "./recover-open-calls.ts";
import type { FromWorker, ToWorker, WorkerOptions } from "./worker-messages.ts";

const BATCHED_SYNC_MS = 200;

if (parentPort === null) throw new HostError("evidence-worker runs as a worker thread only");
const port = parentPort;
const options = workerData as WorkerOptions;
const waitsForDisk = options.durability !== "batched";

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

const dropStore = (): void => {
  if (timer !== null) clearTimeout(timer);
  timer = null;
  store?.abandon();
  store = null;
};

/** The journal is synced beside the thread, so that nobody waits for it; what fails to reach the disk is told. */
const syncJournal = async (): Promise<void> => {
  try {
    const journal = await open(join(options.dir, `${EVIDENCE_FILE}-wal`), "r");
    try {
      await journal.datasync();
    } finally {
      await journal.close();
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

/** Everything that has arrived goes into one commit, and comes to disk with one wait. */
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
    knownLast = log.lastSequence;
    if (!waitsForDisk) syncLater();
    say({ kind: "written", first: written.first, eventIds: written.eventIds });
  } catch (error) {
    dropStore();
    say({ kind: "failed", batches, reason: reasonOf(error) });
  }
  return other;
};

const probe = (): void => {
  try {
    openStore().probe();
    say({ kind: "probed", reason: null });
  } catch (error) {
    dropStore();
    say({ kind: "probed", reason: reasonOf(error) });
  }
};

const close = (): void => {
  let reason: string | null = null;
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
