import { describe, expect, it } from "vitest";
import { IDLE_MS, Logins, MOST, MOST_A_CREDENTIAL, WHOLE_MS } from "./logins.ts";

const HOUR = 3_600_000;

describe("a login", () => {
  it("ends when it is not used for long, and each use counts", () => {
    let now = 0;
    const logins = new Logins(() => now);
    const id = logins.begin("key", "laptop");
    now = IDLE_MS - 1;
    expect(logins.find(id)?.credential.token).toBe("key");
    now += IDLE_MS - 1;
    expect(logins.has(id)).toBe(true);
    now += 1;
    expect(logins.has(id)).toBe(false);
    expect(logins.find(id)).toBeNull();
    expect(logins.size).toBe(0);
  });

  it("ends after some days however much it is used", () => {
    let now = 0;
    const logins = new Logins(() => now);
    const id = logins.begin("key", "laptop");
    for (; now < WHOLE_MS; now += HOUR) expect(logins.find(id)).not.toBeNull();
    expect(logins.find(id)).toBeNull();
  });

  it("is known by its whole id alone", () => {
    const logins = new Logins();
    const id = logins.begin("key", "laptop");
    for (const odd of ["", id.slice(1), `${id}x`, id.toUpperCase(), "__proto__", "x".repeat(100_000)]) {
      expect(logins.find(odd)).toBeNull();
    }
    logins.end("nobody's");
    expect(logins.find(id)).not.toBeNull();
    logins.end(id);
    expect(logins.find(id)).toBeNull();
  });
});

describe("many logins", () => {
  it("of one key: the one leaves that was not used for longest, and those of others stay", () => {
    const logins = new Logins();
    const others = logins.begin("other", "other");
    const ids = Array.from({ length: MOST_A_CREDENTIAL }, () => logins.begin("key", "laptop"));
    logins.find(ids[0]!);
    const last = logins.begin("key", "laptop");
    expect(logins.size).toBe(MOST_A_CREDENTIAL + 1);
    expect([ids[0]!, ids[1]!, ids[2]!, last, others].map((id) => logins.has(id))).toEqual([
      true,
      false,
      true,
      true,
      true,
    ]);
  });

  it("of all keys together are bounded", () => {
    const logins = new Logins();
    for (let n = 0; n < MOST + 100; n++) logins.begin("key", `key-${n}`);
    expect(logins.size).toBe(MOST);
  });

  it("that have ended leave room first", () => {
    let now = 0;
    const logins = new Logins(() => now);
    for (let n = 0; n < MOST; n++) logins.begin("key", `key-${n}`);
    now = IDLE_MS;
    logins.begin("key", "late");
    expect(logins.size).toBe(1);
  });
});
