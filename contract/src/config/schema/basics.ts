/**
 * Building blocks of the configuration schema. Each says in its `error` what it expects; the reader adds what was found.
 */
import * as z from "zod/mini";
import { _default as withDefault } from "zod/mini";

export { withDefault };

/** The longest time a timer takes: above it Node fires at once. */
export const MAX_MS = 2_147_483_647;
export const MAX_SECONDS = 2_147_483;
/** Just under the longest string the engine can hold. */
export const MAX_BYTES = 500_000_000;

export const integer = (min: number, max = Number.MAX_SAFE_INTEGER) => {
  const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
  const error = `expected an integer ${range}`;
  return z.int({ error }).check(z.gte(min, { error }), z.lte(max, { error }));
};

const matching = (test: (text: string) => boolean, error: string) =>
  z.string({ error }).check(z.refine(test, { error }));

// oxlint-disable-next-line no-control-regex -- refusing control characters is the point
const CONTROL = /[\u0000-\u001f\u007f]/;

/** One line of text that is not blank. */
export const line = matching(
  (text) => text.trim() !== "" && !CONTROL.test(text),
  "expected a line of text that is not blank",
);
export const path = matching((text) => text !== "" && !text.includes("\0"), "expected a path");
export const lines = withDefault(z.array(line), []);

const isUrl = (text: string): boolean => {
  const url = URL.parse(text);
  return url !== null && (url.protocol === "https:" || url.protocol === "http:") && url.hostname !== "";
};
export const url = matching(isUrl, "expected an http: or https: URL");
export const origin = matching(
  (text) => isUrl(text) && new URL(text).origin === text,
  "expected an origin, scheme, name and port only, such as https://host.example:8443",
);

export const port = integer(0, 65_535);

const CIDR = "expected an address range such as 10.0.0.0/8 or fd00::/8";
export const cidr = z.union([z.cidrv4(), z.cidrv6()], { error: CIDR });

/** Names and values for a process: neither may hold NUL, and `=` ends a name. */
const variableName = matching(
  (text) => text !== "" && !/[=\0]/.test(text),
  "expected the name of an environment variable",
);
const variableValue = matching((text) => !text.includes("\0"), "expected a string without NUL");
export const variables = withDefault(z.record(variableName, variableValue), {});
export const variableNames = withDefault(z.array(variableName), []);

const headerName = matching(
  (text) => /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(text),
  "expected the name of an HTTP header",
);
const headerValue = matching((text) => !/[\0\r\n]/.test(text), "expected the value of an HTTP header, on one line");
export const header = { name: headerName, value: headerValue };
export const headers = withDefault(z.record(headerName, headerValue), {});

export const flag = (fallback: boolean) => withDefault(z.boolean(), fallback);
