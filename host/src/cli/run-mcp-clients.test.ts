/** Real clients that start `bailiwick mcp`, with and without a running host beside it. */
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { Cli } from "./cli-for-tests.ts";
import { createMcpCli, isAlive, STDIO_CLIENTS, type StdioClient } from "./run-mcp-for-tests.ts";

const PATIENT = { timeout: 20_000, interval: 50 };
const TEXT_OF = (result: { content: readonly { text?: string }[] }): string | undefined => result.content[0]?.text;
const params = JSON.stringify({ message: "who?", requestedSchema: { type: "object", properties: {} } });
const QUESTIONS = { questions: [{ id: "q", method: "elicitation/create", params }] };

/** A provider that is seen for the first time joins when it has started. */
const whenListed = (client: StdioClient, tool: string): Promise<void> =>
  vi.waitFor(async () => expect(await client.tools()).toContain(tool), PATIENT);

describe.each([
  ["beside a running host", true],
  ["alone", false],
])("%s", (_, beside) => {
  let cli: Cli;
  beforeAll(async () => {
    cli = createMcpCli();
    if (!beside) return;
    const host = cli.start(["serve", "--port", "0", "--json"]);
    await host.says(/"demo","state":"running"/);
    await host.says(/"asking","state":"running"/);
  });
  afterAll(() => cli.clean());

  describe.each(STDIO_CLIENTS)("%s", (_client, connect) => {
    it("lists, calls, hears progress, cancels and leaves no process", async () => {
      const client = await connect(cli);
      await whenListed(client, "demo__echo");
      expect(TEXT_OF(await client.call("demo__echo", { text: "hi" }))).toBe("hi");
      const onprogress = vi.fn();
      expect(TEXT_OF(await client.call("demo__steps", {}, { onprogress }))).toBe("both done");
      expect(onprogress).toHaveBeenCalledTimes(1);
      const abort = new AbortController();
      const waiting = client.call("demo__wait", {}, { signal: abort.signal });
      setTimeout(() => abort.abort(), 100);
      await expect(waiting).rejects.toThrow();
      expect(TEXT_OF(await client.call("demo__echo", { text: "again" }))).toBe("again");
      const pid = client.pid();
      await client.close();
      await vi.waitFor(() => expect(isAlive(pid)).toBe(false), PATIENT);
    });

    it("is asked by a server and answers it", async () => {
      const client = await connect(cli);
      await whenListed(client, "asking__ask");
      const { replies } = await client.call("asking__ask", QUESTIONS);
      expect(replies).toMatchObject([{ id: "q", result: { action: "accept", content: { name: "Ada" } } }]);
      await client.close();
    });

    it("sees one provider under its own names", async () => {
      const client = await connect(cli, "--provider", "demo");
      await whenListed(client, "echo");
      expect(await client.tools()).not.toContain("ask");
      expect(TEXT_OF(await client.call("echo", { text: "bare" }))).toBe("bare");
      await client.close();
    });
  });
});
