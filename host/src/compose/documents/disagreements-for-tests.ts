/**
 * Whether the capability documents say the same, about themselves and about what `tools/list` says. Works on what a client
 * reads, so that it holds for every endpoint. Empty: they agree.
 */
import { isDeepStrictEqual } from "node:util";
import { templateMatches } from "./uri-patterns.ts";

type Json = Readonly<Record<string, any>>;

export interface ReadDocuments {
  readonly overview?: Json;
  readonly server: Json;
  readonly tools: Json;
  readonly resources: Json;
  readonly generators: Json;
  /** All pages of `tools/list` on the same endpoint. */
  readonly listed: readonly Json[];
}

export const disagreements = (read: ReadDocuments): readonly string[] => [
  ...aboutTools(read),
  ...aboutResources(read),
  ...aboutGenerators(read),
  ...aboutVersions(read),
  ...aboutOverview(read),
];

const differ = (what: string, ...values: readonly unknown[]): readonly string[] =>
  values.every((value) => value === values[0]) ? [] : [`${what}: ${values.map(String).join(", ")}`];

const aboutTools = ({ server, tools, listed }: ReadDocuments): readonly string[] => {
  const shelves = Object.entries(tools["tools_by_category"] as Record<string, readonly Json[]>);
  const shown = shelves.flatMap(([, entries]) => entries);
  const byName = new Map(shown.map((tool) => [tool["name"] as string, tool]));
  return [
    ...differ("tools", server["tool_count"], tools["metadata"].total_count, shown.length, listed.length, byName.size),
    ...shelves.filter(([, entries]) => entries.length === 0).map(([key]) => `category ${key} is empty`),
    ...shelves.flatMap(([key, entries]) =>
      entries.flatMap((tool) => differ(`category of ${tool["name"]}`, tool["category"], key)),
    ),
    ...listed.flatMap((tool) => aboutSchemas(tool, byName.get(tool["name"] as string))),
  ];
};

const aboutSchemas = (listed: Json, shown: Json | undefined): readonly string[] => {
  if (shown === undefined) return [`${listed["name"]} is listed and not shown`];
  const same = (mine: unknown, its: unknown, what: string): readonly string[] =>
    isDeepStrictEqual(mine, its ?? {}) ? [] : [`${what} of ${listed["name"]} is not the listed one`];
  return [
    ...same(shown["input_schema"], listed["inputSchema"], "input_schema"),
    ...same(shown["output_schema"], listed["outputSchema"], "output_schema"),
  ];
};

const aboutResources = ({ server, resources }: ReadDocuments): readonly string[] => {
  const families = Object.entries(resources["resources"] as Record<string, Json>);
  return [
    ...differ("resources", server["resource_count"], resources["metadata"].total_count, families.length),
    ...families.flatMap(([name, { patterns, examples }]) =>
      (examples as readonly string[])
        .filter((uri) => !(patterns as readonly string[]).some((pattern) => templateMatches(pattern, uri)))
        .map((uri) => `${uri} matches no pattern of ${name}`),
    ),
  ];
};

const aboutGenerators = ({ server, generators }: ReadDocuments): readonly string[] => {
  const all = Object.entries(generators["generators"] as Record<string, Json>);
  const { generator_count, builtin_count, plugin_count } = generators["metadata"];
  const builtin = all.filter(([, { source }]) => source === "builtin").length;
  return [
    ...differ("generators", server["generator_count"], generator_count, all.length, builtin_count + plugin_count),
    ...differ("built-in generators", builtin_count, builtin),
    ...all.flatMap(([key, { type }]) => differ(`type of ${key}`, type, key)),
    ...all.flatMap(([key, { docs_uri }]) => differ(`docs_uri of ${key}`, docs_uri, `generator://${key}`)),
    ...(Object.hasOwn(generators["generators"], generators["selection_strategy"].fallback)
      ? []
      : ["the fallback is no generator"]),
  ];
};

const aboutVersions = ({ server, tools, resources, generators }: ReadDocuments): readonly string[] =>
  differ("versions", server["version"], ...[tools, resources, generators].map(({ metadata }) => metadata.version));

const aboutOverview = ({ overview, server, tools, resources, generators }: ReadDocuments): readonly string[] => {
  if (overview === undefined) return [];
  const count = (type: string): unknown =>
    (overview["entries"] as readonly Json[]).find(({ uri }) => uri === `capabilities://${type}`)?.["count"];
  return [
    ...differ("version of the overview", overview["version"], server["version"]),
    ...differ("tools of the overview", count("tools"), tools["metadata"].total_count),
    ...differ("resources of the overview", count("resources"), resources["metadata"].total_count),
    ...differ("generators of the overview", count("generators"), generators["metadata"].generator_count),
  ];
};
