/**
 * What the agent costs beside the model: a message that makes it call one tool, the same call over REST, and the same requests
 * sent to the model itself, one at a time and in turns.
 */
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { startHost } from "./bailiwick.ts";
import type { AgentFinding } from "./findings.ts";
import { HttpConnection } from "./http-connection.ts";
import { launch } from "./launch.ts";
import { median } from "./median.ts";
import { freePort, program } from "./places.ts";
import { readTree } from "./process-tree.ts";
import { createPost, type Target } from "./target.ts";
import { timeFirstPart } from "./time-first-part.ts";
import type { Timing } from "./timing.ts";

/** Does it once and says how many milliseconds it took. */
type Step = () => Promise<number>;

interface Taken {
  readonly ms: number[];
  cpuMicros: number;
}

/** Each text is another, so that no call is a repetition. */
let texts = 0;
const nextText = (): string => `${++texts} the quick brown fox jumps over the lazy dog`;

const createSend = (url: string, headers: Target["headers"] = {}): ((body: string) => Promise<string>) => {
  const connection = new HttpConnection(new URL(url));
  const post = createPost(new URL(url), headers);
  return async (body) => {
    const { status, body: answer } = await connection.send(post(body));
    if (status !== 200) throw new Error(`${url} answered ${status}: ${answer.slice(0, 300)}`);
    return answer;
  };
};

const timed = async (run: () => Promise<unknown>): Promise<number> => {
  const from = performance.now();
  await run();
  return performance.now() - from;
};

interface Echo {
  readonly path: string;
  readonly bodyOf: (text: string) => object;
  /** The part of the answer that must hold what was to be echoed. */
  readonly heardIn: (answer: string) => string;
}

const createEcho = (target: Target, { path, bodyOf, heardIn }: Echo): Step => {
  const send = createSend(new URL(path, target.url).href, target.headers);
  return async () => {
    const text = nextText();
    const body = JSON.stringify(bodyOf(text));
    let answer = "";
    const took = await timed(async () => (answer = await send(body)));
    if (heardIn(answer).includes(text)) return took;
    throw new Error(`wrong answer: ${answer.slice(0, 300)}`);
  };
};

const MESSAGE: Echo = {
  path: "/v1/chat",
  bodyOf: (text) => ({ message: `echo(${text})` }),
  heardIn: (answer) => (JSON.parse(answer) as { readonly response: string }).response,
};
const CALL: Echo = {
  path: "/v1/tools/call",
  bodyOf: (text) => ({ name: "echo__echo", arguments: { text } }),
  heardIn: (answer) => answer,
};

const startModel = async (home: string): Promise<string> => {
  const port = await freePort();
  launch({ args: [program("model-server"), String(port)], home, log: join(home, "model.log") });
  const url = `http://127.0.0.1:${port}/v1`;
  for (let tries = 0; tries < 200; tries++) {
    const answer = await fetch(url).catch(() => null);
    if (answer?.ok) return url;
    await pause(25);
  }
  throw new Error("the model does not listen");
};

/** In turns, each for a while; the first go is for nothing. */
const takeTurns = async (steps: readonly Step[], rootPid: number, timing: Timing): Promise<readonly Taken[]> => {
  const taken = steps.map(() => ({ ms: [] as number[], cpuMicros: 0 }));
  const takeOne = async (step: Step, into: Taken, forMs: number): Promise<void> => {
    const before = readTree(rootPid)?.cpuMicros ?? 0;
    for (const until = performance.now() + forMs; performance.now() < until;) into.ms.push(await step());
    into.cpuMicros += (readTree(rootPid)?.cpuMicros ?? 0) - before;
  };
  for (const step of steps) await takeOne(step, { ms: [], cpuMicros: 0 }, timing.warmUpMs);
  for (let turn = 0; turn < timing.turns; turn++) {
    for (const [index, step] of steps.entries()) {
      const into = taken[index];
      if (into !== undefined) await takeOne(step, into, timing.windowMs / 2);
    }
  }
  return taken;
};

const costOf = ({ ms, cpuMicros }: Taken): AgentFinding["message"] => ({
  p50Ms: median(ms),
  cpuMicros: cpuMicros === 0 ? null : cpuMicros / ms.length,
});

export const measureAgent = async (home: string, timing: Timing): Promise<AgentFinding> => {
  const modelUrl = await startModel(home);
  const settings = {
    providers: { bench: { type: "openai-compatible", baseURL: modelUrl } },
    defaultModel: "bench:model",
  };
  const { target, launched } = await startHost({ home, settings });
  const completions = `${modelUrl}/chat/completions`;
  const lastBodies = async (): Promise<string[]> => (await (await fetch(modelUrl)).json()) as string[];
  const message = createEcho(target, MESSAGE);
  const rest = createEcho(target, CALL);
  const stream = new URL("/v1/chat/stream", target.url);
  const say = createPost(stream, target.headers)(JSON.stringify({ message: "Say that all is well." }));
  const firstText: Step = () => timeFirstPart(stream, say, "event: text.delta");
  await message();
  const asked = await lastBodies();
  await firstText();
  const told = createPost(new URL(completions), {})((await lastBodies()).at(-1) ?? "");
  const sendModel = createSend(completions);
  const model: Step = () =>
    timed(async () => {
      for (const body of asked) await sendModel(body);
    });
  const modelText: Step = () => timeFirstPart(new URL(completions), told, '"content":"ok"');
  const all = await takeTurns([message, rest, model, firstText, modelText], launched.pid, timing);
  const [ofMessage, ofRest, ofModel, ofFirst, ofModelFirst] = all;
  if (!ofMessage || !ofRest || !ofModel || !ofFirst || !ofModelFirst) throw new Error("a step was not measured");
  return {
    message: costOf(ofMessage),
    rest: costOf(ofRest),
    modelMs: median(ofModel.ms),
    firstTextMs: median(ofFirst.ms),
    modelFirstTextMs: median(ofModelFirst.ms),
  };
};
