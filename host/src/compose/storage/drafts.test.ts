import { existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ComposeError } from "../compose-error.ts";
import { contentConfig } from "../configs/configs-for-tests.ts";
import { Drafts } from "./drafts.ts";
import { temporaryDir, TestClock } from "./storage-for-tests.ts";

const open = (): { drafts: Drafts; dir: string; clock: TestClock } => {
  const [dir, clock] = [join(temporaryDir(), "drafts"), new TestClock()];
  return { drafts: new Drafts({ dir, now: clock.now }), dir, clock };
};
const given = { config_type: "content", config_data: contentConfig(), description: "A try" } as const;

describe("a draft", () => {
  it("is there for thirty days after it was last changed", async () => {
    const { drafts, dir, clock } = open();
    const { draft_id: id } = await drafts.create(given);
    expect(await new Drafts({ dir, now: clock.now }).read(id)).toMatchObject({ draft_id: id, ...given });
    clock.pass(29);
    await drafts.update(id, () => ({ changed: true }), { backup: true });
    clock.pass(29);
    await drafts.sweep(async () => {});
    expect((await drafts.read(id)).config_data).toEqual({ changed: true });
    clock.pass(1);
    await expect(drafts.read(id)).rejects.toThrow(expect.objectContaining({ code: "draft_not_found" }));
    await drafts.sweep(async () => {});
    expect(readdirSync(dir)).toEqual([]);
  });

  it("that is changed leaves a copy of what it was, if that is wanted", async () => {
    const { drafts, dir } = open();
    const { draft_id: id } = await drafts.create(given);
    expect((await drafts.update(id, () => 1, { backup: false })).backup).toBeNull();
    const { backup, draft } = await drafts.update(id, ({ config_data: data }) => [data], { backup: true });
    expect(draft.config_data).toEqual([1]);
    expect(JSON.parse(readFileSync(join(dir, backup ?? ""), "utf8"))).toMatchObject({ config_data: 1 });
  });

  it("stays as it is when what would become of it is refused", async () => {
    const { drafts } = open();
    const { draft_id: id } = await drafts.create(given);
    const refuse = (): never => {
      throw new ComposeError("modification_failed", "No.");
    };
    await expect(drafts.update(id, refuse, { backup: true })).rejects.toThrow("No.");
    await expect(drafts.update(id, () => "x".repeat(10_000_001), { backup: true })).rejects.toThrow(/at most/);
    expect(await drafts.read(id)).toMatchObject(given);
  });

  it("is changed by one at a time", async () => {
    const { drafts } = open();
    const { draft_id: id } = await drafts.create({ config_type: "content", config_data: 0 });
    await Promise.all(
      Array.from({ length: 10 }, () => drafts.update(id, (draft) => Number(draft.config_data) + 1, { backup: false })),
    );
    expect((await drafts.read(id)).config_data).toBe(10);
  });

  it.each(["../x", "", "letter", "draft-20260101T000000-00000g"])("is not %j", async (id) => {
    const { drafts } = open();
    await expect(drafts.read(id)).rejects.toThrow(expect.objectContaining({ code: "invalid_config_id" }));
  });

  it("that was broken or put under another's name is not there", async () => {
    const { drafts, dir } = open();
    const { draft_id: id } = await drafts.create(given);
    const other = "draft-20260101T000000-000000";
    writeFileSync(join(dir, `${other}.json`), readFileSync(join(dir, `${id}.json`)));
    expect(await drafts.find(other)).toBeNull();
    writeFileSync(join(dir, `${id}.json`), "null");
    expect(await drafts.find(id)).toBeNull();
  });

  it("that was half written when the host ended goes with the next sweep", async () => {
    const { drafts, dir } = open();
    await drafts.create(given);
    const [old, young] = [join(dir, ".a.new"), join(dir, ".b.new")];
    for (const path of [old, young]) writeFileSync(path, "half");
    utimesSync(old, 0, 0);
    await drafts.sweep(async () => {});
    expect([existsSync(old), existsSync(young)]).toEqual([false, true]);
    expect(readdirSync(dir)).toHaveLength(2);
  });
});
