/** For tests: what the stub of a model is told to answer, and what it remembers of a request. */

export interface StubCall {
  readonly name: string;
  /** Default: `call_` and a number that no other call of the stub has. */
  readonly id?: string;
  readonly input?: unknown;
  /** Written in place of `input`, whatever it is. */
  readonly inputText?: string;
}

export interface StubUsage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
}

/**
 * How an answer ends that does not end well: the connection is cut (text that has to be seen before needs a promise
 * after it), a chunk is no JSON, nothing more comes until the client goes, the stream ends without having said why, or
 * the provider reports an error in the middle.
 */
export type StubFault = "cut" | "malformed" | "hang" | "end" | { readonly type: string; readonly message: string };

export interface StubError {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: one of the wire, with `type` and `message`. */
  readonly body?: unknown;
  readonly type?: string;
  readonly message?: string;
}

/** One answer. All of it is optional: `{}` is an empty answer that ends well. */
export interface StubTurn {
  /** Sent piece by piece. A number is a pause in milliseconds, a promise one until it is settled. */
  readonly text?: string | readonly (string | number | Promise<unknown>)[];
  readonly reasoning?: string;
  readonly calls?: readonly StubCall[];
  /** Null: none is reported. Default: 10 in, 5 out. */
  readonly usage?: StubUsage | null;
  /** Default: `tool-calls` with calls, else `stop`. Another word is sent as it is. */
  readonly finish?: "stop" | "tool-calls" | "length" | "content-filter" | (string & {});
  /** After text and calls, in place of the end. */
  readonly fault?: StubFault;
  /** In place of all else. `reset` closes the connection without an answer, `hang` gives none. */
  readonly error?: StubError | "reset" | "hang";
  /** It answers every further request too. */
  readonly forever?: true;
}

/** As many turns as requests are expected, or a function that is asked for each. */
export type StubScript = readonly StubTurn[] | ((request: StubRequest, index: number) => StubTurn);

export interface StubRequest {
  readonly wire: "anthropic" | "openai";
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Readonly<Record<string, any>>;
  /** The system prompt, its blocks joined. */
  readonly system: string;
  /** Names of the tools that were offered, in order. */
  readonly tools: readonly string[];
  /** The text of the last message, tool results included. */
  readonly last: string;
  /** Results of tools that came since the model last spoke, in order. */
  readonly results: readonly { readonly id: string; readonly text: string }[];
  /** The client went before the answer was whole. */
  readonly left: boolean;
}
