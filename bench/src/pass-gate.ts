/**
 * Sends the same few calls through stage 5 over and over and prints what that costs. Argument: how many capabilities each
 * tool requires.
 */
import { importHost } from "./import-host.ts";

type Gate = (call: object) => { readonly required: readonly string[] };

const CALLS = 1_000_000;
const WARM_UP = 50_000;
const TOOLS = 20;

const [requires = "0"] = process.argv.slice(2);
const names = Array.from({ length: Number(requires) }, (_, index) => `feature.${index}`);
const declared = [...names, ...Array.from({ length: 20 }, (_, index) => `other.${index}`)];

const { createEnvironmentBook } = await importHost<{ createEnvironmentBook: (settings: object) => object }>(
  "call/environment/environment-book",
);
const { createEnvironment } = await importHost<{ createEnvironment: (options: object) => Gate }>(
  "call/environment/environment",
);
const require = { "other__*": ["never"], "billing__tool_1*": [] };
const book = createEnvironmentBook({ declared, providers: { billing: ["own"] }, require });
const gate = createEnvironment({ book, listedName: (flat: string) => flat });
const PROVIDER = { name: "billing" };
const calls = Array.from({ length: TOOLS }, (_, index) => {
  const name = `tool_${index}`;
  const meta = names.length === 0 ? {} : { _meta: { dcc: { required_capabilities: names } } };
  const tool = { name, definition: "sha256:0", json: "{}", value: { name, ...meta } };
  return { provider: null, target: { provider: PROVIDER, tool, flatName: `billing__${name}`, name, surface: "s" } };
});

const run = (times: number): number => {
  let found = 0;
  for (let i = 0; i < times; i++) found += gate(calls[i % TOOLS] ?? {}).required.length;
  return found;
};

run(WARM_UP);
const before = process.cpuUsage();
const found = run(CALLS);
const { user, system } = process.cpuUsage(before);
if (found !== CALLS * names.length) throw new Error(`the gate saw ${found} requirements`);
process.stdout.write(JSON.stringify((user + system) / CALLS));
