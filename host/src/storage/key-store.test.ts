import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryDir } from "./evidence-for-tests.ts";
import { readHostId } from "./host-identity.ts";
import { openKeyStore } from "./key-store.ts";

describe("keys", () => {
  it("makes an owner key at the first start, for its owner's eyes only, and keeps it", () => {
    const dir = join(temporaryDir(), "work");
    const store = openKeyStore(dir);
    expect(store.ownerSecret).toMatch(/^bw_owner_[A-Za-z0-9_-]{43}$/);
    expect(statSync(join(dir, "owner.key")).mode & 0o777).toBe(0o600);
    expect(readFileSync(store.ownerPath, "utf8").trim()).toBe(store.ownerSecret);
    expect(openKeyStore(dir).ownerSecret).toBe(store.ownerSecret);
    expect(store.find(store.ownerSecret)).toMatchObject({ as: "person:owner", owner: true, permissions: ["*"] });
    expect(store.notes).toEqual([]);
  });

  it("shows a new secret once, keeps its hash, and finds it at once in every process", async () => {
    const dir = temporaryDir();
    const running = openKeyStore(dir);
    const { secret, row } = await openKeyStore(dir).create({
      name: "ci",
      scopes: ["git__*"],
      permissions: ["evidence:read"],
    });
    expect(secret).toMatch(/^bw_[A-Za-z0-9_-]{43}$/);
    expect(row).toMatchObject({ name: "ci", as: "agent:ci", for: "person:owner", scopes: ["git__*"], revokedAt: null });
    expect(readFileSync(join(dir, "keys.json"), "utf8")).not.toContain(secret.slice(3));
    expect(statSync(join(dir, "keys.json")).mode & 0o777).toBe(0o600);
    expect(running.find(secret)).toMatchObject({ name: "ci", owner: false });
    expect(readdirSync(dir).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });

  it("lets a revoked key in nowhere from that moment on and keeps its row", async () => {
    const dir = temporaryDir();
    const running = openKeyStore(dir);
    const { secret } = await running.create({ name: "ci" });
    expect(running.find(secret)).not.toBeNull();
    const revoked = await openKeyStore(dir).revoke("ci");
    expect(revoked.revokedAt).not.toBeNull();
    expect(running.find(secret)).toBeNull();
    expect(await running.list()).toEqual([revoked]);
    expect((await running.revoke("ci")).revokedAt).toBe(revoked.revokedAt);
    await expect(running.revoke("nobody")).rejects.toMatchObject({ kind: "not_found" });
  });

  it("refuses taken and bad names, principals no key can stand for, and what is no workspace", async () => {
    const store = openKeyStore(temporaryDir());
    await store.create({ name: "ci" });
    for (const name of ["ci", "owner"])
      await expect(store.create({ name })).rejects.toMatchObject({ kind: "name_taken" });
    for (const name of ["", "-a", "A", "a b", "a".repeat(65), "../x", "é"]) {
      await expect(store.create({ name })).rejects.toMatchObject({ kind: "bad_request" });
    }
    for (const as of ["root", "app:x", "agent:", "agent:a b", "owner:x"]) {
      await expect(store.create({ name: "x", as })).rejects.toMatchObject({ kind: "bad_request" });
    }
    await expect(store.create({ name: "x", for: "agent:y" })).rejects.toMatchObject({ kind: "bad_request" });
    await expect(store.create({ name: "x", scopes: [""] })).rejects.toMatchObject({ kind: "bad_request" });
    for (const workspace of ["", "sales", "ws_", "ws_Sales", "../ws_sales", "ws_a/b"]) {
      await expect(store.create({ name: "x", workspace })).rejects.toMatchObject({ kind: "bad_request" });
    }
    expect(await store.list()).toHaveLength(1);
  });

  it("keeps the workspace that a key is for", async () => {
    const store = openKeyStore(temporaryDir());
    const { secret } = await store.create({ name: "sales", workspace: "ws_sales" });
    expect(store.find(secret)).toMatchObject({ workspace: "ws_sales" });
  });

  it("accepts both spellings of a principal and lets a person stand for nobody else", async () => {
    const store = openKeyStore(temporaryDir());
    expect((await store.create({ name: "a", as: "service://build" })).row).toMatchObject({ as: "service:build" });
    expect((await store.create({ name: "b", as: "person:maria" })).row).toMatchObject({
      as: "person:maria",
      for: null,
    });
  });

  it("knows nothing but its own secrets", async () => {
    const store = openKeyStore(temporaryDir());
    const { secret } = await store.create({ name: "ci" });
    for (const other of ["", "bw_", `${secret}x`, secret.slice(0, -1), secret.toUpperCase(), "x".repeat(1e6)]) {
      expect(store.find(other)).toBeNull();
    }
  });

  it("takes back what others could read and says so", () => {
    const dir = temporaryDir();
    const { ownerPath } = openKeyStore(dir);
    chmodSync(ownerPath, 0o644);
    expect(openKeyStore(dir).notes).toEqual([expect.stringContaining("owner.key")]);
    expect(statSync(ownerPath).mode & 0o777).toBe(0o600);
    expect(openKeyStore(dir).notes).toEqual([]);
  });

  it.each(["", "{", '{"version":1}', '{"version":1,"keys":[{"row":{}}]}', "null"])(
    "stops at a damaged keys.json (%j) rather than forget the keys",
    (text) => {
      const dir = temporaryDir();
      writeFileSync(join(dir, "keys.json"), text);
      expect(() => openKeyStore(dir)).toThrow("keys.json is damaged");
    },
  );

  it("stops at an owner.key that holds no key", () => {
    const dir = temporaryDir();
    writeFileSync(join(dir, "owner.key"), "secret\n");
    expect(() => openKeyStore(dir)).toThrow("holds no owner key");
  });
});

describe("the host's id", () => {
  it("is made once and kept, unless it is configured", () => {
    const dir = join(temporaryDir(), "work");
    expect(readHostId(dir, "service-ops-host")).toBe("service-ops-host");
    const id = readHostId(dir);
    expect(id).toMatch(/^bailiwick-[0-9a-f]{8}$/);
    expect(readHostId(dir)).toBe(id);
  });

  it("is not replaced when its file is damaged", () => {
    const dir = temporaryDir();
    writeFileSync(join(dir, "host.json"), "{}");
    expect(() => readHostId(dir)).toThrow("holds no host id");
  });
});
