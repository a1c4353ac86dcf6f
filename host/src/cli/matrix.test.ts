/** Every client meets every server through one host. */
import { beforeAll, describe, expect, it } from "vitest";
import { ROWS, type MatrixClient } from "./matrix-clients-for-tests.ts";
import { tellCalls, WHOLE } from "./matrix-evidence-for-tests.ts";
import { serveMatrix } from "./matrix-host-for-tests.ts";
import { cellsOf, expected, perform } from "./matrix-run-for-tests.ts";
import { SERVERS, type MatrixServer, type Operation } from "./matrix-servers-for-tests.ts";
import type { Served } from "./serve-for-tests.ts";

let host: Served;
const ASKED = new Set<Operation>(["elicitation", "sampling"]);

beforeAll(async () => {
  host = await serveMatrix();
  return () => host.stop();
});

describe.each(ROWS)("$client", (row) => {
  const asked: string[] = [];
  const clients = new Map<string, MatrixClient>();

  /** One connection for all servers that are reached together, and one for each of the others. */
  const clientFor = async ({ server, joined }: MatrixServer): Promise<MatrixClient> => {
    const path = joined ? "" : `/providers/${server}`;
    const known = clients.get(path);
    if (known) return known;
    const note = (question: string): void => void asked.push(question);
    const client = await row.open({ url: `${host.mcpUrl}${path}`, key: host.key, note });
    clients.set(path, client);
    return client;
  };

  beforeAll(() => async () => {
    await Promise.all([...clients.values()].map((client) => client.close()));
  });

  it.each(cellsOf(row))("$server.server: $operation", async (cell) => {
    const client = await clientFor(cell.server);
    expect(await perform(cell, { client, asked })).toEqual(expected(cell));
  });
});

/** Those that are asked of clients once a round. */
const ASKING = /__(trigger-(elicitation|sampling)-request|test_(elicitation|sampling)): /;

describe("the evidence of all this", () => {
  it("holds one intent and one outcome of every call, and its rounds between them", async () => {
    const told = await tellCalls(host);
    expect(told.filter((line) => !WHOLE.test(line))).toEqual([]);
    const asking = told.filter((line) => ASKING.test(line));
    expect(asking).toHaveLength(ROWS.flatMap(cellsOf).filter(({ operation }) => ASKED.has(operation)).length);
    expect(asking.filter((line) => !line.endsWith(": started, round, completed"))).toEqual([]);
  });

  it("says of every cancelled call that nobody knows how it ended", async () => {
    const waits = (await tellCalls(host)).filter((line) => line.includes("__wait: "));
    const cancelling = ROWS.filter(({ cannot }) => !("cancel" in cannot));
    expect(waits).toHaveLength(cancelling.length * 2);
    expect(waits.filter((line) => !line.endsWith(": started, indeterminate"))).toEqual([]);
  });

  it("verifies", async () => {
    expect(await host.run("evidence", "verify")).toMatchObject({ code: 0 });
  });
});

const TOOLS = ["list", "call"];
const PLAIN = [...TOOLS, "read", "prompt", "complete", "progress", "cancel"];
const ASKS = [...PLAIN, "elicitation", "sampling"];
const EVERY = [...ASKS, "page", "page first"];

/** What each server can be asked by a client that can do all. */
const BY_SERVER = {
  everything: EVERY,
  "everything-http": EVERY,
  filesystem: TOOLS,
  memory: TOOLS,
  thinking: TOOLS,
  "modern-stdio": PLAIN,
  "modern-http": PLAIN,
  "fixture-legacy": ASKS,
  "fixture-modern": ASKS,
};

describe("the matrix", () => {
  it.each(ROWS)("leaves out of the row $client only what the client or the server cannot do", ({ cannot }) => {
    const can = (operations: readonly string[]): string[] => operations.filter((each) => !(each in cannot));
    const table = Map.groupBy(cellsOf({ cannot }), ({ server }) => server.server);
    for (const { server } of SERVERS) {
      const run = (table.get(server) ?? []).map(({ operation }) => operation);
      expect(run).toEqual(can(BY_SERVER[server as keyof typeof BY_SERVER]));
    }
  });
});
