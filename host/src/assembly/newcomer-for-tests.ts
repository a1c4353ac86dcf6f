/**
 * A program that knows nothing of a server but its address. All that it does it does by what it reads in `capabilities://`; it
 * sends nothing that breaks an input schema, and takes no answer that breaks an output schema.
 */
import { Ajv2020 } from "ajv/dist/2020.js";
import type { ComposeClient, Json } from "./compose-clients-for-tests.ts";

const REFUSAL = "dev.bailiwick/refusal";

export interface Newcomer {
  readonly client: ComposeClient;
  readonly server: Json;
  readonly tools: Json;
  readonly resources: Json;
  readonly generators: Json;
  /** The tool of a category whose name is this, before it any provider's; as the document describes it. */
  readonly find: (category: string, name: string) => Json;
  /** A copy of the first example of a tool that fits, to be changed. */
  readonly example: (tool: Json, fits?: (input: Json) => boolean) => Json;
  /** The structured answer, whether it succeeded or not. */
  readonly use: (tool: Json, input: Json) => Promise<Json>;
  /** The URI that a pattern of a family makes of these parameters. */
  readonly uri: (family: string, parameters: Readonly<Record<string, string>>) => string;
}

/** Has a person say yes to the approval of this id. */
type Ask = (approvalId: string) => Promise<void>;

export const arrive = async (client: ComposeClient, ask: Ask): Promise<Newcomer> => {
  /** A call that waits for a person is made again when they have said yes. */
  const call = async (name: string, input: Json): Promise<Json> => {
    const result = await client.callTool(name, input);
    const { kind, details } = (result["_meta"]?.[REFUSAL] ?? {}) as Json;
    if (kind !== "approval_pending") return result;
    await ask(details.approval_id as string);
    return client.callTool(name, input);
  };
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, strictRequired: false, allErrors: true });
  const hold = (schema: Json, value: unknown, what: string): void => {
    if (!ajv.validate(schema, value)) throw new Error(`${what}: ${ajv.errorsText()}`);
  };
  const server = await client.fetch("capabilities://server");
  const tools = await client.fetch("capabilities://tools");
  const generators = await client.fetch("capabilities://generators");
  const resources = await client.fetch("capabilities://resources");
  return {
    client,
    server,
    tools,
    resources,
    generators,
    find(category, name) {
      const shelf = (tools["tools_by_category"][category] ?? []) as readonly Json[];
      const found = shelf.filter((tool) => (tool["name"] as string).split("__").at(-1) === name);
      if (found.length !== 1) throw new Error(`${found.length} tools ${name} in ${category}`);
      return found[0]!;
    },
    example(tool, fits = () => true) {
      const found = (tool["examples"] as readonly Json[]).find(
        ({ input }) => input !== undefined && fits(input as Json),
      );
      if (found === undefined) throw new Error(`no example of ${tool["name"]} fits`);
      return structuredClone(found["input"] as Json);
    },
    async use(tool, input) {
      hold(tool["input_schema"] as Json, input, `the input of ${tool["name"]}`);
      const { structuredContent, content, isError = false } = await call(tool["name"] as string, input);
      hold(tool["output_schema"] as Json, structuredContent, `the answer of ${tool["name"]}`);
      const [{ text }] = content as readonly [{ readonly text: string }];
      if (text !== JSON.stringify(structuredContent)) throw new Error(`${tool["name"]} says two things: ${text}`);
      if (isError === structuredContent.success) throw new Error(`${tool["name"]} does not look as it ended: ${text}`);
      return structuredContent as Json;
    },
    uri(family, parameters) {
      const names = Object.keys(parameters).toSorted().join();
      const pattern = (resources["resources"][family].patterns as readonly string[]).find(
        (each) =>
          Array.from(each.matchAll(/\{(\w+)\}/g), ([, name = ""]) => name)
            .toSorted()
            .join() === names,
      );
      if (pattern === undefined) throw new Error(`${family} has no pattern of ${names}`);
      return pattern.replaceAll(/\{(\w+)\}/g, (_, name: string) => parameters[name]!);
    },
  };
};
