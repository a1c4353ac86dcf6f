/**
 * A whole host with one bundle, `maya`, whose tools require capabilities of it and which writes down whatever it runs, so that
 * a tool whose code never started has left nothing.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Event } from "./governed-host-for-tests.ts";
import { makePlace, type Place, type WholeHost } from "./whole-host-for-tests.ts";

const SERVER = fileURLToPath(new URL("../../test/fixtures/gated-server.mjs", import.meta.url));

export type Json = Record<string, any>;

export const DECLARED = ["usd", "scene.read", "scene.mutate", "filesystem.read"];
export const REQUIRED = ["usd", "scene.mutate", "filesystem.write"];
export const MISSING = "filesystem.write";

/** A tool as a server lists it; `required` as it says it, whatever that is. */
export const tool = (name: string, required?: unknown, more: Json = {}): Json => {
  const { _meta = {}, ...rest } = more;
  const dcc = required === undefined ? {} : { dcc: { required_capabilities: required, own: 1.5 } };
  return {
    name,
    description: `the tool ${name}`,
    inputSchema: { type: "object" },
    ...rest,
    _meta: { ..._meta, ...dcc },
  };
};

export const IMPORT = tool("import_usd", REQUIRED, { _meta: { vendor: { kept: [1] } } });
export const FREE = tool("free");

export interface GatedPlace extends Place {
  /** What the bundle ran, oldest first. */
  effects(): readonly string[];
  events(): readonly Event[];
  changes(): readonly Json[];
  /** What the server lists from now on. */
  list(...tools: readonly Json[]): void;
  /** Whom `relay` asks, and what. */
  relayTo(order: { readonly url: string; readonly headers: Json; readonly body: Json }): void;
  /** Lets `slow` answer. */
  free(): void;
  /** The server is not heard of any more when it is started. */
  silence(): void;
  /** Writes the configuration anew; the bundle stays. */
  settle(settings: Json): void;
}

export interface GatedOptions {
  readonly tools?: readonly Json[];
  /** Of the configuration. */
  readonly settings?: Json;
}

export const makeGatedPlace = ({ tools = [IMPORT, FREE], settings = {} }: GatedOptions = {}): GatedPlace => {
  const place = makePlace();
  const at = (name: string): string => join(place.dir, name);
  const list = (...listed: readonly Json[]): void => writeFileSync(at("tools.json"), JSON.stringify(listed));
  writeFileSync(at("effects"), "");
  list(...tools);
  const variables = {
    GATED_TOOLS: at("tools.json"),
    GATED_EFFECTS: at("effects"),
    GATED_RELEASE: at("release"),
    GATED_RELAY: at("relay.json"),
    GATED_SILENT: at("silent"),
  };
  const mcp_config = { command: "node", args: [SERVER], env: variables };
  const path = place.bundle("maya", { server: { type: "node", entry_point: "server.mjs", mcp_config } });
  const settle = (more: Json): void =>
    place.configure({
      bundles: [{ path }],
      approvals: { waitSeconds: 0 },
      capabilities: { declared: DECLARED },
      ...more,
    });
  settle(settings);
  return {
    ...place,
    list,
    settle,
    effects: () => readFileSync(at("effects"), "utf8").split("\n").filter(Boolean),
    events: () => place.evidence() as readonly Event[],
    changes: () => place.evidence("capabilities_changed").map(({ payload }) => payload),
    relayTo: (order) => writeFileSync(at("relay.json"), JSON.stringify(order)),
    free: () => writeFileSync(at("release"), ""),
    silence: () => writeFileSync(at("silent"), ""),
  };
};

export const startGated = async (place: GatedPlace): Promise<WholeHost> => {
  const host = await place.start();
  await host.until("maya", "running");
  return host;
};

/** As a person does it who administers the host. */
export const declare = async (host: WholeHost, ...declared: readonly string[]): Promise<Json> => {
  const { status, json } = await host.rest("PUT", "/v1/host/capabilities", { declared });
  if (status !== 200) throw new Error(`HTTP ${status}: ${JSON.stringify(json)}`);
  return json as Json;
};
