/** What a loaded configuration says that a person should look at. Pure. */
import { formatFinding } from "@bailiwick/contract";
import type { LoadedConfig } from "../load-config.ts";
import { fail, ok, warn, type Check } from "./check.ts";
import { findLiteralSecrets } from "./find-literal-secrets.ts";

const NAME = "config";

export const checkConfig = ({
  config,
  file,
  baseDir,
  warnings,
  notes,
  unavailable,
}: LoadedConfig): readonly Check[] => {
  const found =
    file ?? `no file, all defaults; the first that is found is read: ./bailiwick.json, ${baseDir}/bailiwick.json`;
  return [
    ok(NAME, found),
    ...warnings.map((finding) => warn(NAME, formatFinding(finding), `Correct or remove it in ${file ?? "the file"}.`)),
    ...notes.map((finding) => ok(NAME, formatFinding(finding))),
    ...unavailable.map((feature) =>
      feature.blocking
        ? fail(NAME, formatFinding(feature), `Take ${feature.pointer} out; the host does not start with it.`)
        : warn(NAME, formatFinding(feature), `Nothing, or take ${feature.pointer} out until it is there.`),
    ),
    ...findLiteralSecrets(config).map(({ pointer, variable }) =>
      warn(
        NAME,
        `${pointer}: a secret stands in the file itself.`,
        `Put it into an environment variable and write "\${env:${variable}}" instead.`,
      ),
    ),
  ];
};
