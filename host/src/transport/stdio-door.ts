/**
 * The MCP door on a pipe: one JSON-RPC message a line, for the local user. The same answers as over HTTP, with what HTTP says
 * in headers left out.
 */
import type { Readable, Writable } from "node:stream";
import { LineCodec } from "../kernel/line-codec.ts";
import type { Presented } from "../kernel/principal.ts";
import { Refusal } from "../kernel/refusal.ts";
import { unknownWorkspace } from "../kernel/unknown-workspace.ts";
import type { DoorParts } from "./door-parts.ts";
import type { Exchange } from "./exchange.ts";
import type { DoorAnswers } from "./mcp-door.ts";
import type { Sessions } from "./sessions.ts";
import { StdioOutput } from "./stdio-door-output.ts";
import { StdioTalk } from "./stdio-door-talk.ts";
import { surfaceOf } from "./surface-of.ts";
import { unknownProvider } from "./unknown-provider.ts";
import { within } from "./within.ts";

export interface StdioOrder {
  readonly input: Readable;
  readonly output: Writable;
  /** Null: all providers, as on `/mcp`. */
  readonly provider: string | null;
  /** Absent: the default one. */
  readonly workspace?: string;
  /** Called once it is sure that nothing is refused, before anything is said. */
  readonly onOpen?: () => void;
  /** A line that stands for the end of input; input that ends without it was lost. Absent: its end is its end. */
  readonly endMark?: string;
  /** Ends it: calls are aborted and have a moment to be answered. */
  readonly signal?: AbortSignal;
}

export interface StdioDoor {
  /** Rejects with the refusal when there is no such provider or workspace. Resolves when all was answered, or nobody is there any more. */
  run(order: StdioOrder): Promise<void>;
  /** Reads no more anywhere. */
  close(): void;
  /** Resolves when nobody is there. */
  idle(): Promise<void>;
}

const LOCAL = { kind: "local" } as const;
const LAST_WORDS_MS = 500;

export const createStdioDoor = (parts: DoorParts, answers: DoorAnswers, sessions: Sessions): StdioDoor => {
  const { deps } = parts;
  const open = new Map<StdioTalk, Promise<void>>();
  let closing = false;

  const exchangeFor = async ({ provider, workspace }: StdioOrder): Promise<Exchange> => {
    const presented: Presented = workspace === undefined ? LOCAL : { ...LOCAL, workspace };
    const principal = deps.identify(presented, "mcp");
    if (principal === null) throw unknownWorkspace();
    const { workspaces } = deps;
    if (workspaces?.isOpen(principal.workspace) === false) await workspaces.open(principal.workspace);
    if (closing) throw hostStopped();
    if (provider !== null && deps.surfaces.of(principal, provider) === null) throw unknownProvider(provider).refusal;
    const surface = surfaceOf(deps.surfaces, principal, provider);
    return { headers: null, provider, presented, principal, verified: null, surface };
  };

  const converse = async (order: StdioOrder, talk: StdioTalk, output: StdioOutput): Promise<void> => {
    const release = readLines(order, { talk, output, maxBytes: deps.limits.maxRequestBytes });
    // It may have gone while its workspace was opened.
    if (order.input.destroyed) talk.lost();
    const { signal } = order;
    const stop = (): void => {
      talk.stop(hostStopped());
      void within(talk.over, LAST_WORDS_MS).then(() => talk.lost());
    };
    if (signal?.aborted === true) stop();
    signal?.addEventListener("abort", stop, { once: true });
    await talk.over;
    signal?.removeEventListener("abort", stop);
    release();
    talk.release();
    await (signal?.aborted === true ? within(output.flushed(), LAST_WORDS_MS) : output.flushed());
    output.release();
    open.delete(talk);
  };

  return {
    run: async (order) => {
      const exchange = await exchangeFor(order);
      order.onOpen?.();
      const output = new StdioOutput(order.output, () => talk.lost());
      const talk = new StdioTalk({ parts, answers, sessions, exchange, output });
      const over = converse(order, talk, output);
      open.set(talk, over);
      return over;
    },
    close: () => {
      closing = true;
      for (const talk of open.keys()) talk.endInput();
    },
    idle: async () => {
      await Promise.all(open.values());
    },
  };
};

interface Reader {
  readonly talk: StdioTalk;
  readonly output: StdioOutput;
  readonly maxBytes: number;
}

/** Whoever does not read what it is told is not listened to either. Returns what ends the reading. */
const readLines = ({ input, endMark }: StdioOrder, { talk, output, maxBytes }: Reader): (() => void) => {
  const codec = new LineCodec(maxBytes, {
    line: (text) => (text === endMark ? talk.endInput() : talk.line(text)),
    broken: () => talk.broken(),
    tooLarge: (head, tail) => talk.tooLarge(head, tail),
  });
  const onData = (chunk: Buffer): void => {
    codec.push(chunk);
    if (output.slow) input.pause();
  };
  const onLost = (): void => talk.lost();
  const onEnd = (): void => {
    if (endMark !== undefined) return onLost();
    // The last line may lack its line break.
    codec.push(LINE_BREAK);
    input.off("close", onLost);
    talk.endInput();
  };
  const stopResuming = output.onDrain(() => void input.resume());
  input.on("data", onData).on("end", onEnd).on("error", onLost).on("close", onLost);
  return () => {
    stopResuming();
    input.off("data", onData).off("end", onEnd).off("error", onLost).off("close", onLost).pause();
  };
};

const LINE_BREAK = Buffer.from("\n");

const hostStopped = (): Refusal =>
  new Refusal("cancelled", { message: "The host stopped.", next: "Repeat the call when the host is back." });
