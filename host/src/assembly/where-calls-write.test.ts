import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { whereCallsWrite } from "./where-calls-write.ts";

it("is a root, what providers keep, and whatever lies in them, by whichever way it is named", () => {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "bailiwick-write-")));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const at = (...names: string[]): string => join(dir, ...names);
  for (const name of ["root/skills/a", "elsewhere/b", "home/data"]) mkdirSync(at(name), { recursive: true });
  symlinkSync(at("root"), at("alias"));
  symlinkSync(at("elsewhere/b"), at("root/skills/b"));
  const row = (path: string | null) => ({ name: null, uri: "", path, reason: null });
  const roots = () => ({ rows: [row(null), row(at("alias")), row(at("not-there"))] });
  const isWritable = whereCallsWrite({ roots, dataDir: at("home/data"), others: () => [at("announced")] });
  const inside = [
    "root",
    "root/skills/a",
    "alias/skills/a",
    "root/skills/b",
    "root/new/one",
    "home/data/x",
    "not-there/x",
    "announced/skills/x",
  ];
  expect(inside.filter((name) => !isWritable(at(name)))).toEqual([]);
  expect(["elsewhere/b", "rootless", "home", "home/database/x", "."].filter((name) => isWritable(at(name)))).toEqual(
    [],
  );
});
