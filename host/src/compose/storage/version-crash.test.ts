import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { openStore, temporaryDir } from "./storage-for-tests.ts";
import { contentHash } from "./stored-version.ts";

describe("a host that is killed", () => {
  it("has kept each text that it said it had, and none that is not whole", async () => {
    const dir = temporaryDir();
    const program = fileURLToPath(new URL("./write-until-killed-for-tests.ts", import.meta.url));
    for (const lines of [1, 6, 15]) {
      const child = spawn(process.execPath, [program, dir], { stdio: ["ignore", "pipe", "inherit"] });
      let seen = "";
      for await (const chunk of child.stdout) {
        seen += String(chunk);
        if (seen.split("\n").length > lines) break;
      }
      child.kill("SIGKILL");
      await once(child, "exit");
      const store = openStore(dir);
      const told = seen.split("\n").slice(0, -1);
      expect(told.length).toBeGreaterThanOrEqual(lines);
      const there = new Set<string>();
      for (const id of await store.contentIds()) {
        for (const version of await store.versionsOf(id)) {
          there.add(`${id} ${version.version_id}`);
          expect(contentHash((await store.readText(version)) ?? "")).toBe(version.content_hash);
        }
      }
      expect(told.filter((line) => !there.has(line))).toEqual([]);
    }
  });
});
