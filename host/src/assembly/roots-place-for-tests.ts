/** A whole host with two folders as its roots, one bundle, `ops`, that tells what it was sent, and clients that announce roots. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ListRootsRequestSchema, type Root } from "@modelcontextprotocol/sdk/types.js";
import { mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { startGoverned, type Event, type Governed, type GovernedPlace } from "./governed-host-for-tests.ts";
import { makePlace } from "./whole-host-for-tests.ts";

const SERVER = fileURLToPath(new URL("../../test/fixtures/rooted-server.mjs", import.meta.url));

/** `roots`: of the configuration; by default both folders. */
export interface RootedOptions {
  readonly roots?: object;
  readonly settings?: object;
}

export interface RootedPlace extends GovernedPlace {
  /** Real, absolute; `hero` is the first root. */
  readonly hero: string;
  readonly renders: string;
  /** Writes the configuration anew. */
  write(options?: RootedOptions): void;
  /** The lines that the bundle got, as they came. */
  lines(): readonly string[];
}

export const makeRootedPlace = (options: RootedOptions = {}): RootedPlace => {
  const place = makePlace();
  const dir = realpathSync(place.dir);
  const [hero, renders] = [join(dir, "projects/hero"), join(dir, "projects/My Renders")];
  for (const path of [join(hero, "assets"), renders]) mkdirSync(path, { recursive: true });
  const log = join(place.dir, "rooted.log");
  writeFileSync(log, "");
  const mcp_config = { command: "node", args: [SERVER], env: { ROOTED_LOG: log } };
  const path = place.bundle("ops", { server: { type: "node", entry_point: "server.mjs", mcp_config } });
  const lines = (): readonly string[] => readFileSync(log, "utf8").split("\n").filter(Boolean);
  const write: RootedPlace["write"] = ({ roots = bothRoots(), settings = {} } = {}) =>
    place.configure({
      bundles: [{ path }],
      approvals: { waitSeconds: 0 },
      capabilities: { declared: ["filesystem.read"], roots },
      ...settings,
    });
  write(options);
  return { ...place, hero, renders, write, lines, effects: lines, events: () => place.evidence() as readonly Event[] };
};

const bothRoots = (): object => ({
  list: [
    { name: "hero", path: "projects/hero" },
    { name: "renders", path: "projects/My Renders" },
  ],
});

export interface RootedHost extends Omit<Governed, "place"> {
  readonly place: RootedPlace;
}

export const startRooted = async (options: RootedOptions = {}): Promise<RootedHost> => {
  const place = makeRootedPlace(options);
  return { ...(await startGoverned(place)), place };
};

export interface RootsTold {
  readonly supports_roots: boolean;
  readonly count: number;
  readonly roots: readonly { readonly name: string | null; readonly uri: string; readonly usable: boolean }[];
}

export interface RootedSdk {
  readonly client: Client;
  /** What it lists when it is asked; null: it never answers. */
  listed: readonly Root[] | null;
  asked: number;
  call(name: string, args?: object): Promise<any>;
  /** What `files__roots` says. */
  roots(): Promise<RootsTold>;
}

/** The protocol's own client of the first kind, with these roots; not connected yet. */
export const rootedSdk = (...listed: readonly Root[]): RootedSdk => {
  const client = new Client({ name: "tests", version: "1.0.0" }, { capabilities: { roots: { listChanged: true } } });
  const sdk: RootedSdk = {
    client,
    listed,
    asked: 0,
    call: async (name, args = {}) => client.callTool({ name, arguments: { ...args } }),
    roots: async () => (await sdk.call("files__roots")).structuredContent as RootsTold,
  };
  client.setRequestHandler(ListRootsRequestSchema, async () => {
    sdk.asked++;
    return sdk.listed === null ? new Promise<never>(() => {}) : { roots: [...sdk.listed] };
  });
  onTestFinished(() => client.close());
  return sdk;
};

export const connectHttp = async (
  { host }: Pick<RootedHost, "host">,
  ...listed: readonly Root[]
): Promise<RootedSdk> => {
  const sdk = rootedSdk(...listed);
  const requestInit = { headers: { Authorization: `Bearer ${host.key}` } };
  await sdk.client.connect(new StreamableHTTPClientTransport(new URL(`${host.origin}/mcp`), { requestInit }));
  return sdk;
};

/** A folder as a client announces it. */
export const rootOf = (path: string, name?: string): Root => ({
  uri: `file://${path.split("/").map(encodeURIComponent).join("/")}`,
  ...(name === undefined ? {} : { name }),
});
