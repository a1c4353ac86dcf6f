/** Through which model provider code is generated, and what its key is called: a variable or a key of the file, never the value. */
import type { Config } from "@bailiwick/contract";
import { BUILT_IN_GENERATORS } from "./built-in-generators.ts";
import type { GeneratorEntry } from "./generator-entry.ts";

export type CodeGenerationConfig = Pick<Config, "model" | "providers" | "compose">;

export interface CodeProvider {
  readonly name: string;
  /** Null: it needs none. */
  readonly credential: string | null;
}

const ANTHROPIC = "anthropic";
const ONE_REFERENCE = /^\$\{env:([^}]+)\}$/;

export const codeProvider = ({ model, providers, compose }: CodeGenerationConfig): CodeProvider => {
  const name = compose.codeGeneration.provider ?? ANTHROPIC;
  const entry = Object.hasOwn(providers, name) ? providers[name] : undefined;
  const variable = ONE_REFERENCE.exec(entry?.apiKey ?? "")?.[1];
  if (variable !== undefined) return { name, credential: variable };
  if (name === ANTHROPIC) return { name, credential: "ANTHROPIC_API_KEY" };
  if (entry !== undefined) {
    const needsKey = entry.type === "anthropic" || entry.apiKey !== undefined;
    return { name, credential: needsKey ? `providers.${name}.apiKey` : null };
  }
  return { name, credential: name === model.provider && model.apiKey !== undefined ? "model.apiKey" : null };
};

/** The generator as it is described, with the provider that it really has. */
export const codeGenerationEntry = ({ name, credential }: CodeProvider): GeneratorEntry => {
  const described = BUILT_IN_GENERATORS.find(({ type }) => type === "code_generation")!;
  const names = credential === null ? [] : [credential];
  // What is no variable cannot be set in the environment.
  const variables = names.filter((one) => !one.endsWith(".apiKey"));
  return {
    ...described,
    requirements: { ...described.requirements, dependencies: [name], env_vars: variables },
    upstream_dependencies: { ...described.upstream_dependencies!, services: [name], credentials_required: names },
  };
};
