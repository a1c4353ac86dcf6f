/** `generate_content`: the text of a saved config. What was made of the very same before is given again. */
import { checkConfigId } from "../configs/config-id.ts";
import { readContext } from "../configs/read-context.ts";
import { described } from "../keep/described.ts";
import { CONTENT_ID_INPUT, CONTEXT_INPUT, GENERATED_PROPERTIES, GENERATION_ERRORS } from "../make/content-schemas.ts";
import { storeMade } from "../make/store-made.ts";
import { tellGenerated, type Generated } from "../make/tell-generated.ts";
import { untilAborted } from "../make/until-aborted.ts";
import { reusableVersion } from "../storage/reusable-version.ts";
import { digestOf } from "../storage/stored-version.ts";
import { Turns } from "../storage/turns.ts";
import type { Prepared, Workbench } from "../workbench.ts";
import { answerSchema } from "./answer-schema.ts";
import type { ComposeTool } from "./compose-tool.ts";

const DEFINITION = {
  name: "generate_content",
  title: "Generate content",
  category: "content",
  description:
    "Makes the text of a saved content config with the generator that fits it, and stores it as a new version. If the latest " +
    "stored text was made of the same config, generator and context, that text is given again and nothing is made; force " +
    "makes it anyway. Use preview_generation to see a text without storing it, batch_generate_content for several.",
  inputSchema: described.input(
    {
      content_config_id: CONTENT_ID_INPUT,
      context: CONTEXT_INPUT,
      force: described.flag("Make it again even if the stored text is of the same making", { default: false }),
    },
    ["content_config_id"],
  ),
  outputSchema: answerSchema(GENERATED_PROPERTIES),
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  guide: {
    examples: [
      { input: { content_config_id: "release-notes" }, description: "The text as its config alone makes it" },
      {
        input: { content_config_id: "welcome-letter", context: { name: "Ada" }, force: true },
        description: "With a value for a variable, and a new version in any case",
      },
    ],
    common_errors: GENERATION_ERRORS,
    typical_ms: "500-2000",
  },
  timeoutMs: 30_000,
} as const satisfies Omit<ComposeTool, "run">;

type Store = Pick<Workbench, "versions" | "maker" | "changed">;

export const generateContentTool = (bench: Workbench): ComposeTool => {
  const turns = new Turns();
  return {
    ...DEFINITION,
    async run(args, { owner, signal, facts }) {
      const id = checkConfigId(args["content_config_id"]);
      const context = readContext(args["context"]);
      const { config } = await bench.configs.content(id);
      const prepared = await bench.maker.prepare({ config, context, run: facts().origin.run, owner, signal });
      if (args["force"] === true) return tellGenerated(await force(bench, id, prepared));
      // Of two equal requests at once the second waits for the first, and is given its text.
      const turn = digestOf({ id, ...prepared.freshness });
      const work = async (): Promise<Generated> => {
        signal.throwIfAborted();
        return (await reuse(bench, id, prepared)) ?? generate(bench, id, prepared);
      };
      return tellGenerated(await untilAborted(signal, () => turns.run(turn, work)));
    },
  };
};

const reuse = async ({ versions }: Store, id: string, prepared: Prepared): Promise<Generated | null> => {
  if (prepared.templates.isOpen) return null;
  const version = reusableVersion(await versions.versionsOf(id), prepared.freshness);
  const text = version === null ? null : await versions.readText(version);
  return version === null || text === null ? null : { status: "skipped", text, version, prepared, said: {} };
};

const generate = async (bench: Store, id: string, prepared: Prepared): Promise<Generated> => {
  const made = await bench.maker.make(prepared);
  prepared.order.signal.throwIfAborted();
  const version = await storeMade(bench.versions, { id, made });
  bench.changed(`content://${id}`);
  return { status: "generated", text: made.text, version, prepared, said: made.metadata };
};

const force = async (bench: Store, id: string, prepared: Prepared): Promise<Generated> => {
  const generated = await generate(bench, id, prepared);
  const [first] = await bench.versions.versionsOf(id);
  const isFirst = first?.version_id === generated.version.version_id;
  return { ...generated, status: isFirst ? "generated" : "regenerated" };
};
