import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { CLIENTS, type TestClient, type ToolResult } from "./mcp-clients-for-tests.ts";
import { serveRealParts, type RealParts } from "./real-parts-for-tests.ts";

/** The servers, and the host's own. */
const PROVIDERS = [
  "compose",
  "everything",
  "files",
  "filesystem",
  "memory",
  "modern-http",
  "modern-stdio",
  "nb",
  "skills",
];

let host: RealParts;

beforeAll(async () => {
  host = await serveRealParts();
  return () => host.stop();
});

const textOf = (result: ToolResult): string => result.content.map((block) => block.text ?? block.type).join("\n");
const refusalOf = ({ _meta: meta }: ToolResult): unknown => meta?.["dev.bailiwick/refusal"];
const providersOf = (names: readonly string[]): string[] =>
  [...new Set(names.map((name) => name.split("__", 1)[0] as string))].toSorted();

describe.each(CLIENTS)("a client made with $client", ({ client: label, modern, connect }) => {
  let client: TestClient;

  beforeAll(async () => {
    client = await connect(host.mcpUrl, host.key);
    return () => client.close();
  });

  it("lists the tools, prompts, resources and templates of every server", async () => {
    const { tools } = await client.listTools();
    expect(providersOf(tools.map(({ name }) => name))).toEqual(PROVIDERS);
    expect(tools.find(({ name }) => name === "everything__echo")?.description).toBe("Echoes back the input string");
    const { prompts } = await client.listPrompts();
    expect(providersOf(prompts.map(({ name }) => name))).toEqual(["everything", "modern-http", "modern-stdio"]);
    const uris = (await client.listResources()).resources.map(({ uri }) => uri);
    expect(uris).toContain("demo://resource/static/document/features.md");
    expect(uris).toContain("piped://day/today");
    expect(uris).toContain("remote://day/today");
    const templates = (await client.listResourceTemplates()).resourceTemplates.map(({ uriTemplate }) => uriTemplate);
    expect(templates).toEqual(
      expect.arrayContaining(["demo://resource/dynamic/text/{resourceId}", "remote://day/{day}"]),
    );
  });

  it("calls a tool of every server", async () => {
    expect(textOf(await client.call("everything__get-sum", { a: 2, b: 3 }))).toBe("The sum of 2 and 3 is 5.");
    const file = join(host.files, "note.txt");
    expect(textOf(await client.call("filesystem__read_text_file", { path: file }))).toBe("written before");
    const entity = { name: label, entityType: "client", observations: ["it works"] };
    await client.call("memory__create_entities", { entities: [entity] });
    const found = await client.call("memory__open_nodes", { names: [label] });
    expect(found.structuredContent).toMatchObject({ entities: [entity] });
    for (const provider of ["modern-stdio", "modern-http"]) {
      expect((await client.call(`${provider}__add`, { a: 2, b: 3 })).structuredContent).toEqual({ sum: 5 });
    }
  });

  it("gets a result that is a list, in an object where its era knows no other", async () => {
    await client.listTools();
    for (const provider of ["modern-stdio", "modern-http"]) {
      const { structuredContent } = await client.call(`${provider}__split`, { text: "a b" });
      expect(structuredContent).toEqual(modern ? ["a", "b"] : { result: ["a", "b"] });
    }
  });

  it("sees the error of a tool as the server said it", async () => {
    const result = await client.call("filesystem__read_text_file", { path: "/etc/passwd" });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toMatch(/^Access denied - path outside allowed directories/);
    expect(refusalOf(result)).toBeUndefined();
  });

  it.each([
    "demo://resource/dynamic/text/7",
    "demo://resource/dynamic/blob/7",
    "piped://day/today",
    "remote://day/monday",
  ])("reads %s", async (uri) => {
    const { contents } = await client.readResource({ uri });
    expect(contents).toHaveLength(1);
    expect(contents[0]).toMatchObject({ uri });
  });

  it("is told which resource there is not, by the code of its era", async () => {
    const failed = client.readResource({ uri: "nowhere://at/all" });
    // SDK v2 knows the answers of both eras by their `data.uri`, and gives them one code.
    const code = modern || label.includes("v2") ? -32602 : -32002;
    await expect(failed).rejects.toMatchObject({ code, message: /nowhere:\/\/at\/all/ });
  });

  it("gets a prompt with its arguments", async () => {
    const weather = await client.getPrompt({ name: "everything__args-prompt", arguments: { city: "Rome" } });
    expect(JSON.stringify(weather.messages)).toContain("What's weather in Rome?");
    const greeting = await client.getPrompt({ name: "modern-http__greet", arguments: { name: "Ada" } });
    expect(JSON.stringify(greeting.messages)).toContain("hello Ada");
  });

  it("completes an argument of a prompt and a variable of a template", async () => {
    const department = await client.complete({
      ref: { type: "ref/prompt", name: "everything__completable-prompt" },
      argument: { name: "department", value: "S" },
    });
    expect(department.completion.values).toEqual(["Sales", "Support"]);
    for (const scheme of ["piped", "remote"]) {
      const day = await client.complete({
        ref: { type: "ref/resource", uri: `${scheme}://day/{day}` },
        argument: { name: "day", value: "tu" },
      });
      expect(day.completion.values).toEqual(["tuesday"]);
    }
  });

  it.each([
    { tool: "everything__trigger-long-running-operation", args: { duration: 0.2, steps: 4 } },
    { tool: "modern-stdio__steps", args: { steps: 4 } },
    { tool: "modern-http__steps", args: { steps: 4 } },
  ])("hears every step of $tool", async ({ tool, args }) => {
    const heard: number[] = [];
    await client.call(tool, args, { onprogress: ({ progress, total }) => heard.push(progress, total ?? -1) });
    expect(heard).toEqual([1, 4, 2, 4, 3, 4, 4, 4]);
  });

  it("cancels a long call and goes on", async () => {
    const stop = new AbortController();
    const args = { duration: 60, steps: 600 };
    const call = client.call("everything__trigger-long-running-operation", args, {
      signal: stop.signal,
      onprogress: () => stop.abort(),
    });
    await expect(call).rejects.toThrow(/abort/i);
    expect(textOf(await client.call("everything__echo", { message: "still here" }))).toBe("Echo: still here");
  });

  it.each(["modern-stdio", "modern-http"])("has its cancellation reach %s", async (provider) => {
    const stop = new AbortController();
    const call = client.call(
      `${provider}__wait`,
      { tag: label },
      { signal: stop.signal, onprogress: () => stop.abort() },
    );
    await expect(call).rejects.toThrow(/abort/i);
    const stopped = async (): Promise<string> => textOf(await client.call(`${provider}__aborted`, {}));
    while (!(await stopped()).includes(label)) await sleep(20);
  });

  it("gets suggestions for a name that is not there", async () => {
    const result = await client.call("everything__get-sun", { a: 1, b: 2 });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toContain("Did you mean everything__get-sum");
    expect(refusalOf(result)).toMatchObject({ kind: "unknown_tool", stage: 3 });
    await expect(client.getPrompt({ name: "everything__simple-promt" })).rejects.toThrow(/everything__simple-promt/);
  });

  it("learns which argument is wrong, of a server of either era", async () => {
    for (const tool of ["everything__get-sum", "modern-http__add"]) {
      const result = await client.call(tool, { a: 1, b: "two" });
      expect(textOf(result)).toContain(`Invalid arguments for ${tool}: /b must be number.`);
      expect(refusalOf(result)).toMatchObject({ kind: "invalid_input", details: { path: "/b" } });
    }
  });
});

describe.each(CLIENTS)("a client made with $client on the endpoint of one provider", ({ connect }) => {
  const at = (provider: string): Promise<TestClient> => connect(`${host.mcpUrl}/providers/${provider}`, host.key);

  it("sees that provider alone, under its own names", async () => {
    const client = await at("everything");
    const names = (await client.listTools()).tools.map(({ name }) => name);
    expect(names).toContain("echo");
    expect(names.filter((name) => name.includes("__"))).toEqual([]);
    expect(textOf(await client.call("echo", { message: "hi" }))).toBe("Echo: hi");
    expect((await client.getPrompt({ name: "simple-prompt" })).messages).toHaveLength(1);
    await client.readResource({ uri: "demo://resource/dynamic/text/1" });
    expect(refusalOf(await client.call("ecko", {}))).toMatchObject({
      details: { suggestions: expect.arrayContaining(["echo"]) as unknown },
    });
    await client.close();
  });

  it("is promised only what that provider has", async () => {
    const client = await at("memory");
    expect(Object.keys(client.getServerCapabilities() ?? {})).toEqual(expect.arrayContaining(["tools"]));
    expect(client.getServerCapabilities()).not.toHaveProperty("prompts");
    await client.close();
  });
});

/** Calls of cancelled work stay open for as long as the server may still answer, 5 s. */
describe("the evidence of all this", () => {
  interface Event {
    readonly event_type: string;
    readonly invocation_id?: string | null;
    readonly capability_id: string;
    readonly outcome: string | null;
  }

  const readCalls = async (): Promise<Event[][]> => {
    const { stdout } = await host.run("evidence", "export");
    const events = stdout.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as Event]));
    const calls = Map.groupBy(events, ({ invocation_id: id }) =>
      typeof id === "string" && id.startsWith("inv_") ? id : "",
    );
    calls.delete("");
    return [...calls.values()];
  };

  /** What the tests above did with each client, as the log must tell it. */
  const PER_CLIENT = {
    "everything__get-sum: started, completed": 1,
    "everything__get-sum: denied": 1,
    "everything__get-sun: denied": 1,
    "everything__simple-promt: denied": 1,
    "everything__args-prompt: started, completed": 1,
    "everything__completable-prompt: started, completed": 1,
    "everything__echo: started, completed": 2,
    "everything__trigger-long-running-operation: started, completed": 1,
    "everything__trigger-long-running-operation: started, indeterminate": 1,
    "everything:resources: started, completed": 3,
    "filesystem__read_text_file: started, completed": 1,
    "filesystem__read_text_file: started, failed": 1,
    "memory__create_entities: started, completed": 1,
    "memory__open_nodes: started, completed": 1,
    "modern-http__add: started, completed": 1,
    "modern-http__add: denied": 1,
    "modern-http__split: started, completed": 1,
    "modern-http__steps: started, completed": 1,
    "modern-http__wait: started, indeterminate": 1,
    "modern-http__greet: started, completed": 1,
    "modern-http:resources: started, completed": 2,
    "modern-stdio__add: started, completed": 1,
    "modern-stdio__split: started, completed": 1,
    "modern-stdio__steps: started, completed": 1,
    "modern-stdio__wait: started, indeterminate": 1,
    "modern-stdio:resources: started, completed": 2,
    "everything__ecko: denied": 1,
    "nowhere::2F:2Fat:2Fall: denied": 1,
  };

  const isOpen = (events: readonly Event[]): boolean => events.at(-1)?.outcome === null;

  it("holds one intent and one outcome of every call, and one record of every refusal", async () => {
    let calls = await readCalls();
    for (; calls.some(isOpen); calls = await readCalls()) await sleep(250);
    const told = calls.map((events) => {
      const types = events.map((event) => event.event_type.slice("execution_".length));
      return `${events[0]?.capability_id}: ${types.join(", ")}`;
    });
    const tally = Map.groupBy(told, (line) => line);
    const counts = Object.fromEntries([...tally].map(([line, { length }]) => [line, length / CLIENTS.length]));
    expect(counts).toMatchObject(PER_CLIENT);
    expect(told.filter((line) => !/: (started, (completed|failed|indeterminate)|denied)$/.test(line))).toEqual([]);
  });

  it("verifies", async () => {
    expect(await host.run("evidence", "verify")).toMatchObject({ code: 0, stdout: /chain +pass/ });
  });
});
