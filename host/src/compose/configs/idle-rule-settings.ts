/** What a rule of a config says in `check_config` that its kind of check does not look at. Pure. */
import { stepInto } from "../../kernel/read-yaml.ts";
import type { ConfigWarning } from "./config-reading.ts";
import type { ConfigRule } from "./config-types.ts";

const READ: Readonly<Record<ConfigRule["check_type"], readonly string[]>> = {
  presence: [],
  format: ["pattern", "regex"],
  syntax: ["format", "language"],
};

export const idleRuleSettings = (rules: readonly ConfigRule[]): ConfigWarning[] =>
  rules.flatMap(({ check_type: type, check_config: config }, at) =>
    Object.keys(config)
      .filter((key) => !READ[type].includes(key) && !key.startsWith("x-"))
      .map((key) => ({
        code: "unsupported_field" as const,
        pointer: stepInto(`/validation/rules/${at}/check_config`, key),
        message: `A rule of the kind ${type} reads ${READ[type].join(" or ") || "nothing there"}.`,
      })),
  );
