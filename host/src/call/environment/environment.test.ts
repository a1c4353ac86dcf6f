import { describe, expect, it } from "vitest";
import { Refusal } from "../../kernel/refusal.ts";
import type { Live } from "../../kernel/stages.ts";
import { createEnvironment, missingCapabilities } from "./environment.ts";

const call = (meta: unknown, provider: string | null = null): Live =>
  ({
    provider,
    target: { flatName: "maya__import_usd", name: "import_usd", tool: { value: { _meta: meta } } },
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

describe("environment", () => {
  const stage = createEnvironment(new Set(["usd", "scene.read"]));

  it.each([[undefined], [{}], [{ dcc: {} }], [requires()], [requires("usd", "usd", "")], [null]])(
    "lets %j pass",
    (meta) => {
      expect(stage(call(meta)).required).toBeDefined();
    },
  );

  it("refuses with what is required, missing and declared, in both spellings", () => {
    const no = refusalOf(() => stage(call(requires("usd", "scene.mutate", "filesystem.write"))));
    expect(no.kind).toBe("capability_missing");
    expect(no.row.mcp).toBe(-32001);
    expect(no.message).toBe("capability_missing: tool 'maya__import_usd' requires scene.mutate, filesystem.write");
    expect(no.details).toMatchObject({
      missing: ["scene.mutate", "filesystem.write"],
      missing_capabilities: ["scene.mutate", "filesystem.write"],
      declared: ["usd", "scene.read"],
    });
  });

  it("names the tool as the endpoint lists it", () => {
    expect(refusalOf(() => stage(call(requires("x"), "maya"))).details["tool"]).toBe("import_usd");
  });

  it.each([[{ dcc: 1 }], [{ dcc: { required_capabilities: "usd" } }], [requires("usd", 1)]])(
    "suspends a tool that declares %j, because ignoring it would widen authority",
    (meta) => expect(refusalOf(() => stage(call(meta))).kind).toBe("suspended"),
  );

  it("compares by equality and nothing else", () => {
    const declared = new Set(["scene", "*", "USD"]);
    expect(missingCapabilities(["scene.read", "usd", "scene", "", "usd"], declared)).toEqual([
      "scene.read",
      "usd",
      "usd",
    ]);
  });
});
