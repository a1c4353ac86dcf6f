import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { PROVIDERS, serveRealParts, type RealParts } from "./real-parts-for-tests.ts";

let host: RealParts;
/** The inspector keeps files in the home directory. */
const home = mkdtempSync(join(tmpdir(), "bailiwick-inspector-"));

beforeAll(async () => {
  host = await serveRealParts();
  return async () => {
    await host.stop();
    rmSync(home, { recursive: true, force: true });
  };
});

const manifest = createRequire(import.meta.url).resolve("@modelcontextprotocol/inspector/package.json");
const { bin } = createRequire(import.meta.url)(manifest) as { bin: Record<string, string> };
const INSPECTOR = join(dirname(manifest), bin["mcp-inspector"] as string);

interface Inspected {
  readonly code: number | null;
  readonly stderr: string;
  readonly result: unknown;
}

const inspect = async (era: string, path: string, args: readonly string[]): Promise<Inspected> => {
  const common = ["--cli", `${host.mcpUrl}${path}`, "--transport", "http", "--protocol-era", era, "--format", "json"];
  const all = [INSPECTOR, ...common, "--header", `Authorization: Bearer ${host.key}`, "--method", ...args];
  const child = spawn(process.execPath, all, {
    env: { ...process.env, HOME: home },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  const { result } = (stdout === "" ? {} : JSON.parse(stdout)) as { result?: unknown };
  return { code, stderr, result };
};

describe.each(["legacy", "modern"])("the inspector on the command line, %s", (era) => {
  it("lists the tools of every server", async () => {
    const { code, result } = await inspect(era, "", ["tools/list"]);
    const names = (result as { tools: { name: string }[] }).tools.map(({ name }) => name);
    expect(code).toBe(0);
    expect(new Set(names.map((name) => name.split("__", 1)[0]))).toEqual(new Set(PROVIDERS));
  });

  it.each([
    ["everything__get-sum", "The sum of 2 and 3 is 5."],
    ["modern-http__add", "5"],
  ])("calls %s", async (tool, text) => {
    const said = await inspect(era, "", ["tools/call", "--tool-name", tool, "--tool-args-json", '{"a":2,"b":3}']);
    expect(said).toMatchObject({ code: 0, result: { content: [{ type: "text", text }] } });
  });

  it("reads a resource and gets a prompt", async () => {
    const uri = "remote://day/today";
    const read = await inspect(era, "", ["resources/read", "--uri", uri]);
    expect(read).toMatchObject({ code: 0, result: { contents: [{ uri, text: "a note of remote" }] } });
    const prompt = ["prompts/get", "--prompt-name", "everything__args-prompt", "--prompt-args", "city=Rome"];
    const content = { type: "text", text: "What's weather in Rome?" };
    expect(await inspect(era, "", prompt)).toMatchObject({
      code: 0,
      result: { messages: [{ role: "user", content }] },
    });
  });

  it("shows a refusal with its next step", async () => {
    const { result } = await inspect(era, "", [
      "tools/call",
      "--tool-name",
      "modern-http__add",
      "--tool-args-json",
      '{"a":2}',
    ]);
    const text = /^Invalid arguments for modern-http__add: .* 'b'.*\nCorrect /;
    expect(result).toMatchObject({ isError: true, content: [{ text }] });
  });

  it("sees one provider under its own names", async () => {
    const said = await inspect(era, "/providers/everything", [
      "tools/call",
      "--tool-name",
      "echo",
      "--tool-arg",
      "message=hi",
    ]);
    expect(said).toMatchObject({ code: 0, result: { content: [{ type: "text", text: "Echo: hi" }] } });
  });
});
