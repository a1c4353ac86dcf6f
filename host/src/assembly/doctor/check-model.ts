/** Whether the agent has a model: what is configured, and whether its endpoint answers and takes the key. Only chat needs one. */
import { askEndpoint } from "../../agent/model/ask-endpoint.ts";
import { createModels } from "../../agent/model/create-models.ts";
import type { LoadedConfig } from "../load-config.ts";
import { ok, warn, type Check } from "./check.ts";

const NAME = "model";
const KEYS = ["/model", "/providers", "/defaultModel"];

export const checkModel = async (
  { config }: Pick<LoadedConfig, "config">,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Check> => {
  const { defaultModel, given } = config;
  const fault = createModels({ config, env }).unconfigured(defaultModel);
  if (fault !== null) {
    // Who never asked for one is not told that it is missing.
    if (!KEYS.some((key) => given.includes(key))) return ok(NAME, `none; chat alone needs one. ${fault}`);
    return warn(NAME, fault, "Set what it names; everything but chat works without it.");
  }
  const { provider, host, keyPlace, status } = await askEndpoint({ config, env });
  const who = `the model provider "${provider}" at ${host}`;
  if (status === null)
    return warn(NAME, `${who} does not answer.`, "Check that it runs, and that its baseURL is right.");
  if (status === 401 || status === 403) {
    return warn(
      NAME,
      `${who} refuses the key (${status}).`,
      `Set the right key in ${keyPlace}, and start the host again.`,
    );
  }
  if (status >= 500) return warn(NAME, `${who} answers ${status}.`, "Try again later, or choose another model.");
  return ok(NAME, `${defaultModel}, by ${who}`);
};
