/**
 * Keys of models that a foreign file hands to a server. Here the same variable holds the key of the host's own model, which
 * no bundle gets because a file of another program said so: what refers to one is left out, and that is told. Pure.
 */
const MODEL_KEY =
  /^(?:ANTHROPIC|CLAUDE|OPENAI|AZURE_OPENAI|GEMINI|GOOGLE_GENERATIVE_AI|MISTRAL|GROQ|OPENROUTER|DEEPSEEK|XAI|TOGETHER|COHERE|PERPLEXITY)_(?:\w+_)?(?:KEY|TOKEN)$/i;
const REFERENCE = /\$\{(?:env:)?([A-Za-z_]\w*)[^}]*\}/g;

export const isModelKey = (variable: string): boolean => MODEL_KEY.test(variable);

/** The first that a text refers to; null: none. */
export const modelKeyIn = (text: string): string | null =>
  Array.from(text.matchAll(REFERENCE), ([, name = ""]) => name).find(isModelKey) ?? null;

export interface WithoutModelKeys<Value> {
  readonly kept: Readonly<Record<string, Value>>;
  readonly notes: readonly string[];
}

/** `what`: as people find it in the source, such as `env`. */
export const leaveModelKeys = <Value>(map: Readonly<Record<string, Value>>, what: string): WithoutModelKeys<Value> => {
  const kept: [string, Value][] = [];
  const notes: string[] = [];
  for (const [key, value] of Object.entries(map)) {
    const variable = typeof value === "string" ? modelKeyIn(value) : null;
    if (variable === null) kept.push([key, value]);
    else
      notes.push(
        `${what} ${key} is left out: it would hand on ${variable}, a key of a model; add it by hand if it is meant`,
      );
  }
  return { kept: Object.fromEntries(kept), notes };
};
