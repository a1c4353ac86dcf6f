/**
 * The example programs of the document that `capabilities://` comes from, line by line. They were written for another server and
 * know its names; what they left open (`...`) is handed in.
 */
import type { ComposeClient, Json } from "./compose-clients-for-tests.ts";

type Validate = (schema: Json) => Json;

const isResourceNotFound = (error: unknown): boolean =>
  (error as { readonly data?: { readonly kind?: unknown } }).data?.kind === "resource_not_found";

/** Example 1: feature detection. */
export const detectFeatures = async ({ fetch, callTool }: ComposeClient, input: Json): Promise<Json | null> => {
  // Check if server supports config lifecycle tools
  const serverCaps = await fetch("capabilities://server");

  if (serverCaps["features"]["config_lifecycle"]) {
    // Use draft_config, test_config, etc.
    const result = await callTool("draft_config", input);
    return result;
  }
  // Fall back to manual config creation
  return null;
};

/** Example 2: schema-driven tool use. `validate` gives the input, found valid against the schema. */
export const useSchema = async ({ fetch, callTool }: ComposeClient, validate: Validate): Promise<Json> => {
  // Discover tool schema without hardcoding
  const tools = await fetch("capabilities://tools");

  const generateContent = Object.values(tools["tools_by_category"] as Record<string, Json[]>)
    .flatMap((category) => category)
    .find((tool) => tool["name"] === "generate_content")!;

  // Use schema to validate input
  const inputSchema = generateContent["input_schema"] as Json;
  const validatedInput = validate(inputSchema);

  // Call tool with confidence
  const result = await callTool("generate_content", validatedInput);
  return result;
};

/** Example 3: generator selection. */
export const learnSelection = async ({ fetch }: ComposeClient): Promise<(config: Json) => string> => {
  // Intelligent generator selection
  const generators = await fetch("capabilities://generators");

  const selectGenerator = (config: Json): string => {
    // Check explicit type first
    const [pattern = {}] = (config["generation"]?.["patterns"] ?? [{}]) as Json[];
    if (pattern["type"]) return pattern["type"] as string;

    // Check template syntax
    const template = (pattern["template"] ?? "") as string;
    if (template.includes("{{") && template.includes("{%")) return "jinja2";
    else if (template.includes("{{")) return "template_fill";

    // Check for demonstration pattern
    if ((config["elements"] ?? [{}])[0]["example_output"]) return "demonstration";

    // Fallback
    return generators["selection_strategy"]["fallback"] as string;
  };
  return selectGenerator;
};

/** The best practice for errors: features where there is such a document, basic tools where there is none. */
export const fallBack = async ({ fetch, listTools }: ComposeClient, uri: string): Promise<readonly string[]> => {
  try {
    const serverCaps = await fetch(uri);
    // Use config lifecycle tools
    return serverCaps["features"]["config_lifecycle"] ? ["draft_config", "test_config"] : [];
  } catch (error) {
    if (!isResourceNotFound(error)) throw error;
    // Fall back to basic tools
    return (await listTools()).map(({ name }) => name as string);
  }
};

interface Checked {
  readonly error: string | null;
  readonly timeout: number | null;
  readonly results: readonly Json[];
}

/** A gateway's check before it calls a generator. */
export const preflight = async (
  generator: Json,
  getenv: (name: string) => string | undefined,
  generationTasks: readonly (() => Promise<Json>)[],
): Promise<Checked> => {
  // Gateway reads generator dependencies
  const deps = generator["upstream_dependencies"] as Json | null;
  let timeout: number | null = null;
  const results: Json[] = [];

  if (deps) {
    // Check credentials before calling generator
    for (const cred of deps["credentials_required"] as string[])
      if (!getenv(cred)) return { error: `Missing credential: ${cred}`, timeout, results };

    // Set timeout based on expected latency
    timeout = ((deps["expected_latency_ms"]["p95"] ?? 5000) as number) * 2;

    // Check if concurrent execution is safe
    if (deps["concurrency_safe"])
      // Can run multiple generations in parallel
      results.push(...(await Promise.all(generationTasks.map((task) => task()))));
  }
  return { error: null, timeout, results };
};
