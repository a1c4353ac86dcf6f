/** A whole host whose default workspace has skill packages, and its doors behind one face: what each lists, and what a call gets there. */
import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { until } from "../bundles/bundles-for-tests.ts";
import { write } from "../skills/skills-for-tests.ts";
import { JSON_HEADERS, knock, modern, openSession, type Said } from "../transport/client-for-tests.ts";
import type { TestDoor } from "../transport/door-for-tests.ts";
import { openTalk } from "../transport/talk-for-tests.ts";
import type { Event } from "./governed-host-for-tests.ts";
import { makePlace, type Place, type WholeHost } from "./whole-host-for-tests.ts";

export type Json = Record<string, any>;

const EXAMPLES = fileURLToPath(new URL("../../../examples/skills", import.meta.url));

export const SKILL_MD = (name: string, more = ""): string =>
  `---\nname: ${name}\ndescription: What ${name} is for.\nmetadata:\n  dcc-mcp:\n    tools: tools.yaml\n${more}---\n`;

/** Writes files of a package into its folder; `SKILL.md` is made where none is given. */
export const writePackage = (dir: string, name: string, files: Readonly<Record<string, string>>): void =>
  write(dir, { "SKILL.md": SKILL_MD(name), ...files });

export interface PackagesPlace extends Place {
  /** The folder of a package in the workspace's skill directory. */
  at(name: string, ...path: readonly string[]): string;
  /** Writes files of a package of this workspace. */
  put(name: string, files: Readonly<Record<string, string>>): void;
  /** Copies a package of `examples/skills`. */
  putExample(name: string): void;
  /** What the scripts of a package left in their working directory, line by line; empty: nothing. */
  left(name: string, file: string): readonly string[];
  events(): readonly Event[];
}

export const makePackagesPlace = (settings: object = {}): PackagesPlace => {
  const place = makePlace();
  place.configure(settings);
  const home = join(place.workDir, "workspaces/ws_default");
  const at = (name: string, ...path: readonly string[]): string => join(home, "skills", name, ...path);
  return {
    ...place,
    at,
    put: (name, files) => writePackage(at(name), name, files),
    putExample: (name) => cpSync(join(EXAMPLES, name), at(name), { recursive: true }),
    left(name, file) {
      try {
        return readFileSync(join(home, "data", name, file), "utf8")
          .trim()
          .split("\n");
      } catch {
        return [];
      }
    },
    events: () => place.evidence() as readonly Event[],
  };
};

export const stateOf = async (host: WholeHost, name: string): Promise<Json> =>
  (await host.rest("GET", `/v1/skills/${name}`)).json as Json;

/** Waits until each of these is served. */
export const startPackages = async (place: Place, ...names: readonly string[]): Promise<WholeHost> => {
  const host = await place.start();
  await until(() => names.every((name) => host.stateOf(name) === "running"));
  return host;
};

export interface Heard {
  /** Of the refusal; null: the tool answered. */
  readonly kind: string | null;
  readonly message: string | null;
  readonly data: Json;
  /** The tool's result. */
  readonly result: Json | null;
}

export interface PackagesDoor {
  readonly name: string;
  /** Entries with the flat name in `name` or `capability_id`. */
  list(): Promise<readonly Json[]>;
  call(flat: string, args?: object): Promise<Heard>;
}

const ran = (result: Json): Heard => ({ kind: null, message: null, data: {}, result });
const refused = (data: Json, message: string): Heard => ({
  kind: String(data["kind"] ?? data["error"]),
  message,
  data,
  result: null,
});

const ofRpc = ({ result, error }: Json): Heard => {
  if (error) return refused(error.data, error.message);
  const refusal = result._meta?.["dev.bailiwick/refusal"] as Json | undefined;
  return refusal === undefined ? ran(result) : refused(refusal, refusal["message"]);
};

type Ask = (method: string, params: object) => Promise<Json>;

const mcpDoor = (name: string, ask: Ask): PackagesDoor => ({
  name,
  list: async () => (await ask("tools/list", {}))["result"].tools as Json[],
  call: async (flat, args = {}) => ofRpc(await ask("tools/call", { name: flat, arguments: args })),
});

const lastMessage = ({ json }: Said): Json => (Array.isArray(json) ? json.at(-1) : json) as Json;

const pipeDoor = async (host: WholeHost): Promise<PackagesDoor> => {
  const stdio: TestDoor["listener"]["stdio"] = ({ input, output }) => host.stdio({ input, output });
  const talk = openTalk({ listener: { stdio } } as TestDoor);
  onTestFinished(() => talk.endInput());
  await talk.initialize();
  let id = 0;
  return mcpDoor("a pipe", async (method, params) => {
    talk.request(++id, method, params);
    return (await talk.answer(id)) as Json;
  });
};

export const openPackagesDoors = async (host: WholeHost, key = host.key): Promise<readonly PackagesDoor[]> => {
  const { origin } = host;
  const headers = { ...JSON_HEADERS, authorization: `Bearer ${key}` };
  const legacy = await openSession(origin, "2025-11-25", "/mcp", key);
  const auth = { authorization: `Bearer ${key}` };
  return [
    mcpDoor("MCP legacy", async (method, params) => lastMessage(await legacy.call(method, params))),
    mcpDoor("MCP modern", async (method, params) =>
      lastMessage(await knock(origin, modern(method, { ...params }, headers))),
    ),
    await pipeDoor(host),
    {
      name: "REST",
      list: async () => (await host.rest("GET", "/v1/tools", undefined, auth)).json.tools as Json[],
      call: async (name, args = {}) => {
        const { status, json } = await host.rest("POST", "/v1/tools/call", { name, arguments: args }, auth);
        return status === 200 ? ran(json) : refused({ ...json, ...json.data }, json.message);
      },
    },
    {
      name: "CHP",
      list: async () => (await host.rest("GET", "/chp/capabilities", undefined, auth)).json.capabilities as Json[],
      call: async (capability_id, payload = {}) => {
        const { json } = await host.rest("POST", "/chp/invoke", { capability_id, payload }, auth);
        const no = (json.denial ?? json.error) as Json | null;
        return no === null ? ran(json) : refused({ ...no["details"], retryable: no["retryable"] }, no["message"]);
      },
    },
  ];
};

/** A check that fails names the door at which it did. */
export const atEach = async (
  doors: readonly PackagesDoor[],
  check: (door: PackagesDoor) => Promise<unknown>,
): Promise<void> => {
  for (const door of doors) {
    try {
      await check(door);
    } catch (cause) {
      throw new Error(`at the door ${door.name}: ${cause instanceof Error ? cause.message : ""}`, { cause });
    }
  }
};
