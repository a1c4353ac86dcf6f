import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { capabilityId } from "../kernel/capability-id.ts";
import { stable } from "../kernel/stable.ts";
import { packDraft, unpackDrafts, FIELD } from "./draft-fields.ts";
import { draft, openLog, temporaryDir } from "./evidence-for-tests.ts";
import { openEvidenceReader } from "./read-evidence.ts";
import { draftRedactor } from "./redact-draft.ts";

type Place = "payload" | "subject" | "error" | "denial";

const redactIn = (
  place: Place,
  value: unknown,
  patterns: readonly string[] = [],
): { text: string; redacted: boolean } => {
  const fields = unpackDrafts(packDraft(draft({ [place]: stable(value) })));
  const redacted = draftRedactor(patterns)(fields, 0);
  return { text: fields[FIELD[place]] ?? "", redacted };
};
const redact = (value: unknown, patterns: readonly string[] = []) => redactIn("payload", value, patterns);

const chars = (alphabet: string, length: number) =>
  fc.string({ unit: fc.constantFrom(...alphabet.split("")), minLength: length, maxLength: length });
const WORD = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const cards = ["4111111111111111", "4111 1111 1111 1111", "5555-5555-5555-4444", "378282246310005", "30569309025904"];
/** Each kind that is known by its look. */
const secret = fc.oneof(
  fc.tuple(chars(WORD, 20), chars(WORD, 30), chars(WORD, 43)).map(([a, b, c]) => `eyJ${a}.eyJ${b}.${c}`),
  chars(WORD, 40).map((key) => `-----BEGIN RSA PRIVATE KEY-----\n${key}\n-----END RSA PRIVATE KEY-----`),
  chars(WORD, 24).map((token) => `Bearer ${token}`),
  chars("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16).map((key) => `AKIA${key}`),
  fc.tuple(fc.constantFrom("p", "o", "u", "s", "r"), chars(WORD, 36)).map(([kind, key]) => `gh${kind}_${key}`),
  chars(WORD, 40).map((key) => `github_pat_${key}`),
  chars("0123456789", 12).map((key) => `xoxb-${key}-abcdef`),
  chars(WORD, 40).map((key) => `sk-${key}`),
  fc.constantFrom(...cards),
);
const NAMES = [
  "api_key",
  "X-Api-Key",
  "apikey",
  "Authorization",
  "Cookie",
  "set-cookie",
  "password",
  "PASS_WORD",
  "passwd",
  "secret",
  "clientSecret",
  "token",
  "access_token",
  "refreshToken",
  "private-key",
  "credential",
  "credentials",
  "session_id",
  "Mcp-Session-Id",
];
const nest = (value: unknown, path: readonly (string | null)[]): unknown =>
  path.reduceRight((inner, name) => (name === null ? ["x", inner] : { [name]: inner, more: "y" }), value);
const place = fc.constantFrom<Place>("payload", "subject", "error", "denial");
const path = fc.array(fc.oneof(fc.constant(null), fc.constantFrom("a", "message", "details", "caf\u00e9")), {
  maxLength: 4,
});
const around = fc.constantFrom("", " ", "see: ", "caf\u00e9", "\n", "(", "\u{1f512}", "key=");

describe("secrets", () => {
  it("never reach a stored line by their look, wherever they stand", () => {
    fc.assert(
      fc.property(secret, place, path, around, (found, where, way, before) => {
        const { text, redacted } = redactIn(where, nest({ note: `${before}${found}` }, way));
        expect(text).not.toContain(stable(found).slice(1, -1));
        expect(text).toContain("[REDACTED]");
        expect(redacted).toBe(true);
      }),
      { numRuns: 600 },
    );
  });

  it("never reach a stored line under their names, whatever they are", () => {
    fc.assert(
      fc.property(fc.constantFrom(...NAMES), place, path, (name, where, way) => {
        for (const value of ["hunter2-hunter2", 123456, ["hunter2-hunter2"], { inner: "hunter2-hunter2" }]) {
          const { text, redacted } = redactIn(where, nest({ [name]: value }, way));
          expect(text).not.toMatch(/hunter2|123456/);
          expect(redacted).toBe(true);
        }
      }),
      { numRuns: 300 },
    );
  });

  it("are taken out of names and numbers too", () => {
    expect(redact({ [`ghp_${"a".repeat(36)}`]: 1 }).text).toBe('{"[REDACTED]": 1}');
    expect(redact({ n: 4111111111111111 }).text).toBe('{"n": "[REDACTED]"}');
  });

  it("leave the rest of a text as it was", () => {
    expect(redact({ message: "failed with Bearer abcdefgh at /x" }).text).toBe(
      '{"message": "failed with [REDACTED] at /x"}',
    );
    expect(redact({ message: "2222 4111 1111 1111 1111." }).text).toBe('{"message": "2222 [REDACTED]."}');
  });

  it("are not seen where there are none", () => {
    const harmless = {
      input_commitment: "4111111111111111aaaa",
      evidence: "evt_c1_a378282246310005",
      idempotencyKey: "x",
      public_key: "A6EHv/POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg=",
      input_tokens: 12,
      token_count: 3,
      surface: "4111111111111111",
      tool: "task-abcdefghijklmnopqrstuvwxyz",
      number: 4111111111111112,
      time: "1763280000000",
      passwordless: true,
      token: null,
      definition: `sha256:${"4111111111111111".repeat(4)}`,
    };
    const { text, redacted } = redact(harmless);
    expect(redacted).toBe(false);
    expect(text).toBe(stable(harmless));
  });

  it("are taken out of the name of what was called, however it is escaped, and of what repeats that name", () => {
    fc.assert(
      fc.property(secret, fc.constantFrom("", "ops__", "doc://", "doc://x?token="), (found, before) => {
        const id = capabilityId(`${before}${found}`);
        const payload = stable({ capability_uri: `${id}:10.0.0`, tool: id });
        const fields = unpackDrafts(packDraft(draft({ capabilityId: id, payload })));
        expect(draftRedactor([])(fields, 0)).toBe(true);
        expect(fields[FIELD.capabilityId]).toMatch(/:5BREDACTED:5D/);
        expect(fields.join("\n")).not.toContain(capabilityId(found));
        expect(fields[FIELD.payload]).toContain(`${fields[FIELD.capabilityId]}:10.0.0`);
      }),
    );
    const fields = unpackDrafts(packDraft(draft({ capabilityId: "ops__do" })));
    expect(draftRedactor([])(fields, 0)).toBe(false);
    expect(fields[FIELD.capabilityId]).toBe("ops__do");
  });

  it("are also what the operator's own patterns find", () => {
    expect(redact({ note: "employee EMP-123456 left" }, ["EMP-[0-9]{6}"]).text).toBe(
      '{"note": "employee [REDACTED] left"}',
    );
    expect(redact({ note: "stra\u00dfe" }, ["stra\u00dfe$"]).redacted).toBe(true);
  });

  it("cost no more than the length of a text, however it is made", () => {
    const size = 200_000;
    for (const part of [
      "eyJ",
      "eyJa.",
      "sk-",
      "Bearer ",
      "-----BEGIN ",
      "4 ",
      "4-",
      "xoxb-",
      "AKIA",
      "ghp_",
      "token: ",
    ]) {
      redact({ note: part.repeat(size / part.length) });
    }
    const deep = `${"[".repeat(5000)}"sk-${"a".repeat(40)}"${"]".repeat(5000)}`;
    const fields = unpackDrafts(packDraft(draft({ payload: `{"a": ${deep}}` })));
    expect(draftRedactor([])(fields, 0)).toBe(true);
    expect(fields[FIELD.payload]).not.toContain("sk-");
  });

  it("are gone from the log, and the event says so and verifies", async () => {
    const dir = temporaryDir();
    const log = await openLog(dir, { redactPatterns: ["EMP-[0-9]{6}"] });
    await log.append(draft({ error: stable({ message: `no: sk-${"x".repeat(40)}, EMP-123456` }) }));
    await log.append(draft());
    const reader = openEvidenceReader(dir);
    const [first, second] = reader.tail(2).map((line) => JSON.parse(line) as Record<string, unknown>);
    reader.close();
    expect(first).toMatchObject({ redacted: true, error: { message: "no: [REDACTED], [REDACTED]" } });
    expect(second).toMatchObject({ redacted: false });
  });

  it("are not promised with a pattern that is none", async () => {
    for (const [pattern, why] of [
      ["(", "is no regular expression"],
      ["a*", "matches the empty text"],
    ] as const) {
      await expect(openLog(temporaryDir(), { redactPatterns: [pattern] })).rejects.toThrow(why);
    }
  });
});

it("a payload of the host's own is taken as it is, unless the operator has patterns; the rest of its event is not", () => {
  const card = "4111111111111111";
  const event = draft({ payload: stable({ number: card }), error: stable({ message: card }), own: true });
  const look = (patterns: readonly string[]): readonly (string | null | undefined)[] => {
    const fields = unpackDrafts(packDraft(event));
    draftRedactor(patterns)(fields, 0);
    return [fields[FIELD.payload], fields[FIELD.error]];
  };
  expect(look([])).toEqual([stable({ number: card }), stable({ message: "[REDACTED]" })]);
  expect(look(["zzz"])[0]).toBe(stable({ number: "[REDACTED]" }));
});
