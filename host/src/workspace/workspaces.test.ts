import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parseConfig } from "@bailiwick/contract";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Principal } from "../kernel/principal.ts";
import { createWorkspaces, type Workspaces } from "./workspaces.ts";

const HOST = parseConfig("{}", { dialect: "bailiwick" }).config!;
type Who = Pick<Principal, "id" | "onBehalfOf" | "permissions">;
const who = (id: string, more: Partial<Who> = {}): Who => ({ id, onBehalfOf: null, permissions: [], ...more });
const ANN = who("person:ann");
const OWNER = who("person:owner", { permissions: ["*"] });

let workDir: string;
let workspaces: Workspaces;
beforeEach(() => {
  workDir = mkdtempSync(join(tmpdir(), "bailiwick-workspaces-"));
  workspaces = createWorkspaces({ workDir, host: () => HOST });
});
afterEach(() => rmSync(workDir, { recursive: true, force: true }));

const fileOf = (id: string): string => join(workDir, "workspaces", id, "workspace.json");
const put = (id: string, content: unknown): void => {
  mkdirSync(dirname(fileOf(id)), { recursive: true });
  writeFileSync(fileOf(id), typeof content === "string" ? content : JSON.stringify(content));
};
/** A change is noticed within a second or so. */
const soon = (check: () => void): Promise<void> => vi.waitFor(check, { timeout: 10_000, interval: 100 });

describe("members of a workspace", () => {
  it("are those that its file lists, whoever acts for them, and who may do everything", () => {
    put("ws_sales", { members: ["person:ann", "agent:triage"] });
    const { isMember } = workspaces;
    expect(isMember("ws_sales", ANN)).toBe(true);
    expect(isMember("ws_sales", who("agent:mcp-client", { onBehalfOf: "person:ann" }))).toBe(true);
    expect(isMember("ws_sales", who("agent:triage", { onBehalfOf: "person:bob" }))).toBe(true);
    expect(isMember("ws_sales", OWNER)).toBe(true);
    expect(isMember("ws_sales", who("person:bob"))).toBe(false);
    expect(isMember("ws_sales", who("agent:ann", { permissions: ["bundles:manage"] }))).toBe(false);
  });

  it("of the default one are by their credential alone, so that nobody else's key leads there but the owner's", () => {
    expect(workspaces.find("ws_default")).toMatchObject({ file: null, errors: [] });
    expect(workspaces.isMember("ws_default", ANN)).toBe(false);
    expect(workspaces.isMember("ws_default", OWNER)).toBe(true);
  });

  it("are what the file says now, without a restart", async () => {
    put("ws_sales", { members: [] });
    expect(workspaces.isMember("ws_sales", ANN)).toBe(false);
    put("ws_sales", { members: ["person:ann"] });
    await soon(() => expect(workspaces.isMember("ws_sales", ANN)).toBe(true));
    rmSync(fileOf("ws_sales"));
    await soon(() => expect(workspaces.find("ws_sales")).toBeNull());
    expect(workspaces.isMember("ws_sales", OWNER)).toBe(false);
    put("ws_sales", { members: ["person:ann"] });
    expect(workspaces.isMember("ws_sales", ANN)).toBe(true);
  });

  it("stay while a changed file cannot be used, and what is wrong is told", async () => {
    put("ws_sales", { members: ["person:ann"], name: "Sales" });
    expect(workspaces.isMember("ws_sales", ANN)).toBe(true);
    put("ws_sales", { members: ["person:ann", 7] });
    await soon(() => expect(workspaces.find("ws_sales")?.errors).toHaveLength(1));
    expect(workspaces.find("ws_sales")).toMatchObject({
      config: { name: "Sales" },
      errors: [{ pointer: "/members/1" }],
    });
    expect(workspaces.isMember("ws_sales", ANN)).toBe(true);
  });
});

describe("a workspace that cannot be used", () => {
  it.each([
    ["is not JSON", "{", /./],
    ["has a restriction that cannot be read", { members: ["person:ann"], policy: { rule: [] } }, /policy/],
    ["is not UTF-8", null, /UTF-8/],
  ])("has nobody but who may do everything, while its file %s", (_, content, told) => {
    put("ws_sales", content ?? "{}");
    if (content === null) writeFileSync(fileOf("ws_sales"), Buffer.from([0x7b, 0xff, 0x7d]));
    const found = workspaces.find("ws_sales");
    expect(found?.config).toBeNull();
    expect(found?.errors.map(({ pointer, message }) => `${pointer} ${message}`).join()).toMatch(told);
    expect(workspaces.isMember("ws_sales", ANN)).toBe(false);
    expect(workspaces.isMember("ws_sales", OWNER)).toBe(true);
  });

  it("is told, not read, where a directory or a device has its file's name", () => {
    mkdirSync(fileOf("ws_a"), { recursive: true });
    mkdirSync(dirname(fileOf("ws_b")), { recursive: true });
    symlinkSync("/dev/zero", fileOf("ws_b"));
    for (const id of ["ws_a", "ws_b"]) expect(workspaces.find(id)?.errors[0]?.message).toBe("it is not a file");
  });
});

describe("a name that is no workspace's", () => {
  it.each(["", "ws_", "WS_sales", "ws_Sales", "../ws_sales", "ws_sales/../ws_sales", "ws_a\0", `ws_${"a".repeat(65)}`])(
    "%j is nobody's, whatever lies on the disk",
    (id) => {
      put("ws_sales", { members: ["person:ann"] });
      expect(workspaces.find(id)).toBeNull();
      expect(workspaces.isMember(id, OWNER)).toBe(false);
    },
  );

  it("is one without a file", () => {
    mkdirSync(join(workDir, "workspaces", "ws_empty"), { recursive: true });
    expect(workspaces.find("ws_empty")).toBeNull();
    expect(workspaces.isMember("ws_other", OWNER)).toBe(false);
  });
});

describe("all workspaces", () => {
  it("are those with a file, the default one first", () => {
    expect(workspaces.ids()).toEqual(["ws_default"]);
    put("ws_b", {});
    put("ws_a", "broken");
    put("nonsense", {});
    put("ws_default", {});
    mkdirSync(join(workDir, "workspaces", "ws_empty"), { recursive: true });
    expect(workspaces.ids()).toEqual(["ws_default", "ws_a", "ws_b"]);
  });
});
