/** For tests: the parts of a workbench that keep things, real ones in folders that go when the test ends, and calls of tools on it. */
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Ajv2020 } from "ajv/dist/2020.js";
import { expect } from "vitest";
import { ComposeError } from "../compose-error.ts";
import type { ConfigType } from "../configs/config-types.ts";
import type { ListedGenerator } from "../documents/generators-document.ts";
import { BUILT_IN_GENERATORS } from "../generators/built-in-generators.ts";
import { Drafts } from "../storage/drafts.ts";
import { SavedConfigs } from "../storage/saved-configs.ts";
import { openStore, temporaryDir, TestClock } from "../storage/storage-for-tests.ts";
import type { ComposeTool } from "../tools/compose-tool.ts";
import type { ComposeCall, GeneratorsSeen, Workbench } from "../workbench.ts";
import { createConfigs } from "./create-configs.ts";

const { Ajv2020: Engine } = createRequire(import.meta.url)("ajv/dist/2020.js") as { Ajv2020: typeof Ajv2020 };
const ajv = new Engine({ allErrors: true, strict: false, logger: false });

export interface TestBench {
  readonly bench: Workbench;
  readonly root: string;
  /** Of the host: `drafts` and `ephemeral` are in it. */
  readonly dir: string;
  readonly clock: TestClock;
  readonly changed: string[];
  readonly save: (type: ConfigType, id: string, data: object) => Promise<void>;
}

export const openBench = (plugins: readonly ListedGenerator[] = []): TestBench => {
  const [root, dir, clock] = [temporaryDir(), join(temporaryDir(), "compose"), new TestClock()];
  const changed: string[] = [];
  const seen: GeneratorsSeen = {
    generators: [...BUILT_IN_GENERATORS.map((entry) => ({ entry, availability: AVAILABLE })), ...plugins],
    rejected: [],
  };
  const saved = new SavedConfigs(() => root);
  const generators = { look: () => Promise.resolve(seen), seen: () => seen };
  const bench = {
    now: clock.now,
    limits: () => ({ ephemeral_retention_days: 30 }),
    versions: openStore(join(dir, "ephemeral"), clock),
    drafts: new Drafts({ dir: join(dir, "drafts"), now: clock.now }),
    saved,
    configs: createConfigs({ saved, generators }),
    generators,
    changed: (uri: string) => changed.push(uri),
  } as unknown as Workbench;
  const save: TestBench["save"] = async (type, id, data) => {
    await saved.save({ type, id, data: { ...data }, overwrite: true });
  };
  return { bench, root, dir, clock, changed, save };
};

const AVAILABLE = { status: "available" } as const;

export const pluginEntry = (type: string): ListedGenerator => ({
  entry: { ...BUILT_IN_GENERATORS[0]!, type, name: type, source: "plugin", plugin_path: `${type}.generator.mjs` },
  availability: { status: "unavailable", reason: "It lacks KEY.", missing: ["KEY"] },
});

/** Whether the arguments pass the gate before the tool. */
export const isValidInput = (tool: ComposeTool, args: object): boolean => ajv.validate(tool.inputSchema, args);

const faultsOf = (schema: object, value: object): string => (ajv.validate(schema, value) ? "" : ajv.errorsText());

/** Tests look into it as they like. */
type Answer = any;

/** The answer as a caller gets it. It is as the tool's schema says, whatever it is. */
export const callTool = async (tool: ComposeTool, args: Readonly<Record<string, unknown>>): Promise<Answer> => {
  expect(faultsOf(tool.inputSchema, args)).toBe("");
  const answer = await answerOf(tool, args);
  expect(faultsOf(tool.outputSchema, answer)).toBe("");
  return answer;
};

const answerOf = async (tool: ComposeTool, args: Readonly<Record<string, unknown>>): Promise<object> => {
  try {
    const call = { signal: new AbortController().signal } as ComposeCall;
    return { success: true, ...(await tool.run(args, call)), duration_ms: 1 };
  } catch (error) {
    if (!(error instanceof ComposeError)) throw error;
    const { code, message, details } = error;
    return { success: false, error: { code, message, details } };
  }
};
