/** `nb__manage_bundle`: installs, removes and sets up bundles, as far as that may be left to an agent. */
import type { BuiltInCall, BuiltInTool } from "../../kernel/built-in.ts";
import type { Asking, BundleSeen } from "../../kernel/bundle-admin.ts";
import { rawMembers } from "../../kernel/raw-json.ts";
import { oneLine } from "../prompt/one-line.ts";
import { checkBundleName, checkValues, checkVariables, commandWord } from "./bundle-order.ts";
import { bundlesFor } from "./bundle-status.ts";
import { requirePermission } from "./require-permission.ts";
import type { SystemToolPorts } from "./system-tool-ports.ts";
import { answer, invalidInput, unknownName } from "./tool-answers.ts";
import { integer, object, orNull, text } from "./tool-schemas.ts";

interface BundleOrder {
  readonly action: "install" | "uninstall" | "configure";
  readonly name: string;
  readonly version?: string;
  readonly userConfig?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
}

const USER_VALUE = {
  anyOf: [
    { type: "string", maxLength: 10_000 },
    { type: "number" },
    { type: "boolean" },
    { type: "array", items: { type: "string", maxLength: 10_000 }, maxItems: 100 },
  ],
};

export const manageBundleTool = (ports: SystemToolPorts): BuiltInTool => ({
  definition: {
    name: "manage_bundle",
    title: "Manage bundles",
    description:
      "Installs a bundle from a registry into this workspace, removes one, or changes its settings. It usually waits for a person's approval. " +
      "Never put a key, token or password into it: for those the answer names the command that a person runs.",
    inputSchema: object(
      {
        action: text("What to do", { enum: ["install", "uninstall", "configure"] }),
        name: text(
          "For install the name from nb__discover_bundles, or npm:<package>; for uninstall and configure the name from nb__bundle_status",
          { minLength: 1, maxLength: 214 },
        ),
        version: text("For install: exactly this version; absent: the newest", { minLength: 1, maxLength: 128 }),
        userConfig: {
          type: "object",
          description: "For install and configure: settings that its manifest asks for, none of them secret",
          additionalProperties: USER_VALUE,
          maxProperties: 50,
        },
        env: {
          type: "object",
          description: "For install: variables that its manifest names for its process, none of them secret",
          additionalProperties: { type: "string", maxLength: 10_000 },
          maxProperties: 50,
        },
      },
      ["action", "name"],
    ),
    outputSchema: object(
      {
        name: text("Its tools are named <name>__<tool>"),
        bundleName: orNull("string", "What its package calls itself"),
        version: orNull("string", "Of its package"),
        state: text("What it is doing now; uninstalled: it is gone, and its data is kept"),
        toolCount: integer("How many tools it has", { minimum: 0 }),
        trustScore: orNull("number", "0 to 100, or null for none"),
      },
      ["name", "bundleName", "version", "state", "toolCount", "trustScore"],
    ),
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  },
  run: async (args, call) => {
    const order = args as unknown as BundleOrder;
    const { caller } = call.facts();
    requirePermission(caller, "bundles");
    const asking = { by: caller.id, workspace: caller.workspace };
    if (order.action === "install") return answer(await install(order, asking, { ports, call }));
    refuseUnused(order);
    const bundle = find(order.name, bundlesFor(caller, ports));
    if (order.action === "configure") return answer(await configure(bundle, order.userConfig ?? {}, { ports, asking }));
    await ports.bundles.uninstall(bundle.name, asking);
    return answer({ ...describe(bundle), state: "uninstalled", toolCount: 0 });
  },
});

const install = async (
  { name, version, userConfig = {}, env = {} }: BundleOrder,
  asking: Asking,
  { ports, call }: { readonly ports: SystemToolPorts; readonly call: BuiltInCall },
): Promise<object> => {
  checkBundleName(name);
  const command = `bailiwick bundle add ${commandWord(name)}`;
  const wanted = { name, ...(version === undefined ? {} : { version }) };
  const isSetUp = Object.keys(userConfig).length > 0;
  if (Object.keys(env).length > 0) {
    checkVariables(env, await ports.variablesOf(wanted, asking.workspace), command);
  }
  if (isSetUp) {
    const set = `${command} --set <key>=<value>, or once it is installed: bailiwick bundle configure <name> <key>=<value>`;
    checkValues(userConfig, await ports.fieldsOf(wanted, asking.workspace), set);
  }
  const entry = {
    ...wanted,
    ...(isSetUp ? { userConfig } : {}),
    ...(Object.keys(env).length > 0 ? { env } : {}),
  };
  let [step, last] = [0, ""];
  return describe(
    await ports.bundles.install(entry, asking, ({ message }) => {
      // One that counts bytes repeats itself for each of them.
      if (message === last) return;
      last = message;
      call.listener.progress(rawMembers(`"progress":${++step},"message":${JSON.stringify(oneLine(message, 200))}`));
    }),
  );
};

const configure = async (
  { name }: BundleSeen,
  values: Readonly<Record<string, unknown>>,
  { ports, asking }: { readonly ports: SystemToolPorts; readonly asking: Asking },
): Promise<object> => {
  const command = `bailiwick bundle configure ${commandWord(name)} <key>=<value>`;
  if (Object.keys(values).length === 0) {
    throw invalidInput("/userConfig", "must have at least one setting", "Say in userConfig what to set.");
  }
  const { userConfig } = await ports.bundles.inspect(asking.workspace, name);
  checkValues(values, userConfig, command);
  const { status } = await ports.bundles.configure(name, values, asking);
  const now = ports.bundles.list(asking.workspace).find((each) => each.name === name);
  if (now === undefined) throw unknownName("bundle", name, []);
  return { ...describe(now), state: status };
};

const describe = ({ name, bundleName, version, status, toolCount, trustScore }: BundleSeen): object => ({
  name,
  bundleName: bundleName === null ? null : oneLine(bundleName, 214),
  version: version === null ? null : oneLine(version),
  state: status,
  toolCount,
  trustScore,
});

const find = (name: string, bundles: readonly BundleSeen[]): BundleSeen => {
  const exact = bundles.find((each) => each.name === name);
  if (exact !== undefined) return exact;
  const [only, second] = bundles.filter((each) => each.bundleName === name);
  if (only !== undefined && second === undefined) return only;
  const names = bundles.map((each) => each.name);
  throw unknownName("bundle", name, names);
};

/** What would be passed over in silence was meant by whoever wrote it. */
const refuseUnused = (order: BundleOrder): void => {
  const unused =
    order.action === "configure" ? (["version", "env"] as const) : (["version", "env", "userConfig"] as const);
  const given = unused.find((key) => order[key] !== undefined);
  if (given === undefined) return;
  throw invalidInput(`/${given}`, `means nothing to ${order.action}`, `Leave ${given} out.`);
};
