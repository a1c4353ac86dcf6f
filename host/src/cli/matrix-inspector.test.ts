/** The inspector, in both eras, meets every server through one host. */
import { beforeAll, describe, expect, it } from "vitest";
import type { MatrixClient } from "./matrix-clients-for-tests.ts";
import { serveMatrix } from "./matrix-host-for-tests.ts";
import { INSPECTORS } from "./matrix-inspector-for-tests.ts";
import { cellsOf, expected, perform } from "./matrix-run-for-tests.ts";
import type { MatrixServer } from "./matrix-servers-for-tests.ts";
import type { Served } from "./serve-for-tests.ts";

let host: Served;

beforeAll(async () => {
  host = await serveMatrix();
  return () => host.stop();
});

describe.each(INSPECTORS)("$client", (row) => {
  const clients = new Map<string, Promise<MatrixClient>>();

  const clientFor = ({ server, joined }: Pick<MatrixServer, "server" | "joined">): Promise<MatrixClient> => {
    const url = joined ? host.mcpUrl : `${host.mcpUrl}/providers/${server}`;
    const known = clients.get(url) ?? row.open({ url, key: host.key, note: () => {} });
    clients.set(url, known);
    return known;
  };

  beforeAll(() => async () => {
    for (const client of clients.values()) await (await client).close();
  });

  it.concurrent.each(cellsOf(row))("$server.server: $operation", async (cell) => {
    const client = await clientFor(cell.server);
    expect(await perform(cell, { client, asked: [] })).toEqual(expected(cell));
  });

  it("shows a refusal with its next step", async () => {
    const client = await clientFor({ server: "modern-http", joined: true });
    const text = String.raw`"text":"Invalid arguments for modern-http__add: [^"]*'b'\.\\nCorrect [^"]*"`;
    const shown = new RegExp(String.raw`ended with 5\. .*${text}.*"isError":true`);
    await expect(client.call("modern-http__add", { a: 2 })).rejects.toThrow(shown);
  });
});

describe("the matrix", () => {
  it("leaves out of these rows only what the command line cannot do", () => {
    const run = INSPECTORS.flatMap(cellsOf).map(({ operation }) => operation);
    expect([...new Set(run)]).toEqual(["list", "call", "read", "prompt"]);
    expect(run).toHaveLength(60);
  });
});
