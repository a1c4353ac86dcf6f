/**
 * Connects to a server at a URL by the transport that its entry names; if it names none, by Streamable HTTP, and by the
 * older transport only where that is certainly not spoken.
 */
import { Refusal } from "../../kernel/refusal.ts";
import type { Connection } from "../connection.ts";
import { connectHttp, CredentialRejected, type HttpOptions } from "./connect-http.ts";
import { connectSse } from "./connect-sse.ts";
import { NotStreamable } from "./http-status.ts";

export interface DialOptions extends HttpOptions {
  /** Undefined: it is found out. */
  readonly transport: "streamable-http" | "sse" | undefined;
}

export const dial = async (options: DialOptions): Promise<Connection> => {
  if (options.transport === "sse") return connectSse(options);
  try {
    return await connectHttp(options);
  } catch (error) {
    if (options.transport !== undefined || !(error instanceof NotStreamable)) throw error;
    return connectOlder(options, error);
  }
};

const connectOlder = async (options: DialOptions, first: Error): Promise<Connection> => {
  try {
    const connection = await connectSse(options);
    options.eras?.learned("legacy");
    return connection;
  } catch (error) {
    if (error instanceof CredentialRejected || error instanceof Refusal || options.signal.aborted) throw error;
    throw new Error(`${first.message}; nor an endpoint of the older SSE transport: ${(error as Error).message}`, {
      cause: error,
    });
  }
};
