/** How programs of this machine reach the host of a work directory: the running one, else as its configuration says. */
import type { LoadedConfig } from "./load-config.ts";
import { dialableOrigin } from "./dialable-origin.ts";
import { findRunningHost } from "./running-host.ts";

export interface HostWay {
  readonly url: string;
  readonly isRunning: boolean;
  /** False: at the next start it may be another one. */
  readonly isLasting: boolean;
  /** The running one asks for no credential. */
  readonly noAuth: boolean;
}

export const findHostWay = async ({ workDir, config }: LoadedConfig): Promise<HostWay> => {
  const running = await findRunningHost(workDir);
  const { host, port, publicOrigin } = config.http;
  const name = host.includes(":") ? `[${host}]` : host;
  const origin = publicOrigin ?? running?.origin ?? dialableOrigin(`http://${name}:${port}`);
  const isLasting = publicOrigin !== undefined || (port !== 0 && origin.endsWith(`:${port}`));
  return { url: `${origin}/mcp`, isRunning: running !== null, isLasting, noAuth: running?.noAuth ?? false };
};
