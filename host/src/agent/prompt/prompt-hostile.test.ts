/** Nothing that a bundle, a skill or an app says of itself leaves its place in the prompt, however it is written. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { composeDelegatePrompt } from "./compose-delegate-prompt.ts";
import { composePrompt, type PromptOptions } from "./compose-prompt.ts";
import { hostileText, separatorsIn, tagsIn } from "./hostile-text-for-tests.ts";
import { TAGS } from "./neutralise-tags.ts";
import { runtimeContext, type Moment } from "./runtime-context.ts";

const orNull = fc.option(hostileText, { nil: null });
const skill = fc.record({ name: hostileText, body: hostileText, server: orNull, path: orNull });
const entry = fc.record({
  name: hostileText,
  description: hostileText,
  server: orNull,
  missing: fc.array(hostileText, { maxLength: 2 }),
});
const app = fc.record({
  name: hostileText,
  ui: orNull,
  trustScore: fc.option(fc.integer({ min: 0, max: 100 }), { nil: null }),
  description: orNull,
  instructions: orNull,
});
const prompt: fc.Arbitrary<PromptOptions> = fc.record({
  identity: orNull,
  context: fc.array(skill, { maxLength: 2 }),
  catalogue: fc.array(entry, { maxLength: 2 }),
  apps: fc.array(app, { maxLength: 2 }),
  discovery: fc.boolean(),
  matched: fc.option(skill, { nil: null }),
});
const row = fc.record({ name: hostileText, reason: hostileText });
const moment: fc.Arbitrary<Moment> = fc.record({
  now: fc.constant(new Date(0)),
  timeZone: hostileText,
  down: fc.array(row, { maxLength: 2 }),
  unavailableSkills: fc.array(row, { maxLength: 2 }),
  focusedApp: orNull,
  appStates: fc.array(fc.record({ name: hostileText, text: hostileText }), { maxLength: 2 }),
  interrupted: orNull,
  lastIteration: fc.boolean(),
  notices: fc.array(hostileText, { maxLength: 2 }),
});

const NOTHING: PromptOptions = {
  identity: null,
  context: [],
  catalogue: [],
  apps: [],
  discovery: false,
  matched: null,
};
const OWN_TAGS = tagsIn(composePrompt(NOTHING).stable);
const isSaid = (text: string | null): boolean => (text ?? "").trim() !== "";
const OPENED = new RegExp(`^<(?:${TAGS.join("|")})[ >]`, "gm");
const opened = (text: string): readonly string[] => text.match(OPENED) ?? [];

describe("the system prompt", () => {
  it("has only the tags that the host opened and closed, each closed before the next is opened", () => {
    fc.assert(
      fc.property(prompt, (options) => {
        const { stable, varying } = composePrompt(options);
        const whole = stable + varying;
        const tags = opened(whole);
        expect(tagsIn(whole) - OWN_TAGS).toBe(tags.length * 2);
        for (const part of composePrompt(options).layers) {
          const inPart = opened(part.text);
          if (part.source !== "host") expect(tagsIn(part.text)).toBe(inPart.length * 2);
        }
        const bodies = [...options.context, ...(options.matched === null ? [] : [options.matched])];
        const most =
          options.apps.filter(({ description }) => isSaid(description)).length +
          options.apps.filter(({ instructions }) => isSaid(instructions)).length +
          options.catalogue.filter(({ server }) => server !== null).length +
          bodies.filter(({ server }) => server !== null).length;
        expect(tags.length).toBeLessThanOrEqual(most);
      }),
      { numRuns: 400 },
    );
  });

  it("has as many layers as the host made, whatever looks like the end of one", () => {
    fc.assert(
      fc.property(prompt, (options) => {
        const { stable, varying, layers } = composePrompt(options);
        const made = new Set(layers.map(({ layer }) => layer)).size;
        expect(separatorsIn(stable + varying)).toBe(made - 1);
        const delegate = composeDelegatePrompt({
          identity: options.identity,
          profile: { name: "p", systemPrompt: options.matched?.body ?? "" },
        });
        expect(separatorsIn(delegate.stable)).toBe(1);
      }),
      { numRuns: 400 },
    );
  });

  it("names each bundle in a line of its own, and no name begins another", () => {
    fc.assert(
      fc.property(app, (one) => {
        const { text } = composePrompt({ ...NOTHING, apps: [one] }).layers.at(-1) ?? { text: "" };
        const [line = "", next] = text.split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/);
        expect(line).toMatch(/^- .* \((?:no UI|has UI: .*)\) — MTF Score: (?:none|\d+)$/u);
        if (next !== undefined) expect(next).toMatch(/^<app-in(?:fo|structions) name="[^"<>]*">$/u);
        expect(text.isWellFormed()).toBe(true);
      }),
      { numRuns: 400 },
    );
  });
});

describe("the runtime context", () => {
  it("is one block, in which only the states of apps have blocks of their own", () => {
    fc.assert(
      fc.property(moment, (given) => {
        const text = runtimeContext(given);
        expect(tagsIn(text)).toBe(2 + 2 * given.appStates.length);
        expect(text.startsWith("<runtime-context>\nNow: ")).toBe(true);
        expect(text.endsWith("\n</runtime-context>")).toBe(true);
      }),
      { numRuns: 400 },
    );
  });

  it("has a line for each thing that is told, and no name or reason begins another", () => {
    fc.assert(
      fc.property(moment, (given) => {
        const text = runtimeContext({ ...given, appStates: [] });
        const { down, unavailableSkills, notices, focusedApp, interrupted, lastIteration } = given;
        const told = down.length + unavailableSkills.length + notices.length + (lastIteration ? 1 : 0);
        const more = (focusedApp === null ? 0 : 1) + (interrupted === null ? 0 : 1);
        expect(text.split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/)).toHaveLength(3 + told + more);
      }),
      { numRuns: 400 },
    );
  });
});
