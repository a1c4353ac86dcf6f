import { randomBytes } from "node:crypto";
import { appendFileSync, mkdirSync, readFileSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { TaskRecord } from "../kernel/tasks.ts";
import { draft, ended, openLog, temporaryDir } from "./evidence-for-tests.ts";
import { openSeals } from "./open-seals.ts";
import { openTaskStore } from "./task-store.ts";

const record = (id: string, over: Partial<TaskRecord> = {}): TaskRecord => ({
  id,
  upstreamId: `up-${id}`,
  provider: "p",
  tool: "t",
  definition: "sha256:0",
  flatName: "p__t",
  principal: {
    id: "agent:a",
    kind: "agent",
    onBehalfOf: null,
    roles: [],
    permissions: [],
    assurance: "credential",
    scopes: null,
    workspace: "ws",
    credentialId: "k",
  },
  declared: "{}",
  args: '{"secret":"hunter2"}',
  invocation: {
    id: `inv_${id}`,
    correlation: { id: "corr_1", causationId: null, parentId: null, traceId: null, fresh: false },
    salt: "00",
    capabilityId: "p__t",
    capabilityVersion: "1.0.0",
    capabilityUri: "p__t:1.0.0",
    subject: "null",
  },
  createdAt: 1,
  ttlMs: null,
  pollMs: 1000,
  endedAt: null,
  ...over,
});

const openIn = (dir: string) => openTaskStore(dir, openSeals(dir));
const idsIn = (dir: string): string[] => [...openIn(dir).records()].map(({ id }) => id);

describe("the tasks of a work directory", () => {
  it("are there after a restart, as they were last", async () => {
    const dir = temporaryDir();
    const store = openIn(dir);
    await Promise.all(["a", "b", "c"].map((id) => store.save(record(id))));
    await store.save(record("b", { endedAt: 5 }));
    await store.remove(["c"]);
    expect([...openIn(dir).records()]).toEqual([record("a"), record("b", { endedAt: 5 })]);
  });

  it("are for the host alone: nobody else reads the file or finds an argument in it", async () => {
    const dir = temporaryDir();
    await openIn(dir).save(record("a"));
    const path = join(dir, "tasks.log");
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readFileSync(path, "utf8")).not.toContain("hunter2");
  });

  it("survive half a line at the end, and so does what is written after it", async () => {
    const dir = temporaryDir();
    const path = join(dir, "tasks.log");
    await openIn(dir).save(record("a"));
    await openIn(dir).save(record("b"));
    truncateSync(path, statSync(path).size - 20);
    expect(idsIn(dir)).toEqual(["a"]);
    await openIn(dir).save(record("c"));
    expect(idsIn(dir)).toEqual(["a", "c"]);
  });

  it("do not fall to lines that this host never wrote", async () => {
    const dir = temporaryDir();
    await openIn(dir).save(record("a"));
    appendFileSync(join(dir, "tasks.log"), `bw1.${randomBytes(200).toString("base64url")}\n{"id":"x"}\n\0\n`);
    await openIn(dir).save(record("b"));
    expect(idsIn(dir)).toEqual(["a", "b"]);
  });

  it("take no more room than those that are left, however many there were", async () => {
    const dir = temporaryDir();
    const store = openIn(dir);
    await store.save(record("kept"));
    for (let i = 0; i < 60; i++) {
      const ids = Array.from({ length: 50 }, (_, n) => `${i}-${n}`);
      await Promise.all(ids.map((id) => store.save(record(id))));
      await store.remove(ids);
    }
    expect(statSync(join(dir, "tasks.log")).size).toBeLessThan(1_000_000);
    expect(idsIn(dir)).toEqual(["kept"]);
  });

  it("are not kept when they cannot be written, and the next one is", async () => {
    const dir = temporaryDir();
    const later = join(dir, "later");
    const store = openTaskStore(later, openSeals(dir));
    await expect(store.save(record("a"))).rejects.toThrow("ENOENT");
    expect([...store.records()]).toEqual([]);
    mkdirSync(later);
    await store.save(record("b"));
    expect([...openTaskStore(later, openSeals(dir)).records()]).toEqual([record("b")]);
  });
});

describe("the call of a task", () => {
  it("stays open over a restart, while others end as indeterminate, and is known to be ended once it is", async () => {
    const dir = temporaryDir();
    const [kept, lost, over] = [draft(), draft(), draft()];
    const first = await openLog(dir);
    for (const each of [kept, lost, over]) await first.append(each);
    await first.append(ended(over));
    await first.close();
    const keepOpen = [kept, over].map(({ invocationId }) => invocationId);
    const second = await openLog(dir, { keepOpen });
    expect(second.recovered).toBe(1);
    expect([...second.kept]).toEqual([kept.invocationId]);
    await second.append(ended(kept));
    await second.close();
    const third = await openLog(dir, { keepOpen });
    expect([third.recovered, third.kept.size]).toEqual([0, 0]);
  });
});
