/**
 * The built program with the configuration of `conformance/chp-fixtures.json`, but on free ports, and a client of its second
 * listener.
 */
import { readFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { createChpClient, type ChpClient, type Json } from "../kernel/chp-client-for-tests.ts";
import { serve, type Served } from "./serve-for-tests.ts";

const CONFIG = fileURLToPath(new URL("../../../conformance/chp-fixtures.json", import.meta.url));

export interface ChpHost extends ChpClient {
  readonly served: Served;
  stop(): Promise<void>;
}

export interface ChpHostOptions {
  /** Members that are put over those of the file. */
  readonly config?: Json;
  readonly bundles?: Parameters<typeof serve>[0]["bundles"];
}

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer().once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });

export const startChpHost = async ({ config = {}, bundles }: ChpHostOptions = {}): Promise<ChpHost> => {
  const file = JSON.parse(readFileSync(CONFIG, "utf8")) as Json;
  const port = await freePort();
  const chp = { ...(file["chp"] as Json), listen: { host: "127.0.0.1", port } };
  const served = await serve({ config: { ...file, chp, ...config }, ...(bundles === undefined ? {} : { bundles }) });
  return { served, ...createChpClient(`http://127.0.0.1:${port}`), stop: () => served.stop() };
};
