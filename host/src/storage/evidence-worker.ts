/**
 * The thread of the evidence log: takes what batches there are, writes, commits, acknowledges. After a failure it drops the
 * store and opens it again with the next batch or probe. It decides nothing about what is recorded.
 */
import { open } from "node:fs/promises";
import { join } from "node:path";
import { parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { giveBackMemory } from "../kernel/give-back-memory.ts";
import { HostError } from "../kernel/host-error.ts";
import { unpackDrafts } from "./draft-fields.ts";
import { EVIDENCE_FILE } from "./evidence-schema.ts";
import { EvidenceStore } from "./evidence-store.ts";
import { takeFileLock, type FileLock } from "./file-lock.ts";
import { recoverOpenCalls } from "./recover-open-calls.ts";
import { purgeCorrelations, retainSlice, withholdPayload } from "./retention.ts";
import { RowSeal } from "./row-seal.ts";
import type { Drafts, FromWorker, Question, ToWorker, WorkerOptions } from "./worker-messages.ts";

const BATCHED_SYNC_MS = 200;
const CHECKPOINT_MS = 10_000;
/** What has arrived is joined up to here; the rest is the next commit. */
const MAX_JOINED_CHARS = 16 << 20;

if (parentPort === null) throw new HostError("evidence-worker runs as a worker thread only");
const port = parentPort;
const options = workerData as WorkerOptions;
const replySeal = options.replyKey === null ? null : new RowSeal(options.replyKey);
const waitsForDisk = options.durability !== "batched";

let lock: FileLock | null = null;
let store: EvidenceStore | null = null;
let knownLast = 0;
let signing = options.signing;
let timer: NodeJS.Timeout | null = null;
let checkpointTimer: NodeJS.Timeout | null = null;

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
  store ??= new EvidenceStore({ ...options, signing, knownLast, replySeal });
  return store;
};

const stopTimers = (): void => {
  if (timer !== null) clearTimeout(timer);
  if (checkpointTimer !== null) clearTimeout(checkpointTimer);
  timer = null;
  checkpointTimer = null;
};

const dropStore = (): void => {
  stopTimers();
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

/** So that no event stays unsigned for long; runs only while there are such. */
const checkpointLater = (log: EvidenceStore): void => {
  if (log.unsigned === 0) return;
  checkpointTimer ??= setTimeout(() => {
    checkpointTimer = null;
    try {
      store?.checkpoint();
    } catch (error) {
      dropStore();
      say({ kind: "lost", reason: reasonOf(error) });
    }
  }, CHECKPOINT_MS);
};

const isDrafts = (message: ToWorker): message is string | Drafts => typeof message === "string" || "drafts" in message;

/** Everything that has arrived goes into one commit, and comes to disk with one wait. */
const writeBatches = (first: string | Drafts): Exclude<ToWorker, string | Drafts> | null => {
  let text = "";
  let texts = "";
  let batches = 0;
  let next: ToWorker | undefined = first;
  while (next !== undefined && isDrafts(next)) {
    text += typeof next === "string" ? next : next.drafts;
    if (typeof next !== "string") texts += next.texts;
    batches++;
    const full = text.length + texts.length > MAX_JOINED_CHARS;
    next = full ? undefined : (receiveMessageOnPort(port)?.message as ToWorker | undefined);
  }
  try {
    const log = openStore();
    const written = log.write(unpackDrafts(text), texts.split("\n"));
    log.commit();
    knownLast = log.lastSequence;
    if (!waitsForDisk) syncLater();
    checkpointLater(log);
    say({ kind: "written", first: written.first, eventIds: written.eventIds });
  } catch (error) {
    dropStore();
    say({ kind: "failed", batches, reason: reasonOf(error) });
  }
  return next ?? null;
};

const answer = (question: Question): unknown => {
  if (question.ask === "sign-with") {
    // Kept whether or not the store can be opened now: the next one signs with it.
    ({ signing } = question);
    store?.useSigner(question.signing);
    return null;
  }
  const log = openStore();
  if (question.ask === "checkpoint") return log.checkpoint();
  if (question.ask === "purge") return purgeCorrelations(log, question.order);
  if (question.ask === "retain") return retainSlice(log, question.slice);
  return withholdPayload(log, question.sequence);
};

const answerQuestion = (id: number, question: Question): void => {
  try {
    const value = answer(question);
    knownLast = Math.max(knownLast, store?.lastSequence ?? 0);
    if (store !== null) checkpointLater(store);
    say({ kind: "answered", id, value });
  } catch (error) {
    dropStore();
    say({ kind: "unanswered", id, reason: reasonOf(error) });
  }
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
    stopTimers();
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
  const other = isDrafts(message) ? writeBatches(message) : message;
  if (other === null) return;
  if (other.ask === "question") answerQuestion(other.id, other.question);
  else if (other.ask === "close") close();
  else probe();
});

try {
  if (options.durability !== "memory") lock = lockDirectory(options.dir);
  const log = openStore();
  const { ended, kept } = recoverOpenCalls(log, new Set(options.keepOpen));
  knownLast = log.lastSequence;
  checkpointLater(log);
  giveBackMemory();
  say({ kind: "opened", recovered: ended, kept, lastSequence: knownLast, state: log.state() });
} catch (error) {
  dropStore();
  lock?.release();
  say({ kind: "refused", reason: reasonOf(error) });
  port.close();
}
