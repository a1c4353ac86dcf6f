/** A value found in a configuration file, as a message may show it: short, on one line, and only its type if it may be a secret. */
const SECRET = [
  /^\/bundles\/\d+\/(?:env|userConfig)(?:\/|$)/,
  /^\/bundles\/\d+\/transport(?:\/headers(?:\/.*)?|\/auth(?:\/(?:token|value|clientSecret))?)?$/,
  /^\/providers\/[^/]+(?:\/(?!type$).*)?$/,
  /^\/model(?:\/(?:apiKey|baseURL))?$/,
  /^\/storage(?:\/url)?$/,
  /^\/auth(?:\/chpKeys.*)?$/,
];

const SHOWN = 60;

const typeName = (value: unknown): string => {
  if (value === null) return "null";
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list";
  if (typeof value === "object") return "an object";
  return `a ${typeof value}`;
};

/** User info, query and fragment of a URL are where credentials hide. */
const URL_ENTRY = /^\/bundles\/\d+\/url$/;

const isSecret = (value: unknown, pointer: string): boolean =>
  URL_ENTRY.test(pointer)
    ? typeof value === "string" && /[@?#]/.test(value)
    : SECRET.some((pattern) => pattern.test(pointer));

export const showValue = (value: unknown, pointer: string): string => {
  if (value === null || typeof value === "object") return typeName(value);
  if (isSecret(value, pointer)) return typeName(value);
  if (typeof value !== "string") return JSON.stringify(value);
  return value.length > SHOWN ? `${JSON.stringify(value.slice(0, SHOWN))}…` : JSON.stringify(value);
};
