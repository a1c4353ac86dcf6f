/**
 * The host's side of an MCP connection, written out message by message, so that a test decides what is advertised and what is
 * answered. What the server asked of it is kept.
 */
export interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: Record<string, any>;
  readonly result?: any;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

export type Answering = (request: Message) => Pick<Message, "result" | "error">;

export interface Wire {
  send(message: object): void;
  /** Called once, before anything is sent. */
  receive(hear: (message: Message) => void): void;
}

export interface PlayedHost {
  readonly asked: readonly Message[];
  request(method: string, params?: object): Promise<Message>;
  /** The handshake of the legacy era. */
  initialize(capabilities: object): Promise<void>;
  /** The text of the tool's first content, and whether it is an error. */
  call(name: string, args?: object, meta?: object): Promise<{ readonly text: string; readonly isError: boolean }>;
}

export const playHost = (wire: Wire, answer: Answering): PlayedHost => {
  const asked: Message[] = [];
  const waiting = new Map<unknown, (message: Message) => void>();
  let last = 0;
  wire.receive((message) => {
    if (message.method === undefined) return waiting.get(message.id)?.(message);
    if (message.id === undefined) return undefined;
    asked.push(message);
    return wire.send({ jsonrpc: "2.0", id: message.id, ...answer(message) });
  });
  const request: PlayedHost["request"] = (method, params = {}) => {
    const id = ++last;
    return new Promise((resolve) => {
      waiting.set(id, resolve);
      wire.send({ jsonrpc: "2.0", id, method, params });
    });
  };
  return {
    asked,
    request,
    async initialize(capabilities) {
      const clientInfo = { name: "played", version: "1.0.0" };
      const { error } = await request("initialize", { protocolVersion: "2025-11-25", capabilities, clientInfo });
      if (error !== undefined) throw new Error(error.message);
      wire.send({ jsonrpc: "2.0", method: "notifications/initialized" });
    },
    async call(name, args = {}, meta?: object) {
      const { result, error } = await request("tools/call", { name, arguments: args, _meta: meta });
      if (error !== undefined) throw new Error(`${error.code}: ${error.message}`);
      return { text: result.content[0].text, isError: result.isError === true };
    },
  };
};

/** As the host advertises it. */
export const ADVERTISED = {
  "ai.nimblebrain/host-resources": {
    read: { enabled: true, range: false, maxSize: 10_485_760 },
    list: { enabled: true },
    write: { enabled: false },
    schemes: ["files"],
  },
} as const;
