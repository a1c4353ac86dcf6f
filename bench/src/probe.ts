/**
 * Waits until a subject answers one echo rightly. A subject that ends or stays silent is an error with its last words.
 */
import { findEchoDefect, writeEcho } from "./echo-call.ts";
import type { Launched } from "./launch.ts";
import { openSession } from "./session.ts";
import type { Target } from "./target.ts";

const PATIENCE_MS = 30_000;
/** Each try is a call of its own: over CHP the same id would be answered with what was said before. */
let tries = 0;

const within = async <T>(promise: Promise<T>, ms: number): Promise<T> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${ms / 1000} s`)), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
};

const echoOnce = async (target: Target): Promise<void> => {
  const session = await openSession(target);
  const lane = session.openLane();
  try {
    const call = { id: ++tries, text: "ready?" };
    const answer = await lane.send(call.id, writeEcho(target, call));
    const defect = findEchoDefect(target, answer, call);
    if (defect !== null) throw new Error(defect);
  } finally {
    lane.close();
    await session.close();
  }
};

export const probe = async (target: Target, launched: Launched): Promise<void> => {
  const until = Date.now() + PATIENCE_MS;
  let last = "";
  while (Date.now() < until && launched.running()) {
    try {
      await within(echoOnce(target), 5000);
      return;
    } catch (error) {
      last = error instanceof Error ? error.message : String(error);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
  const state = launched.running() ? `not ready within ${PATIENCE_MS / 1000} s` : "it ended";
  throw new Error(`${state}; last try: ${last}; it said: ${launched.lastWords()}`);
};
