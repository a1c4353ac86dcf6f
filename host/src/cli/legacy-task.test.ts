/** A tool that runs only as a task, of a server that others wrote, for clients that know nothing of tasks. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { CallToolResultSchema, ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openEvidence } from "../assembly/open-evidence.ts";
import { serverOf } from "./real-parts-for-tests.ts";
import { serve, type Served } from "./serve-for-tests.ts";

const TOOL = "everything__simulate-research-query";
const PATIENCE_MS = 60_000;

interface Told {
  readonly event_type: string;
  readonly payload: { readonly method?: string };
}

let host: Served;
let client: Client;
const asked: string[] = [];
beforeAll(async () => {
  host = await serve({ bundles: { everything: { args: [serverOf("everything"), "stdio"] } } });
  client = new Client({ name: "tests", version: "1.0.0" }, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    asked.push(params.message);
    return { action: "accept", content: { interpretation: "technical" } };
  });
  const requestInit = { headers: { Authorization: `Bearer ${host.key}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(host.mcpUrl), { requestInit }));
}, PATIENCE_MS);
afterAll(async () => {
  await client.close();
  await host.stop();
});

/** Not `callTool`, which refuses what it believes that it cannot do. */
const call = async (args: object): Promise<string> => {
  const params = { name: TOOL, arguments: { ...args } };
  const result = await client.request({ method: "tools/call", params }, CallToolResultSchema, { timeout: PATIENCE_MS });
  expect(result.isError).not.toBe(true);
  return JSON.stringify(result.content);
};

it(
  "is an ordinary call that takes long, and a question in the course of it reaches the caller",
  async () => {
    const [plain, unclear] = await Promise.all([call({ topic: "plain" }), call({ topic: "unclear", ambiguous: true })]);
    expect(plain).toContain("plain");
    expect(unclear).toContain("unclear");
    expect(asked).toEqual([expect.stringMatching(/^everything: The research query "unclear"/)]);
    const evidence = openEvidence(host.workDir);
    const events = [...evidence.range(1, evidence.last())].map((line) => JSON.parse(line) as Told);
    evidence.close();
    const types = events.map(({ event_type: type }) => type);
    expect(types.filter((type) => type === "execution_completed")).toHaveLength(2);
    const rounds = events.filter(({ event_type: type }) => type === "dev.bailiwick.round");
    // The server may also ask for roots, whenever it likes.
    const questions = rounds.map(({ payload }) => payload.method).filter((method) => method !== "roots/list");
    expect(questions).toEqual(["elicitation/create"]);
  },
  PATIENCE_MS,
);
