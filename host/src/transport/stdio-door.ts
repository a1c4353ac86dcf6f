/**
 * The MCP door on a pipe: one JSON-RPC message a line, for the local user. The same answers as over HTTP, with what HTTP says
 * in headers left out.
 */
import type { Readable, Writable } from "node:stream";
import { HostError } from "../kernel/host-error.ts";
import { LineCodec } from "../kernel/line-codec.ts";
import type { Presented } from "../kernel/principal.ts";
import { Refusal } from "../kernel/refusal.ts";
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
  /** A line that stands for the end of input; input that ends without it was lost. Absent: its end is its end. */
  readonly endMark?: string;
  /** Ends it: calls are aborted and have a moment to be answered. */
  readonly signal?: AbortSignal;
}

export interface StdioDoor {
  /** Throws the refusal when there is no such provider. Resolves when all was answered, or nobody is there any more. */
  run(order: StdioOrder): Promise<void>;
  /** Reads no more anywhere. */
  close(): void;
  /** Resolves when nobody is there. */
  idle(): Promise<void>;
}

const LOCAL: Presented = { kind: "local" };
const LAST_WORDS_MS = 500;

export const createStdioDoor = (parts: DoorParts, answers: DoorAnswers, sessions: Sessions): StdioDoor => {
  const { deps } = parts;
  const open = new Map<StdioTalk, Promise<void>>();

  const exchangeFor = (provider: string | null): Exchange => {
    const principal = deps.identify(LOCAL, "mcp");
    if (principal === null) throw new HostError("nobody is the local user");
    if (provider !== null && deps.surfaces.of(principal, provider) === null) throw unknownProvider(provider).refusal;
    const surface = surfaceOf(deps.surfaces, principal, provider);
    return { headers: null, provider, presented: LOCAL, principal, verified: null, surface };
  };

  const converse = async (order: StdioOrder, talk: StdioTalk, output: StdioOutput): Promise<void> => {
    const release = readLines(order, { talk, output, maxBytes: deps.limits.maxRequestBytes });
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
    run: (order) => {
      const exchange = exchangeFor(order.provider);
      const output = new StdioOutput(order.output, () => talk.lost());
      const talk = new StdioTalk({ parts, answers, sessions, exchange, output });
      const over = converse(order, talk, output);
      open.set(talk, over);
      return over;
    },
    close: () => {
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
