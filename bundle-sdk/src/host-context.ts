/**
 * What `host` can be given, described by shape, so that neither version of the MCP library has to be installed to compile
 * against this one.
 */
type Send = (...args: never[]) => Promise<unknown>;

export interface HostRequest {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** `Server` of either version. */
export interface ServerLike {
  getClientCapabilities(): unknown;
  readonly request: Send;
  getNegotiatedProtocolVersion?(): string | undefined;
}

/** `Server` or `McpServer` of either version. */
export type McpServerLike = ServerLike | { readonly server: ServerLike };

/** The `extra` that version 1 gives to a handler. */
export interface ExtraLike {
  readonly sendRequest: Send;
  readonly signal?: AbortSignal;
}

/** The `ctx` that version 2 gives to a handler. */
export interface CtxLike {
  readonly mcpReq: {
    readonly send: Send;
    readonly signal?: AbortSignal;
    readonly _meta?: unknown;
    readonly envelope?: unknown;
  };
}

/** For servers without a library. A rejection that carries `code` and `data` is taken for the host's answer. */
export interface PlainContext {
  readonly clientCapabilities: unknown;
  request(request: HostRequest): Promise<unknown>;
}

export type HostContext = McpServerLike | ExtraLike | CtxLike | PlainContext;
