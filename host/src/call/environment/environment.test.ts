import { describe, expect, it } from "vitest";
import { Refusal } from "../../kernel/refusal.ts";
import type { Live } from "../../kernel/stages.ts";
import { createEnvironment, createEnvironmentAgain } from "./environment.ts";
import { createEnvironmentBook } from "./environment-book.ts";

const call = (meta: unknown, more: Partial<Live> = {}): Live =>
  ({
    provider: null,
    door: "mcp",
    target: {
      provider: { name: "maya" },
      flatName: "maya__import_usd",
      name: "import_usd",
      tool: { value: { _meta: meta } },
      capability: { id: "studio.import" },
    },
    ...more,
  }) as unknown as Live;
const requires = (...required: unknown[]) => ({ dcc: { required_capabilities: required } });

const refusalOf = (run: () => unknown): Refusal => {
  try {
    run();
  } catch (no) {
    if (no instanceof Refusal) return no;
    throw no;
  }
  throw new Error("was not refused");
};

const DECLARED = ["usd", "scene.read", "scene.mutate", "filesystem.read"];
const book = createEnvironmentBook({ declared: DECLARED, require: {}, providers: { nuke: ["filesystem.write"] } });
const stage = createEnvironment({ book, listedName: (flat) => (flat.length > 64 ? "listed_as" : flat) });

describe("the gate", () => {
  it.each([[undefined], [{}], [{ dcc: {} }], [requires()], [requires("usd", "usd", "")], [null]])(
    "lets %j pass",
    (meta) => {
      expect(stage(call(meta)).required).toBeDefined();
    },
  );

  it("hands on what the tool requires, all of it", () => {
    expect(stage(call(requires("usd", "", "usd"))).required).toEqual(["usd", "", "usd"]);
  });

  it("lets reads and prompts pass, which require nothing", () => {
    const read = call(null);
    expect(stage({ ...read, target: { ...read.target, tool: null } }).required).toEqual([]);
  });

  it("refuses with what is required, missing and declared, in both spellings, and the remedy", () => {
    const required = ["usd", "scene.mutate", "filesystem.write"];
    const no = refusalOf(() => stage(call(requires(...required))));
    expect(no.kind).toBe("capability_missing");
    expect(no.row).toMatchObject({ mcp: -32001, rest: 422, retryable: false, outcome: "denied" });
    expect(no.message).toBe("capability_missing: tool 'maya__import_usd' requires filesystem.write");
    expect(no.next).toBe("Declare filesystem.write for this host: bailiwick capabilities add filesystem.write");
    expect(no.details).toEqual({
      tool: "maya__import_usd",
      required,
      missing: ["filesystem.write"],
      declared: DECLARED,
      required_capabilities: required,
      missing_capabilities: ["filesystem.write"],
      declared_capabilities: DECLARED,
      remedy: no.next,
    });
  });

  it("joins what is missing, and names each once in a command that a shell takes as it stands", () => {
    const no = refusalOf(() => stage(call(requires("a", "it's; rm -rf ~", "a"))));
    expect(no.message).toBe("capability_missing: tool 'maya__import_usd' requires a, it's; rm -rf ~, a");
    expect(no.next).toMatch(/bailiwick capabilities add a 'it'\\''s; rm -rf ~'$/);
  });

  it("names eight of many in its texts and the number of the others, and has all of them in its data", () => {
    const nine = Array.from({ length: 9 }, (_, i) => `c${i + 1}`);
    const [eight, no] = [nine.slice(0, 8), refusalOf(() => stage(call(requires(...nine))))];
    expect(no.message).toBe(`capability_missing: tool 'maya__import_usd' requires ${eight.join(", ")} and 1 more`);
    expect(no.next).toBe(
      `Declare ${eight.join(", ")} and 1 more for this host: bailiwick capabilities add ${eight.join(" ")}`,
    );
    expect(no.details).toMatchObject({ missing: nine, required_capabilities: nine, remedy: no.next });
    expect(refusalOf(() => stage(call(requires(...eight)))).message).toMatch(/requires c1, .*, c7, c8$/);
  });

  it("has texts of a length that no server chooses", () => {
    const long = Array.from({ length: 64 }, (_, i) => `${i}`.padEnd(256, "x"));
    const no = refusalOf(() => stage(call(requires(...long))));
    expect(no.message.length).toBeLessThan(3_000);
    expect(no.next.length).toBeLessThan(6_000);
  });

  it("tells nobody to run a command in which a name would be a flag", () => {
    const no = refusalOf(() => stage(call(requires("--json"))));
    expect(no.next).toBe("Declare --json for this host: bailiwick capabilities add <name>...");
  });

  it("counts what is declared for the provider whose tool it is", () => {
    const needy = call(requires("filesystem.write"));
    const other = { ...needy, target: { ...needy.target, provider: { name: "nuke" } } } as unknown as Live;
    expect(stage(other).required).toEqual(["filesystem.write"]);
    expect(refusalOf(() => stage(needy)).kind).toBe("capability_missing");
  });

  it.each<[string, Partial<Live>]>([
    ["maya__import_usd", {}],
    ["import_usd", { provider: "maya" }],
    ["studio.import", { door: "chp" }],
  ])("names the tool as the endpoint lists it: %s", (name, more) => {
    const no = refusalOf(() => stage(call(requires("x"), more)));
    expect(no.details["tool"]).toBe(name);
    expect(no.message).toContain(`tool '${name}'`);
  });

  it("names a tool with a name that is too long by its alias", () => {
    const long = call(requires("x"));
    const target = { ...long.target, flatName: `maya__${"n".repeat(80)}` };
    expect(refusalOf(() => stage({ ...long, target })).details["tool"]).toBe("listed_as");
  });

  it.each([[{ dcc: 1 }], [{ dcc: ["usd"] }], [{ dcc: { required_capabilities: "usd" } }], [requires("usd", 1)]])(
    "suspends a tool that declares %j, because ignoring it would widen authority",
    (meta) => {
      const no = refusalOf(() => stage(call(meta)));
      expect(no.kind).toBe("suspended");
      expect(no.details["reason"]).toBe("capability_declaration_invalid");
    },
  );
});

it("a call that is past the gate ends, whatever is declared by then", () => {
  const again = createEnvironmentAgain(book);
  expect(again(call(requires("gone"))).required).toEqual(["gone"]);
  expect(refusalOf(() => again(call({ dcc: 1 }))).kind).toBe("suspended");
});
