/**
 * How the descriptor of an MCP registry wants a package of npm to be started: fixed arguments, and variables, of which those
 * without a value become fields that a person fills in. Pure.
 */
import { objectsIn, textOf } from "./registry-json.ts";
import type { NpmStart } from "./registry.ts";

type Json = Readonly<Record<string, unknown>>;

export const PLAIN_START: NpmStart = { args: [], env: {}, userConfig: {}, meta: null };

const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]{0,100}$/;

export const readNpmStart = (item: Json, meta: NpmStart["meta"]): NpmStart => ({
  args: objectsIn(item["packageArguments"]).flatMap(readArgument),
  ...readVariables(objectsIn(item["environmentVariables"])),
  meta,
});

/** A value with variables of its own in it is none yet. */
const valueOf = (input: Json): string | null => {
  const value = input["value"] ?? input["default"];
  return typeof value === "string" && !/\{[^{}]*\}/.test(value) ? value : null;
};

const readArgument = (argument: Json): string[] => {
  const value = valueOf(argument);
  if (argument["type"] === "positional") return value === null ? [] : [value];
  const { name } = argument;
  if (argument["type"] !== "named" || typeof name !== "string" || !name.startsWith("-")) return [];
  return value === null ? [] : [name, value];
};

const readVariables = (inputs: readonly Json[]): Pick<NpmStart, "env" | "userConfig"> => {
  const env: Record<string, string> = {};
  const userConfig: Record<string, object> = {};
  for (const input of inputs) {
    const { name } = input;
    if (typeof name !== "string" || !VARIABLE.test(name)) continue;
    const value = valueOf(input);
    const isFixed = typeof input["value"] === "string" && value !== null;
    env[name] = isFixed ? value : `\${user_config.${name}}`;
    if (isFixed) continue;
    userConfig[name] = {
      type: "string",
      title: name,
      description: textOf(input["description"], 500) ?? name,
      required: input["isRequired"] === true,
      sensitive: input["isSecret"] === true,
      ...(value === null ? {} : { default: value }),
    };
  }
  return { env, userConfig };
};
