/** Where the program that runs plug-in generators lies, whether the host runs from its sources, its modules or its bundle. */
import { fileURLToPath } from "node:url";

const isModule = /\/compose\/plugins\/locate-generator-runner\.[jt]s$/.test(import.meta.url);

export const GENERATOR_RUNNER = fileURLToPath(
  new URL(isModule ? "../../../runner/generator-runner.mjs" : "../../runner/generator-runner.mjs", import.meta.url),
);
