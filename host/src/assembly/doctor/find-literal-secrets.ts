/** Values in the configuration that look like secrets and are written out instead of referred to. Names places, never values. Pure. */
import type { BundleEntry, Config } from "@bailiwick/contract";
import { looksSecret } from "../../kernel/looks-secret.ts";

export interface LiteralSecret {
  readonly pointer: string;
  /** A name for the variable that could hold it. */
  readonly variable: string;
}

const REFERENCE = /\$\{env:[^}]+\}/;

export const findLiteralSecrets = (config: Config): readonly LiteralSecret[] => [
  ...config.bundles.flatMap((entry, index) => ofEntry(entry, `/bundles/${index}`)),
  ...Object.entries(config.providers ?? {}).flatMap(([name, provider]) =>
    ofMap({ apiKey: provider.apiKey }, `/providers/${name}`, `${name}_`).concat(
      ofMap(provider.headers ?? {}, `/providers/${name}/headers`, `${name}_`),
    ),
  ),
  ...ofMap({ apiKey: config.model?.apiKey }, "/model", "model_"),
];

const ofEntry = (entry: BundleEntry, pointer: string): readonly LiteralSecret[] => {
  if (entry.kind !== "url") {
    return [...ofMap(entry.env, `${pointer}/env`), ...ofMap(entry.userConfig, `${pointer}/userConfig`)];
  }
  const { auth, headers } = entry.transport;
  const prefix = `${entry.serverName}_`;
  const isLiteral = auth.type === "header" && auth.value !== "" && !REFERENCE.test(auth.value);
  return [
    ...(isLiteral
      ? [{ pointer: `${pointer}/transport/auth/value`, variable: variableOf(`${prefix}${auth.name}`) }]
      : []),
    ...ofMap(auth, `${pointer}/transport/auth`, prefix),
    ...ofMap(headers, `${pointer}/transport/headers`, prefix),
  ];
};

const ofMap = (map: object, pointer: string, prefix = ""): LiteralSecret[] =>
  Object.entries(map).flatMap(([name, value]: [string, unknown]) => {
    if (typeof value !== "string" || value === "" || !looksSecret(name, value) || REFERENCE.test(value)) return [];
    return [{ pointer: `${pointer}/${name}`, variable: variableOf(`${prefix}${name}`) }];
  });

const variableOf = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replace(/[^A-Za-z0-9]+/g, "_")
    .toUpperCase();
