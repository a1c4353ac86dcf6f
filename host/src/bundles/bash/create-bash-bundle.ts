/**
 * The built-in bash bundle: a process like any other, which starts at the first use. Its tool is listed without it.
 */
import type { NameEntry, Sandbox } from "@bailiwick/contract";
import { definitionOf } from "../../kernel/definition-of.ts";
import { EMPTY_CATALOGUE, type Catalogue } from "../../kernel/provider.ts";
import { rawJson } from "../../kernel/raw-json.ts";
import { Refusal } from "../../kernel/refusal.ts";
import type { Bundle } from "../bundle.ts";
import { checkEntry } from "../check-entry.ts";
import { createBundle, partsOf, type CreateBundleOptions } from "../create-bundle.ts";
import { isolateBundle } from "../isolate-bundle.ts";
import { principalDataDir } from "../principal-data-dir.ts";
import { EXEC_TOOL, MAX_TIMEOUT_MS } from "./exec-tool.ts";
import { BASH_NAME, locateBash } from "./locate-bash.ts";

export interface BashBundleOptions extends Omit<CreateBundleOptions, "locate"> {
  readonly entry: NameEntry;
}

/** Rules about its calls go by this name. */
const PROVIDER = "bash";

const SHIPPED: Catalogue = {
  ...EMPTY_CATALOGUE,
  tools: [
    {
      name: EXEC_TOOL.name,
      definition: definitionOf(EXEC_TOOL),
      json: rawJson(JSON.stringify(EXEC_TOOL)),
      value: EXEC_TOOL,
    },
  ],
};

/** The entry of a workspace whose file has none. */
export const bashEntry = (sandbox: Sandbox): NameEntry => ({
  kind: "name",
  name: BASH_NAME,
  version: null,
  args: [],
  serverName: null,
  env: {},
  userConfig: {},
  allowedEnv: [],
  sandbox,
  protected: false,
  trustScore: null,
  ui: null,
  hostExtensions: [],
  pinning: "off",
  isolation: "shared",
  concurrency: 32,
  timeoutMs: MAX_TIMEOUT_MS,
  maxTimeoutMs: 1_800_000,
  enabled: true,
});

export const createBashBundle = (options: BashBundleOptions): Bundle => {
  const { name, bundles } = options;
  // Its definition comes with the host, so there is nothing to hold; and it must outlast the longest command.
  const entry: NameEntry = {
    ...options.entry,
    pinning: "off",
    timeoutMs: Math.max(options.entry.timeoutMs, MAX_TIMEOUT_MS),
  };
  const order: CreateBundleOptions = {
    ...options,
    entry,
    locate: () => Promise.resolve(locateBash(bundles.hostVersion)),
  };
  const parts = partsOf(order);
  const shared = entry.isolation === "shared";
  return isolateBundle(order, parts, {
    accounts: null,
    shipped: SHIPPED,
    shared,
    check: (signal) => {
      if (name !== PROVIDER) throw misnamed(name);
      return checkEntry(order, parts.redaction, signal);
    },
    make: (owner, told) => {
      const own = { ...parts, ...told, ...(shared ? {} : { dataDir: principalDataDir(order, owner) }) };
      return createBundle(order, own);
    },
  });
};

const misnamed = (name: string): Refusal =>
  new Refusal("install_refused", {
    message: `${BASH_NAME} is always called "${PROVIDER}", because rules go by that name; its entry calls it "${name}".`,
    next: 'Take "serverName" out of its entry.',
    details: { bundle: BASH_NAME, reason: "name-fixed" },
  });
