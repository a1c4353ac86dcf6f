/**
 * Waits until a subject answers one echo rightly. A subject that ends or stays silent is an error with its last words.
 */
import type { Launched } from "./launch.ts";
import { openSession } from "./session.ts";
import type { Target } from "./target.ts";

const PATIENCE_MS = 30_000;

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
    const params = { name: target.tool, arguments: { text: "ready?" } };
    const answer = await lane.send(1, JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }));
    const { result } = JSON.parse(answer) as { result?: { content?: { text?: string }[] } };
    if (result?.content?.[0]?.text !== "ready?") throw new Error(`wrong answer: ${answer.slice(0, 300)}`);
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
