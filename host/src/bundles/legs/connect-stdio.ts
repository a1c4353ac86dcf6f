/**
 * The stdio leg: speaks MCP over the pipes of a process that somebody else started and will stop.
 */
import type { Connection, ServerProcess } from "../connection.ts";
import { NO_MEMORY, type EraMemory } from "./era-memory.ts";
import { openConnection } from "./open-connection.ts";
import { StdioLeg, type StdioLegOptions } from "./stdio-leg.ts";

export interface StdioOptions extends StdioLegOptions {
  readonly signal: AbortSignal;
  /** Absent: the server is asked. */
  readonly eras?: EraMemory;
}

/** The server exited at a question that a legacy server need not understand: start it again and do not ask. */
export class ExitedDuringProbe extends Error {
  override readonly name = "ExitedDuringProbe";
}

export const connectStdio = async (server: ServerProcess, options: StdioOptions): Promise<Connection> => {
  const leg = new StdioLeg(server, options);
  try {
    return await openConnection(leg, { eras: NO_MEMORY, ...options, silenceTells: true });
  } catch (error) {
    const probing = options.eras?.known !== "legacy" && leg.correlator.dialect.era === "modern";
    const reason = leg.lostBecause();
    await leg.close("the handshake failed");
    if (reason === null) throw error;
    throw probing ? new ExitedDuringProbe(reason) : new Error(`${reason} during the handshake`);
  }
};
