// The client that the suite's client leg tests: the host's upstream connector, as built, with the stage of the call path
// that sends. It lists all there is, uses each thing once (or makes the calls that the scenario dictates), answers what
// it is asked with the defaults, and ends. The last argument is the address of the scenario's server.
import process from "node:process";
import { connectHttp } from "../../dist/bundles/legs/connect-http.js";
import { createUpstream } from "../../dist/call/upstream/upstream.js";
import { ACCEPTING } from "./accepting-asker.mjs";
import { createAccount } from "./account.mjs";
import { sampleOf } from "./sample.mjs";

const {
  MCP_CONFORMANCE_SCENARIO: scenario = "",
  MCP_CONFORMANCE_CONTEXT: context = "{}",
  MCP_CONFORMANCE_PROTOCOL_VERSION: revision = "2025-11-25",
} = process.env;
const url = process.argv.at(-1);
const given = JSON.parse(context);
const rules = { allowInsecureRemotes: true, allowPrivateRemotes: [] };
const { signal } = new AbortController();

const credential = scenario.startsWith("auth/") ? createAccount({ url, rules, scenario, given }) : undefined;

const connect = () =>
  connectHttp({
    url,
    headers: {},
    credential,
    rules,
    limits: { concurrency: 32, queue: 256, timeoutMs: 20_000, maxTimeoutMs: 20_000, maxMessageBytes: 1_000_000 },
    events: { listChanged: () => {}, resourceUpdated: () => {} },
    signal,
    hostVersion: "0.0.0",
    // The suite's servers speak the revision under test only, as a server does whose era was found out before.
    eras: { known: revision === "2026-07-28" ? "modern" : "legacy", learned: () => {} },
  });

/** All scenarios run at once; a socket that idles while the machine is busy may be closed. A supervisor would go on too. */
const open = async (triesLeft = 3) => {
  try {
    return await connect();
  } catch (error) {
    if (triesLeft === 1 || error.message !== "ECONNRESET") throw error;
    return open(triesLeft - 1);
  }
};

/** What a call is when it comes to the stage that sends; the gates before it have nothing to decide here. */
const callOf = (provider, { operation, name, args, tool }) => ({
  operation,
  provider: "scenario",
  argsJson: args === undefined ? null : JSON.stringify(args),
  extraParams: "",
  meta: "",
  signal,
  listener: { progress: () => {}, log: () => {}, level: () => null },
  asker: ACCEPTING,
  input: null,
  principal: { id: "person:local", onBehalfOf: null, workspace: "ws_default" },
  required: [],
  roots: null,
  resolvedArgs: null,
  invocation: { id: "inv_scenario", correlation: { id: "corr_scenario" } },
  approval: null,
  target: { provider, name, flatName: name, tool: tool ?? null, capability: { timeoutMs: null } },
});

const send = createUpstream({
  recordRound: async () => {},
  recheck: () => {},
  rootsOf: () => ({ listing: '{"roots":[]}', rows: [] }),
  recordAttempt: async () => {},
  recordLate: () => {},
  checkOutput: () => null,
  digestOf: () => "",
  spill: async (_call, ending) => ending,
});

/** One tool of a scenario wants to be sent the schema of the other. */
const argsFor = (tool, tools) => {
  const schema = tools.find(({ name }) => name === "json_schema_2020_12_tool")?.value.inputSchema;
  return tool.name === "json_schema_echo" ? { schema } : sampleOf(tool.value.inputSchema);
};

const workFor = ({ tools, resources, prompts }) => {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const calls = given.toolCalls ?? tools.map((tool) => ({ name: tool.name, arguments: argsFor(tool, tools) }));
  return [
    ...calls.map(({ name, arguments: args }) => ({ operation: "call", name, args, tool: byName.get(name) })),
    ...resources.map(({ uri }) => ({ operation: "read", name: uri })),
    ...prompts.map(({ name }) => ({ operation: "prompt", name, args: {} })),
  ];
};

const connection = await open();
const catalogue = await connection.list(signal);
const provider = { name: "scenario", catalogue: () => catalogue, send: (request) => connection.send(request) };

/** False: the host refused, or gave out nothing of what the server said. */
const use = async (work) => {
  const { ending } = await send(callOf(provider, work));
  console.log(work.operation, work.name, JSON.stringify(ending));
  if (ending.kind === "refusal") process.exitCode = 1;
  return ending.kind !== "refusal";
};

/** The manifest first: what does not stand up to its entry is where loading ends. */
const loadSkill = async ({ value: { resources } }) => {
  for (const { uri } of resources) if (!(await use({ operation: "read", name: uri }))) return;
};

try {
  for (const work of workFor(catalogue)) await use(work);
  if (scenario.startsWith("sep-2640-client-verify")) for (const skill of catalogue.skills ?? []) await loadSkill(skill);
} finally {
  await connection.close("the scenario is over");
}
