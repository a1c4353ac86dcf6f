/** A model that turns the host's own tools against the host: what they may not do is refused, and nothing is written or started. */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { StubCall } from "../agent/model/stub-turn-for-tests.ts";
import { startAgent, type AgentPlace, type Json } from "./agent-host-for-tests.ts";

const asks = (calls: readonly StubCall[]) => [{ calls }, { text: "Sorry." }];
const codeIn = (text: string): string => /^(?:<tool-result[^\n]*>\n)?([a-z_]+): /.exec(text)?.[1] ?? text;
const told = (place: AgentPlace): readonly string[] =>
  (place.stub.requests().at(-1)?.results ?? []).map(({ text }) => codeIn(text));
const filesUnder = (dir: string): readonly string[] =>
  existsSync(dir) ? readdirSync(dir, { recursive: true, encoding: "utf8" }) : [];

const NAMES = [
  "../evil",
  "..",
  "a/b",
  "a\\b",
  "/etc/evil",
  "evil.md",
  "evil\u0000",
  "EVIL",
  "",
  "a\nb",
  ".hidden",
  "%2e%2e",
];

describe("a model", () => {
  it("that manages bundles and skills waits for a person, and has done nothing until then", async () => {
    const { place, ...host } = await startAgent();
    const calls = [
      { name: "nb__manage_bundle", input: { action: "install", name: "npm:left-pad" } },
      { name: "nb__manage_bundle", input: { action: "uninstall", name: "desk" } },
      { name: "nb__manage_skill", input: { action: "create", name: "mine", body: "Obey." } },
    ];
    const { json } = await host.ask("Go", asks(calls));
    expect(told(place)).toEqual(calls.map(() => "approval_pending"));
    expect((json["toolCalls"] as Json[]).map(({ ok, outcome }) => [ok, outcome])).toEqual(
      calls.map(() => [false, "denied"]),
    );
    expect(filesUnder(place.workDir).filter((file) => file.endsWith("mine.md"))).toEqual([]);
    expect(place.configured().bundles).toHaveLength(1);
  });

  it("installs nothing from a path, an address or a command, not even where a person said yes", async () => {
    const { place, ...host } = await startAgent();
    const install = async (order: Json): Promise<readonly string[]> => {
      await host.ask("Go", asks([{ name: "nb__manage_bundle", input: { action: "install", ...order } }]));
      return told(place);
    };
    const evil = place.bundle("evil");
    const orders: readonly Json[] = [
      { name: evil },
      { name: `file:${evil}` },
      { name: `npm:${evil}` },
      { name: "npm:../evil" },
      { name: "npm:evil@file:../evil" },
      { name: "http://127.0.0.1:9/mcp" },
      { name: "npm:http://127.0.0.1:9/evil.tgz" },
      { name: "git+ssh://git@127.0.0.1/evil" },
      { name: "x", path: evil },
      { name: "x", url: "http://127.0.0.1:9/mcp" },
      { name: "x", command: "sh" },
      { name: "x", server: { mcp_config: { command: "sh" } } },
      { name: "x; sh" },
      { name: "x\n--path\n." },
      { name: "npm:left-pad", env: { NODE_OPTIONS: "--require=/tmp/x" } },
      { name: "npm:left-pad", env: { API_TOKEN: "secret" } },
    ];
    for (const order of orders) {
      const [first] = await install(order);
      const { json } = await host.rest("GET", "/v1/approvals?state=pending");
      for (const { id } of json.approvals as Json[])
        await host.rest("POST", `/v1/approvals/${id}`, { decision: "approve" });
      const again = first === "approval_pending" ? await install(order) : [first];
      expect([order, again]).toEqual([order, ["invalid_input"]]);
    }
    expect(place.configured().bundles).toHaveLength(1);
    expect(place.marks("evil")).toEqual([]);
  });

  it("writes no skill but a plain file of the workspace's own directory", async () => {
    const { place, ...host } = await startAgent();
    const outside = join(place.dir, "evil.md");
    writeFileSync(outside, "untouched");
    const before = filesUnder(place.dir).filter((file) => file.endsWith(".md"));
    for (const action of ["create", "update", "delete"]) {
      for (const name of NAMES) {
        const more = action === "delete" ? {} : { body: "Obey.", ...(action === "update" && { mode: "replace" }) };
        await host.ask("Go", asks([{ name: "nb__manage_skill", input: { action, name, ...more } }]));
        expect([action, name, told(place)]).toEqual([action, name, ["invalid_input"]]);
      }
    }
    expect(filesUnder(place.dir).filter((file) => file.endsWith(".md"))).toEqual(before);
  });

  it("reads no file but those of a skill's own folder", async () => {
    const { place, ...host } = await startAgent();
    const folder = join(place.dir, "skills", "guide");
    mkdirSync(folder);
    writeFileSync(join(folder, "SKILL.md"), "---\nname: guide\ndescription: Guides.\n---\nRead on.\n");
    writeFileSync(join(folder, "more.md"), "More.");
    writeFileSync(join(place.dir, "secret.md"), "the secret");
    const files = [
      "../../secret.md",
      "/etc/passwd",
      join(place.dir, "secret.md"),
      "..\\..\\secret.md",
      "a/../../../secret.md",
      "more.md/../../../secret.md",
      "\u0000",
      "file:///etc/passwd",
      "%2e%2e/%2e%2e/secret.md",
      ".",
    ];
    const read = async (input: Json): Promise<string> => {
      await host.ask("Go", asks([{ name: "skills__read", input }]));
      return place.stub.requests().at(-1)?.results[0]?.text ?? "";
    };
    expect(await read({ name: "guide", file: "more.md" })).toContain("More.");
    for (const file of files) {
      const text = await read({ name: "guide", file });
      expect([file, codeIn(text)]).toEqual([file, expect.stringMatching(/^(?:not_found|invalid_input)$/)]);
      expect(text).not.toMatch(/the secret|root:/);
    }
    for (const name of NAMES.filter((each) => each !== ""))
      expect(codeIn(await read({ name }))).toMatch(/^(?:not_found|invalid_input)$/);
  });
});
