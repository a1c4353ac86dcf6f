/** How many rows a tool that lists gives at most. */
export const LIMIT = {
  type: "integer",
  minimum: 1,
  maximum: 500,
  default: 100,
  description: "How many are given at most",
} as const;
