/** Saved configs, checked as they are read: what comes from here is valid for the generators that there are now. */
import { ComposeError, type ComposeCode } from "../compose-error.ts";
import { checkConfigId } from "../configs/config-id.ts";
import type { ArtifactConfig, ConfigType, ContentConfig } from "../configs/config-types.ts";
import type { Violation } from "../configs/config-reading.ts";
import type { SavedConfig, SavedConfigs } from "../storage/saved-configs.ts";
import type { CheckedConfig, Configs, GeneratorBook } from "../workbench.ts";
import { checkAgainst } from "./check-against.ts";
import { configNotFound } from "./config-not-found.ts";
import { tellViolations } from "./tell-violations.ts";

export interface ConfigsOptions {
  readonly saved: SavedConfigs;
  readonly generators: Pick<GeneratorBook, "look">;
}

/** What cannot be done with one that is saved and not valid. The same in every tool. */
const FAULTY: Readonly<Record<ConfigType, ComposeCode>> = {
  content: "generation_failed",
  artifact: "assembly_failed",
};

export const createConfigs = ({ saved, generators }: ConfigsOptions): Configs => {
  const read = async <Config>(type: ConfigType, given: string): Promise<CheckedConfig<Config>> => {
    const id = checkConfigId(given);
    const found = await saved.find(type, id);
    if (found === null) throw await configNotFound(saved, id, type);
    const reading = checkAgainst(await generators.look()).saved(type, found);
    if (reading.errors.length > 0) throw faulty(type, found, reading.errors);
    // The name of the file decides, so that one config never takes the place of another.
    return { config: { ...found.data, id } as Config, saved: found, reading };
  };
  return {
    content: (id) => read<ContentConfig>("content", id),
    artifact: (id) => read<ArtifactConfig>("artifact", id),
    check: async (type, data) => checkAgainst(await generators.look()).check(type, data),
  };
};

const faulty = (type: ConfigType, { id, path, data }: SavedConfig, violations: readonly Violation[]): ComposeError =>
  new ComposeError(FAULTY[type], `The ${type} config "${id}" is not valid: ${tellViolations(violations)}.`, {
    config_id: id,
    path,
    violations,
    next:
      data === null
        ? `Mend ${path} in the first root.`
        : `Call modify_config with config_id "${id}" and updates that mend it, then save_config with overwrite true.`,
  });
