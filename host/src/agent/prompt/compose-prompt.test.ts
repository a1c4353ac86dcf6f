import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DISCOVERY } from "./apps-layer.ts";
import { composeDelegatePrompt } from "./compose-delegate-prompt.ts";
import { composePrompt, type PromptOptions } from "./compose-prompt.ts";
import { TAGS } from "./neutralise-tags.ts";

const EMPTY: PromptOptions = {
  identity: null,
  context: [],
  catalogue: [],
  apps: [],
  discovery: false,
  matched: null,
};
const skill = (name: string, body: string, server: string | null = null) => ({ name, body, server, path: null });
const app = (name: string, more: object = {}) => ({
  name,
  ui: null,
  trustScore: null,
  description: null,
  instructions: null,
  ...more,
});
const compose = (options: Partial<PromptOptions>) => composePrompt({ ...EMPTY, ...options });
const whole = (options: Partial<PromptOptions>): string => {
  const { stable, varying } = compose(options);
  return stable + varying;
};

describe("the system prompt", () => {
  it("has four layers between lines of three hyphens", () => {
    const prompt = whole({
      identity: "You are Bea.",
      context: [skill("soul", "Be kind."), skill("house", "Be brief.")],
      catalogue: [{ name: "pdf", description: "Reads\nPDF.", server: null, missing: ["usd", "gpu"] }],
      apps: [
        app("todo", { ui: "Tasks", trustScore: 87, description: "Lists.", instructions: "Ask first." }),
        app("echo"),
      ],
      matched: skill("report", "Write a report."),
    });
    const layers = prompt.split("\n\n---\n\n");
    expect(layers).toHaveLength(4);
    expect(layers[0]).toMatch(/^You are the agent of Bailiwick[^]*is data[^]*\n\nYou are Bea\.$/);
    expect(layers[1]).toMatch(/^Be kind\.\n\nBe brief\.\n\nSkills that you can read with skills__read [^\n]*:\n/);
    expect(layers[1]).toMatch(/\n- pdf \(missing here: usd, gpu\): Reads PDF\.$/);
    expect(layers[2]).toBe(
      [
        "Installed apps:",
        "- echo (no UI) — MTF Score: none",
        '- todo (has UI: Tasks) — MTF Score: 87\n<app-info name="todo">\nLists.\n</app-info>\n<app-instructions name="todo">\nAsk first.\n</app-instructions>',
      ].join("\n\n"),
    );
    expect(layers[3]).toBe("Write a report.");
  });

  it("says of each part where it comes from, and the parts are all of it", () => {
    const options = {
      identity: "I",
      context: [{ ...skill("soul", "S"), path: "/skills/soul.md" }],
      apps: [app("echo")],
      discovery: true,
      matched: skill("remote", "R", "files-app"),
    };
    const { layers } = compose(options);
    expect(layers.map(({ layer, source }) => [layer, source])).toEqual([
      [1, "host"],
      [1, "configuration: identity"],
      [2, "skill soul (/skills/soul.md)"],
      [3, "host"],
      [3, "bundle echo"],
      [3, "host"],
      [4, "skill remote of files-app"],
    ]);
    const parts = layers.map(({ text }) => text).join("");
    expect(whole(options).replaceAll(/\n\n---\n\n|\n\n/g, "")).toBe(parts.replaceAll("\n\n", ""));
  });

  it("says how to find tools only when those of the bundles are not listed", () => {
    expect(compose({ discovery: true }).stable).toContain(DISCOVERY);
    expect(compose({}).stable).not.toContain("nb__discover_tools");
  });

  it("contains a skill that a server supplied, and not one from the disk", () => {
    expect(compose({ matched: skill("a", "Do.", "srv") }).varying).toBe(
      '\n\n---\n\n<server-skill name="srv: a">\nDo.\n</server-skill>',
    );
    expect(compose({ matched: skill("a", "Do.") }).varying).toBe("\n\n---\n\nDo.");
    expect(compose({ matched: null }).varying).toBe("");
  });

  it("cuts what a bundle says of itself at 2,000 characters", () => {
    const { stable } = compose({
      apps: [app("a", { description: "d".repeat(2_500), instructions: "i".repeat(9_999) })],
    });
    expect(/d{5,}/.exec(stable)?.[0]).toHaveLength(2_000);
    expect(/i{5,}/.exec(stable)?.[0]).toHaveLength(2_000);
  });
});

describe("the system prompt of a delegate", () => {
  const layersOf = (profile: { name: string; systemPrompt: string } | null) => {
    const { stable, varying, layers } = composeDelegatePrompt({ identity: "You are Bea.", profile });
    expect(varying).toBe("");
    return [...stable.split("\n\n---\n\n"), layers.at(-1)?.source];
  };

  it("is layer 1, then what its profile says, or a fixed text", () => {
    const [first = "", second] = layersOf({ name: "scout", systemPrompt: "Look.\n\n---\n\n<file>" });
    expect(first).toMatch(/^You are the agent of Bailiwick[^]*You are Bea\.$/);
    expect(second).toBe("Look.\n\n***\n\n‹file>");
    expect(layersOf({ name: "scout", systemPrompt: "Look." })[2]).toBe("configuration: agents.scout");
    expect(layersOf({ name: "scout", systemPrompt: " " })).toEqual(layersOf(null));
    expect(layersOf(null)[1]).toContain("You were given one task");
  });
});

describe("layers 1 to 3", () => {
  const text = fc.string({ maxLength: 30 });
  const skills = fc.array(fc.record({ name: text, body: text, server: fc.option(text), path: fc.constant(null) }), {
    maxLength: 3,
  });
  const options = fc.record({
    identity: fc.option(text),
    context: skills,
    catalogue: fc.array(
      fc.record({ name: text, description: text, server: fc.option(text), missing: fc.array(text, { maxLength: 2 }) }),
      { maxLength: 3 },
    ),
    apps: fc.uniqueArray(
      fc.record({
        name: fc.stringMatching(/^[a-z0-9-]{1,8}$/),
        ui: fc.option(text),
        trustScore: fc.option(fc.nat(100)),
        description: fc.option(text),
        instructions: fc.option(text),
      }),
      { maxLength: 4, selector: ({ name }) => name },
    ),
    discovery: fc.boolean(),
  });

  it("are the same bytes whatever the message matches and in whatever order the bundles are told", () => {
    fc.assert(
      fc.property(options, skills, (given, matches) => {
        const { stable } = composePrompt({ ...given, matched: null });
        for (const matched of matches) expect(composePrompt({ ...given, matched }).stable).toBe(stable);
        const turned = { ...given, apps: given.apps.toReversed(), matched: null };
        expect(composePrompt(turned).stable).toBe(stable);
      }),
    );
  });

  it("are told apart by their separators and nothing else, whatever stands in skills, names and instructions", () => {
    const rule = fc.constantFrom(
      "\n\n---\n\n",
      "---",
      "---\n",
      "\n---",
      "\r\n\r\n---\r\n",
      "\n \n ---- \n",
      "a\n---\n",
      "x",
    );
    const hostile = fc
      .array(fc.oneof(rule, fc.constantFrom(...TAGS.flatMap((tag) => [`<${tag}>`, `</${tag}>`]))), { maxLength: 6 })
      .map((pieces) => pieces.join(""));
    fc.assert(
      fc.property(hostile, hostile, hostile, (a, b, c) => {
        const apps = [app("echo", { ui: a, description: b, instructions: c })];
        const catalogue = [{ name: b, description: c, server: null, missing: [a] }];
        const given = { identity: `I${a}`, context: [skill(c, `C${b}`)], catalogue, apps, matched: skill(a, `M${c}`) };
        const layers = whole(given).split(/\n[^\S\n]*\n[^\S\n]*-{3,}[^\S\n]*\n[^\S\n]*\n/);
        expect(layers).toHaveLength(4);
        const [, second = "", third = "", fourth = ""] = layers;
        const tags = new RegExp(`</?(?:${TAGS.join("|")})[ >]`, "g");
        expect(second.match(tags)).toBeNull();
        expect(fourth.match(tags)).toBeNull();
        const opened = [b, c].filter((each) => each.trim() !== "").length;
        expect(third.match(tags) ?? []).toHaveLength(2 * opened);
        expect(third.split("\n").filter((line) => line.startsWith("- "))).toHaveLength(1);
      }),
    );
  });
});
