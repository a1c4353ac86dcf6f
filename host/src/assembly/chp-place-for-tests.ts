/** A whole host in this process with the conformance profile, on free ports, and clients of both addresses of CHP. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createChpClient, type ChpClient, type Json } from "../kernel/chp-client-for-tests.ts";
import type { Host } from "./host.ts";
import { createHost } from "./open-host.ts";

const CONFIG = new URL("../../../conformance/chp-fixtures.json", import.meta.url);

export interface ChpPlace {
  readonly dir: string;
  readonly host: Host;
  /** Of the main listener. */
  readonly origin: string;
  /** The owner's key. */
  readonly owner: string;
  /** The address of CHP's own, where the door is the root. */
  readonly own: ChpClient & { readonly origin: string };
  readonly mounted: ChpClient;
  close(): Promise<void>;
}

export interface ChpPlaceOptions {
  /** Members over those of the file's `chp`. */
  readonly chp?: Json;
  /** Members over those of the file. */
  readonly config?: Json;
  /** Of a host that was stopped. */
  readonly dir?: string;
}

export const openChpPlace = async (options: ChpPlaceOptions = {}): Promise<ChpPlace> => {
  const { chp = {}, config = {}, dir = mkdtempSync(join(tmpdir(), "bailiwick-chp-")) } = options;
  const file = JSON.parse(readFileSync(CONFIG, "utf8")) as Json;
  const host = await createHost({
    ...file,
    workDir: dir,
    http: { port: 0 },
    chp: { ...file["chp"], listen: { host: "127.0.0.1", port: 0 }, ...chp },
    ...config,
  });
  await host.start();
  const { origin, chpUrls } = await host.listen();
  const [mount = "", own = ""] = chpUrls;
  return {
    dir,
    host,
    origin,
    owner: readFileSync(join(dir, "owner.key"), "utf8").trim(),
    own: { origin: own, ...createChpClient(own) },
    mounted: createChpClient(mount),
    close: async () => {
      await host.stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
};
