/**
 * A schema that takes every result. Both major versions of the MCP library want one with a method of somebody's own, the
 * first in the manner of zod, the second as a Standard Schema; results are looked at here, by the one who asked.
 */
export const ANY_RESULT = Object.freeze({
  parse: (data: unknown): unknown => data,
  safeParse: (data: unknown): object => ({ success: true, data }),
  "~standard": Object.freeze({
    version: 1,
    vendor: "bailiwick",
    validate: (value: unknown): object => ({ value }),
  }),
});
