/**
 * The stdio leg: speaks MCP over the pipes of a process that somebody else started and will stop.
 */
import type { Connection, ServerProcess } from "../connection.ts";
import { openConnection } from "./open-connection.ts";
import { StdioLeg, type StdioLegOptions } from "./stdio-leg.ts";

export interface StdioOptions extends StdioLegOptions {
  readonly signal: AbortSignal;
  /** True: the server is known to be legacy, or exited when it was asked; it is not probed. */
  readonly skipProbe?: boolean;
}

/** The server exited at a question that a legacy server need not understand: start it again with `skipProbe`. */
export class ExitedDuringProbe extends Error {
  override readonly name = "ExitedDuringProbe";
}

export const connectStdio = async (server: ServerProcess, options: StdioOptions): Promise<Connection> => {
  const leg = new StdioLeg(server, options);
  const skipProbe = options.skipProbe ?? false;
  try {
    return await openConnection(leg, { ...options, skipProbe });
  } catch (error) {
    const probing = !skipProbe && leg.correlator.dialect.era === "modern";
    const reason = leg.lostBecause();
    await leg.close("the handshake failed");
    if (reason === null) throw error;
    throw probing ? new ExitedDuringProbe(reason) : new Error(`${reason} during the handshake`);
  }
};
