import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseConfig } from "@bailiwick/contract";
import { expect, onTestFinished, test } from "vitest";
import { openRoots } from "./open-roots.ts";

test("a folder that a client was believed with is remembered after the client is gone, for its own workspace", () => {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "bailiwick-believed-")));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  for (const name of ["mine", "work"]) mkdirSync(join(dir, name));
  const { config } = parseConfig("{}", { dialect: "bailiwick" });
  if (config === null) throw new Error("the configuration cannot be read");
  const places = { workDir: join(dir, "work"), configFile: join(dir, "bailiwick.json") };
  const roots = openRoots({ config }, { ...places, base: { baseDir: dir, home: "/home/ann" } });
  const announce = (name: string) => {
    const listed = [{ uri: `file://${join(dir, name)}`, name: null }];
    roots.of({ workspace: "ws_default", clientRoots: { listed, via: "stdio" } });
  };
  announce("mine");
  announce("work");
  roots.of({ workspace: "ws_default", clientRoots: null });
  expect(roots.believed("ws_default")).toContain(join(dir, "mine"));
  expect(roots.believed("ws_default")).not.toContain(join(dir, "work"));
  expect(roots.believed("ws_other")).toEqual([]);
});
