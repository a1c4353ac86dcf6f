import { describe, expect, it } from "vitest";
import { CLIENTS, type ClientPlaces } from "./connect-clients.ts";

const fileOf = (name: string, places: Partial<ClientPlaces>): string | undefined =>
  CLIENTS.find((client) => client.name === name)?.file?.({ platform: "linux", home: "/home/ann", env: {}, ...places });

const MAC = { platform: "darwin", home: "/Users/ann" } as const;
const WINDOWS = { platform: "win32", home: "C:\\Users\\ann" } as const;

describe("the file of a client", () => {
  it.each([
    ["claude-desktop", {}, "/home/ann/.config/Claude/claude_desktop_config.json"],
    ["claude-desktop", { env: { XDG_CONFIG_HOME: "/x" } }, "/x/Claude/claude_desktop_config.json"],
    ["claude-desktop", MAC, "/Users/ann/Library/Application Support/Claude/claude_desktop_config.json"],
    ["claude-desktop", WINDOWS, "C:\\Users\\ann\\AppData\\Roaming\\Claude\\claude_desktop_config.json"],
    ["vscode", { ...WINDOWS, env: { APPDATA: "D:\\a" } }, "D:\\a\\Code\\User\\mcp.json"],
    ["vscode", {}, "/home/ann/.config/Code/User/mcp.json"],
    ["claude-code", {}, "/home/ann/.claude.json"],
    ["claude-code", { env: { CLAUDE_CONFIG_DIR: "/c" } }, "/c/.claude.json"],
    ["cursor", WINDOWS, "C:\\Users\\ann\\.cursor\\mcp.json"],
    ["windsurf", {}, "/home/ann/.codeium/windsurf/mcp_config.json"],
    ["codex", {}, undefined],
  ])("%s with %j is %s", (name, places, path) => {
    expect(fileOf(name, places)).toBe(path);
  });
});
