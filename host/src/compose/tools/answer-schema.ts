/** The schema of an answer: what was made, or why not. One of the two is there, and `success` says which. */

type Properties = Readonly<Record<string, object>>;

const ERROR = {
  type: "object",
  description: "Why there is none; only where success is false",
  properties: {
    code: { type: "string", description: "One of the codes of this tool" },
    message: { type: "string", description: "The same for people" },
    details: { type: "object", description: "More of it; next is the call that helps, where there is one" },
  },
  required: ["code", "message", "details"],
} as const;

/** `required`: those that a successful answer always has. */
export const answerSchema = (
  properties: Properties,
  required: readonly string[] = Object.keys(properties),
): object => ({
  type: "object",
  properties: {
    success: { type: "boolean", description: "Whether it was done" },
    ...properties,
    duration_ms: { type: "number", minimum: 0, description: "How long it took" },
    error: ERROR,
  },
  required: ["success"],
  if: { properties: { success: { const: true } } },
  // oxlint-disable-next-line unicorn/no-thenable -- a word of JSON Schema
  then: { required: [...required, "duration_ms"] },
  else: { required: ["error"] },
});
