/** Files, events and the workspace wall over REST and from the terminal: one whole host with two workspaces. */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { FileInfo } from "../kernel/files.ts";
import { createCli, DEMO, type Cli } from "./cli-for-tests.ts";

let cli: Cli;
let origin: string;
let key: string;

beforeAll(async () => {
  cli = createCli();
  cli.configure({ ...DEMO, noDefaultBundles: true, files: { maxFileSize: 1000 } });
  const team = join(cli.workDir, "workspaces", "ws_team");
  mkdirSync(team, { recursive: true });
  cpSync(join(cli.dir, "demo"), join(team, "mine"), { recursive: true });
  const bundles = [{ path: "mine", serverName: "mine" }];
  writeFileSync(join(team, "workspace.json"), JSON.stringify({ members: [], noDefaultBundles: true, bundles }));
  const host = cli.start(["serve", "--port", "0", "--json"]);
  await host.says(/"name":"demo","state":"running"/);
  ({ origin } = JSON.parse(host.out().split("\n")[0] ?? "") as { origin: string });
  key = readFileSync(join(cli.workDir, "owner.key"), "utf8").trim();
});
afterAll(() => cli.clean());

const ask = (method: string, path: string, body?: FormData, workspace?: string): Promise<Response> =>
  fetch(`${origin}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(workspace === undefined ? {} : { "x-workspace-id": workspace }) },
    ...(body === undefined ? {} : { body }),
  });
const formOf = (...files: readonly [string, string][]): FormData => {
  const form = new FormData();
  for (const [name, text] of files) form.append("file", new Blob([text], { type: "text/plain" }), name);
  return form;
};
const listed = async (workspace?: string): Promise<string[]> => {
  const { files } = (await (await ask("GET", "/v1/files", undefined, workspace)).json()) as { files: FileInfo[] };
  return files.map(({ filename }) => filename).toSorted();
};
const upload = async (form: FormData, workspace?: string): Promise<readonly FileInfo[]> => {
  const said = await ask("POST", "/v1/files", form, workspace);
  expect(said.status).toBe(201);
  return ((await said.json()) as { files: FileInfo[] }).files;
};

describe("files", () => {
  it("that are uploaded are what the tools see, and come back byte for byte", async () => {
    const [first, second] = await upload(formOf(["ä.txt", "grüße"], ["two.txt", ""]));
    expect(await listed()).toEqual(["two.txt", "ä.txt"]);
    const seen = await cli.run(["call", "files__read", JSON.stringify({ id: first?.id })]);
    expect(seen.out).toContain("grüße");
    const back = await ask("GET", `/v1/files/${first?.id}`);
    expect(back.headers.get("content-disposition")).toMatch(/^attachment; /);
    expect(await back.text()).toBe("grüße");
    expect((await ask("DELETE", `/v1/files/${second?.id}`)).status).toBe(200);
    expect((await ask("GET", `/v1/files/${second?.id}`)).status).toBe(404);
    expect(await listed()).toEqual(["ä.txt"]);
  });

  it("of one workspace are not there for another, neither listed nor by their id", async () => {
    const [mine] = await upload(formOf(["team.txt", "ours"]), "ws_team");
    expect(await listed("ws_team")).toEqual(["team.txt"]);
    expect(await listed()).not.toContain("team.txt");
    const look = async (id = ""): Promise<[number, string]> => {
      const said = await ask("GET", `/v1/files/${id}`);
      return [said.status, (await said.text()).replaceAll(id, "ID").replace(/evt_\w+/g, "EVENT")];
    };
    const foreign = await look(mine?.id);
    expect(foreign).toEqual(await look("fl_none"));
    expect(foreign[0]).toBe(404);
  });

  it("that are too large are refused by their name", async () => {
    const said = await ask("POST", "/v1/files", formOf(["large.txt", "x".repeat(1001)]));
    expect(said.status).toBe(409);
    expect(await said.text()).toContain("large.txt");
  });

  it("are in evidence with who put and took them", async () => {
    const { out } = await cli.run(["evidence", "tail", "-n", "1000"]);
    expect(out).toMatch(/ completed +files__create +person:owner via rest/);
    expect(out).toMatch(/ completed +files:resources +person:owner via rest/);
    expect(out).toMatch(/ completed +files__delete +person:owner via rest/);
  });
});

describe("the workspace that is named at the terminal", () => {
  it("has its own bundles, and the other's tools are unknown there", async () => {
    expect((await cli.run(["bundle", "list"])).out).not.toContain("mine");
    const { out } = await cli.run(["bundle", "list", "--workspace", "ws_team"]);
    expect(out).toMatch(/^mine +(starting|running) /m);
    expect(out).not.toMatch(/^demo /m);
    const call = (tool: string) => cli.run(["call", tool, '{"text":"hi"}', "--workspace", "ws_team"]);
    expect(await call("mine__echo")).toMatchObject({ code: 0, out: "hi\n" });
    const { code, err } = await call("demo__echo");
    expect(code).toBe(3);
    expect(err).toContain("There is no tool");
    const stopped = await cli.run(["bundle", "stop", "mine", "--workspace", "ws_team"]);
    expect(stopped).toMatchObject({ code: 0, out: "mine is stopped.\n" });
    expect((await cli.run(["bundle", "stop", "mine"])).code).toBe(3);
  });

  it.each([
    ["ws_nobody", 3, "There is no such workspace"],
    ["../../etc", 2, "is no id of a workspace"],
  ])("%s is refused", async (workspace, code, message) => {
    const ran = await cli.run(["bundle", "list", "--workspace", workspace]);
    expect(ran.code).toBe(code);
    expect(ran.err).toContain(message);
  });
});

describe("events", () => {
  /** What comes until the text is there. */
  const hear = async (workspace: string, until: string, act: () => Promise<unknown>): Promise<string> => {
    const headers = { authorization: `Bearer ${key}`, "x-workspace-id": workspace, "last-event-id": "0" };
    const said = await fetch(`${origin}/v1/events`, { headers, signal: AbortSignal.timeout(20_000) });
    await act();
    let text = "";
    for await (const chunk of said.body!.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      if (text.includes(until)) return text;
    }
    throw new Error(`the stream ended: ${text}`);
  };

  it("tell members what happens to their bundles, and nobody else's", async () => {
    const text = await hear("ws_default", "event: bundle.stopped", () => cli.run(["bundle", "stop", "demo"]));
    expect(text).toMatch(/^id: \d+$/m);
    expect(text).toContain('"name":"demo"');
    expect(text).not.toContain("mine");
  });
});
