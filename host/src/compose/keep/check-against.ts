/** What is wrong with a config, for the generators that there are now. */
import { nearest } from "@bailiwick/contract";
import { checkConfig } from "../configs/check-config.ts";
import type { ConfigReading, ConfigWarning } from "../configs/config-reading.ts";
import type { ConfigType } from "../configs/config-types.ts";
import type { SavedConfig } from "../storage/saved-configs.ts";
import type { GeneratorsSeen } from "../workbench.ts";
import { generatorOf } from "./generator-of.ts";
import { itemsOf, membersOf, textOf } from "./saved-members.ts";

const MAX_DISTANCE = 3;
const MAX_TOLD = 100;

export interface Checks {
  check(type: ConfigType, data: unknown): ConfigReading;
  /** Also of a file that is no config at all. */
  saved(type: ConfigType, saved: SavedConfig): ConfigReading;
}

export const checkAgainst = (seen: GeneratorsSeen): Checks => {
  const choose = generatorOf(seen);
  const types = seen.generators.map(({ entry }) => entry.type);
  const check = (type: ConfigType, data: unknown): ConfigReading => {
    const reading = checkConfig(type, data, choose);
    const isUnknown = type === "content" && reading.errors.length === 0 && choose(data) === null;
    return isUnknown ? { ...reading, warnings: [...reading.warnings, unknownGenerator(data, types)] } : reading;
  };
  return {
    check,
    saved: (type, { id, data, fault }) => {
      if (data === null) return { errors: [{ pointer: "", message: fault ?? "it cannot be read" }], warnings: [] };
      const reading = check(type, data);
      const isOther = reading.errors.length === 0 && data["id"] !== id;
      return isOther ? { ...reading, warnings: [...reading.warnings, otherId(id)] } : reading;
    },
  };
};

const unknownGenerator = (data: unknown, types: readonly string[]): ConfigWarning => {
  const [first] = itemsOf(membersOf(data, "generation"), "patterns");
  const type = textOf(first, "type") ?? "";
  const near = nearest(type, types, MAX_DISTANCE);
  const hint = near === null ? `There are: ${types.join(", ")}.` : `Did you mean ${JSON.stringify(near)}?`;
  return {
    code: "unsupported_field",
    pointer: "/generation/patterns/0/type",
    message: `There is no generator ${JSON.stringify(type.slice(0, MAX_TOLD).toWellFormed())} now. ${hint}`,
  };
};

const otherId = (id: string): ConfigWarning => ({
  code: "unsupported_field",
  pointer: "/id",
  message: `Its file is named for ${JSON.stringify(id)}, and that is its id here.`,
});
