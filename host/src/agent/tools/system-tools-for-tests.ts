/** What the tests of the system tools share: ports that do as they are told, and a way to call a tool as the host does. */
import { Ajv2020 } from "ajv/dist/2020.js";
import type { BuiltInCall } from "../../kernel/built-in.ts";
import type { BundleAdmin, BundleDetail, BundleSeen } from "../../kernel/bundle-admin.ts";
import type { CallOrigin, ParentRun } from "../../kernel/call-run.ts";
import { HostError } from "../../kernel/host-error.ts";
import type { Principal } from "../../kernel/principal.ts";
import type { CallFacts, ListedTool, Provider } from "../../kernel/provider.ts";
import { rawJson } from "../../kernel/raw-json.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { runningStatus } from "../../kernel/running-status.ts";
import type { Surface, ToolRow } from "../../kernel/surface.ts";
import { createSystemTools } from "./create-system-tools.ts";
import type { SystemFeatures, SystemToolPorts } from "./system-tool-ports.ts";
import { createWorkspaceIndex } from "./workspace-index.ts";

export const ANN: Principal = {
  id: "agent:bailiwick",
  kind: "agent",
  onBehalfOf: "person:ann",
  roles: [],
  permissions: ["*"],
  assurance: "credential",
  scopes: null,
  workspace: "ws_default",
  credentialId: "k1",
};

export interface ToolGiven extends Partial<ToolRow> {
  readonly value?: Readonly<Record<string, unknown>>;
  readonly carried?: ListedTool["carried"];
}

const rowOf = (name: string, given: ToolGiven): ToolRow => {
  const { value: _, carried: __, ...row } = given;
  return {
    name,
    provider: name.slice(0, name.indexOf("__")),
    title: null,
    description: null,
    state: "invokable",
    reason: null,
    next: null,
    definition: `sha256:${name}${row.description ?? ""}`,
    required: [],
    missing: [],
    ...row,
  };
};

/** A surface with these tools, by flat name. */
export const surfaceOf = (tools: Readonly<Record<string, ToolGiven>>): Surface => {
  const rows = Object.entries(tools).map(([name, given]) => rowOf(name, given));
  const tool = (name: string): ListedTool | null => {
    const given = tools[name];
    if (given === undefined) return null;
    const { value = {}, carried } = given;
    return { name, definition: "", json: rawJson("{}"), value, ...(carried === undefined ? {} : { carried }) };
  };
  return { rows: () => rows, tool } as Partial<Surface> as Surface;
};

export const bundleSeen = (name: string, more: Partial<BundleSeen> = {}): BundleSeen => ({
  name,
  bundleName: `@acme/${name}`,
  version: "1.0.0",
  source: "name",
  status: "running",
  health: "ok",
  since: 1,
  uptimeMs: 2,
  restartsInWindow: 0,
  lastExit: null,
  lastError: null,
  toolCount: 3,
  heldTools: 0,
  trustScore: 80,
  protected: false,
  ui: null,
  placements: [],
  sandbox: null,
  warnings: [],
  ...more,
});

/** They write down what they are asked. */
export const standInBundles = (rows: readonly BundleSeen[], asked: string[]): SystemToolPorts["bundles"] => {
  const told = (what: string, more: unknown): void => void asked.push(`${what} ${JSON.stringify(more)}`);
  const settings = [
    { key: "folder", title: "Folder", required: false, sensitive: false, isSet: false },
    { key: "api_key", title: "Key", required: true, sensitive: true, isSet: false },
  ];
  return {
    list: () => rows,
    inspect: async (_, name) =>
      ({ ...bundleSeen(name), userConfig: settings }) as Partial<BundleDetail> as BundleDetail,
    install: async (entry, asking, onProgress) => {
      told("install", [entry, asking]);
      for (let bytes = 0; bytes < 3; bytes++) onProgress({ message: "Downloading", bytes });
      onProgress({ message: "Starting" });
      return bundleSeen("notes");
    },
    uninstall: async (name, asking) => {
      told("uninstall", [name, asking]);
      if (name === "kept") throw new Refusal("protected", { message: "kept is protected.", next: "Edit the file." });
      return { name, uninstalled: true, dataPreserved: true, dataPath: "/secret/data" };
    },
    configure: async (name, values, asking) => {
      told("configure", [name, values, asking]);
      return { name, stored: Object.keys(values), status: "starting" };
    },
    search: async (query, order): ReturnType<BundleAdmin["search"]> => {
      told("search", [query, order]);
      return { bundles: [], unreachable: [] };
    },
  };
};

const NOT_HERE = (): never => {
  throw new HostError("this test has none");
};

export const portsWith = (more: Partial<SystemToolPorts> = {}): SystemToolPorts => ({
  version: "1.2.3",
  surface: () => surfaceOf({}),
  providers: () => [],
  refused: () => null,
  index: createWorkspaceIndex(),
  bundles: standInBundles([], []),
  fieldsOf: async () => null,
  variablesOf: async () => null,
  delegate: NOT_HERE,
  skillFiles: { create: NOT_HERE, update: NOT_HERE, delete: NOT_HERE },
  skillsChanged: () => {},
  features: () => ALL_ON,
  ...more,
});

export const ALL_ON: SystemFeatures = Object.freeze({
  toolDiscovery: true,
  bundleDiscovery: true,
  bundleManagement: true,
  skillManagement: true,
  delegation: true,
});

export interface Calling {
  readonly caller?: Principal;
  readonly run?: Partial<ParentRun>;
  readonly progress?: (members: string) => void;
}

const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true });

/** Calls a tool of `nb` with arguments that are checked before, and a result that is checked after. */
export const callTool =
  (ports: SystemToolPorts, calling: Calling = {}) =>
  async (name: string, args: object): Promise<any> => {
    const provider = createSystemTools(ports);
    const value = valueOf(provider, name);
    if (!ajv.validate(value["inputSchema"] as object, args)) throw new Error(`schema: ${ajv.errorsText()}`);
    const answer = await provider.send({
      method: "tools/call",
      name,
      params: `"name":"${name}","arguments":${JSON.stringify(args)}`,
      facts: factsOf(calling),
      owner: "agent:bailiwick for person:ann",
      signal: new AbortController().signal,
      listener: { progress: calling.progress ?? (() => {}), log: () => {}, level: () => null },
    } as unknown as Parameters<Provider["send"]>[0]);
    if (answer.kind !== "result") throw new Error(answer.kind);
    const { structuredContent, content } = answer.value as any;
    if (!ajv.validate(value["outputSchema"] as object, structuredContent)) {
      throw new Error(`output: ${ajv.errorsText()}`);
    }
    if (content[0].text !== JSON.stringify(structuredContent)) throw new Error("its text says something else");
    return structuredContent;
  };

export const factsOf = ({ caller = ANN, run }: Calling): BuiltInCall["facts"] => {
  const origin = { presented: { kind: "local" }, door: "program", run: run ?? null, approvalWaitMs: 0 };
  const facts = { caller, workspace: caller.workspace, origin: origin as Partial<CallOrigin> };
  return () => facts as Partial<CallFacts> as CallFacts;
};

const valueOf = (provider: Provider, name: string): ListedTool["value"] => {
  const found = provider.catalogue().tools.find((tool) => tool.name === name);
  if (found === undefined) throw new Error(`no tool ${name}`);
  return found.value;
};

export const statusOf = (state: "running" | "dead"): ReturnType<Provider["status"]> => ({
  ...runningStatus("1.0.0", 0),
  state,
});

/** The refusal that the work ends with; fails when it ends in any other way. */
export const refusalOf = async (work: Promise<unknown>): Promise<Refusal> => {
  try {
    await work;
  } catch (no) {
    if (no instanceof Refusal) return no;
    throw no;
  }
  throw new Error("it was not refused");
};
