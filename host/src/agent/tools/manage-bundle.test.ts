import { beforeEach, describe, expect, it } from "vitest";
import { ANN, bundleSeen, callTool, portsWith, refusalOf, standInBundles } from "./system-tools-for-tests.ts";
import type { SystemToolPorts } from "./system-tool-ports.ts";

const FIELDS = [
  { key: "folder", sensitive: false },
  { key: "api_key", sensitive: true },
];

let asked: string[];
let ports: SystemToolPorts;
beforeEach(() => {
  asked = [];
  const rows = [bundleSeen("notes"), bundleSeen("kept", { protected: true })];
  const variablesOf = async () => ["LOG_LEVEL", "NODE_OPTIONS", "NOTES_PASS", "notes"];
  ports = portsWith({ bundles: standInBundles(rows, asked), fieldsOf: async () => FIELDS, variablesOf });
});

const manage = (args: object, more: Parameters<typeof callTool>[1] = {}): Promise<any> =>
  callTool(ports, more)("manage_bundle", args);

describe("installing a bundle", () => {
  it.each([
    [["LOG_LEVEL"], "ELECTRON_RUN_AS_NODE", "is none of the variables that its manifest names, which are: LOG_LEVEL"],
    [[], "LOG_LEVEL", "is none of the variables that its manifest names, which are: none"],
    [null, "LOG_LEVEL", "cannot be looked up now"],
    [["NODE_OPTIONS"], "NODE_OPTIONS", "decides how programs start"],
    [["NOTES_PASS"], "NOTES_PASS", "looks like a secret"],
  ])("where the manifest names %j does not set %s", async (named, name, why) => {
    ports = { ...ports, variablesOf: async () => named };
    const no = await refusalOf(manage({ action: "install", name: "notes", env: { [name]: "1" } }));
    expect(no.message).toContain(why);
    expect(no.next).toContain(`bailiwick bundle add notes --env ${name}=<value>`);
    expect(asked).toEqual([]);
  });

  it("takes a name, a version, plain settings and variables, and tells how far it is", async () => {
    const told: string[] = [];
    const args = { name: "@acme/notes", version: "1.2.3", userConfig: { folder: "a" }, env: { LOG_LEVEL: "debug" } };
    const done = await manage({ action: "install", ...args }, { progress: (members) => told.push(members) });
    expect(done).toEqual({
      name: "notes",
      bundleName: "@acme/notes",
      version: "1.0.0",
      state: "running",
      toolCount: 3,
      trustScore: 80,
    });
    expect(asked).toEqual([`install ${JSON.stringify([args, { by: ANN.id, workspace: "ws_default" }])}`]);
    expect(told).toEqual(['"progress":1,"message":"Downloading"', '"progress":2,"message":"Starting"']);
  });

  it.each(["notes", "@acme/notes", "io.acme/notes", "npm:notes", "npm:@acme/notes", "npm:@acme/notes@1.2.3"])(
    "takes the name %s",
    async (name) => {
      await manage({ action: "install", name });
      expect(asked.length).toBe(1);
    },
  );

  it.each(
    [
      "/etc/passwd",
      "./notes",
      "../notes",
      "~/notes",
      "C:\\notes",
      "file:notes",
      "https://evil.example/x.mcpb",
      "git+ssh://x",
      "notes.mcpb",
      "a/b/c",
      "a b",
      "--path",
      "npm:acme/repository",
      "npm:x@https://evil.example/x.tgz",
      "npm:x@file:../x",
      "npm:x@npm:y",
      "npm:../x",
      "npm:",
      "@acme/",
      "@acme/..",
      "notes\n",
      "n\u0000",
      "",
    ].filter((name) => name !== ""),
  )("takes nothing from elsewhere: %j", async (name) => {
    const no = await refusalOf(manage({ action: "install", name }));
    expect([no.kind, asked]).toEqual(["invalid_input", []]);
    expect(no.next).toContain("bailiwick bundle add --path");
  });

  it.each([
    [{ api_key: "s3cret" }, "is marked sensitive"],
    [{ folder: "${env:ANTHROPIC_API_KEY}" }, "refers to a variable of the host"],
    [{ folder: ["a", "${HOME}"] }, "refers to a variable of the host"],
    [{ other: "x" }, "is none of its settings, which are: folder, api_key (sensitive)"],
    [{ constructor: "x" }, "is none of its settings"],
  ])("does not take the setting %j, and names the commands for a person", async (userConfig, why) => {
    const no = await refusalOf(manage({ action: "install", name: "@acme/notes", userConfig }));
    expect(no.message).toContain(why);
    expect(no.message).not.toContain("s3cret");
    expect(no.next).toContain("bailiwick bundle add @acme/notes --set <key>=<value>");
    expect(no.next).toContain("bailiwick bundle configure <name>");
    expect(asked).toEqual([]);
  });

  it("takes no setting at all where nobody can say which are secret", async () => {
    ports = { ...ports, fieldsOf: async () => null };
    const no = await refusalOf(manage({ action: "install", name: "notes", userConfig: { folder: "a" } }));
    expect([no.message.includes("may be a secret"), asked]).toEqual([true, []]);
  });

  it.each([
    ["NODE_OPTIONS", "--require /tmp/x"],
    ["LD_PRELOAD", "/tmp/x.so"],
    ["PATH", "/tmp"],
    ["PYTHONSTARTUP", "x"],
    ["HTTPS_PROXY", "http://evil"],
    ["API_KEY", "x"],
    ["GITHUB_TOKEN", "x"],
    ["DB_PASSWORD", "x"],
    ["LOG_LEVEL", "${env:HOME}"],
    ["path", "x"],
    ["A=B", "x"],
    ["", "x"],
  ])("does not set the variable %s", async (name, value) => {
    const no = await refusalOf(manage({ action: "install", name: "notes", env: { [name]: value } }));
    expect([no.kind, asked]).toEqual(["invalid_input", []]);
    expect(no.next).toContain("bailiwick bundle add notes --env ");
  });

  it("needs the permission to manage bundles", async () => {
    const caller = { ...ANN, permissions: ["files:read"] };
    const no = await refusalOf(manage({ action: "install", name: "notes" }, { caller }));
    expect([no.kind, asked]).toEqual(["permission_missing", []]);
  });
});

describe("a bundle that is there", () => {
  it("is removed, and its data is not told about", async () => {
    const done = await manage({ action: "uninstall", name: "notes" });
    expect(done).toMatchObject({ name: "notes", state: "uninstalled", toolCount: 0 });
    expect(JSON.stringify(done)).not.toContain("/secret");
  });

  it("is not removed where it is protected, which evidence has a code for", async () => {
    const no = await refusalOf(manage({ action: "uninstall", name: "kept" }));
    expect([no.kind, no.row.chp, no.next]).toEqual(["protected", "dev.bailiwick.protected", "Edit the file."]);
  });

  it("is set up by either name", async () => {
    const done = await manage({ action: "configure", name: "@acme/notes", userConfig: { folder: "b" } });
    expect(done).toMatchObject({ name: "notes", state: "starting" });
    expect(asked[0]).toContain('configure ["notes",{"folder":"b"}');
  });

  it("gets no secret, and the answer names the command for a person", async () => {
    const no = await refusalOf(manage({ action: "configure", name: "notes", userConfig: { api_key: "s3cret" } }));
    expect(no.next).toContain("bailiwick bundle configure notes <key>=<value>");
    expect([asked, no.message.includes("s3cret")]).toEqual([[], false]);
  });

  it.each([
    [{ action: "configure", name: "notes" }, "/userConfig"],
    [{ action: "configure", name: "notes", env: { A: "1" }, userConfig: { folder: "a" } }, "/env"],
    [{ action: "uninstall", name: "notes", version: "1.0.0" }, "/version"],
    [{ action: "uninstall", name: "notes", userConfig: {} }, "/userConfig"],
  ])("is left alone where the order is no sense: %j", async (args, path) => {
    const no = await refusalOf(manage(args));
    expect([no.kind, no.details["path"], asked]).toEqual(["invalid_input", path, []]);
  });

  it("is named when another is asked for", async () => {
    const no = await refusalOf(manage({ action: "uninstall", name: "nots" }));
    expect([no.kind, no.next]).toEqual(["not_found", "Did you mean notes?"]);
  });
});
