/**
 * The resource families of other providers, from what they list: one for each scheme. What a provider writes is shown and
 * never believed: no family takes the name of one that is there already.
 */
import { templateMatches, templateParameters } from "./uri-patterns.ts";
import type { FamilyParameter, ResourceFamily } from "./resource-family.ts";

export interface ListedUri {
  readonly provider: string;
  /** A URI, or a template, as the endpoint shows it. */
  readonly uri: string;
  readonly isTemplate: boolean;
  readonly mimeType: string | null;
  /** True: it can be read now. */
  readonly readable: boolean;
}

/** More would not teach anybody the scheme; the lists have them all. */
const MAX_PATTERNS = 50;
const MAX_EXAMPLES = 3;
/** Of the URIs of one scheme. */
const MAX_LOOKED_AT = 500;
const ANY_TYPE = "*/*";
const SCHEME = /^([A-Za-z][A-Za-z0-9+.-]*):/;

export const listedFamilies = (listed: readonly ListedUri[], taken: ReadonlySet<string>): readonly ResourceFamily[] => {
  const families = new Map<string, ListedUri[]>();
  for (const one of listed) {
    const scheme = SCHEME.exec(one.uri)?.[1]?.toLowerCase();
    if (scheme === undefined) continue;
    const name = taken.has(scheme) ? `${scheme}@${one.provider}` : scheme;
    const members = families.get(name);
    if (members === undefined) families.set(name, [one]);
    else members.push(one);
  }
  return [...families].map(([name, members]) => familyOf(name, members));
};

const familyOf = (name: string, members: readonly ListedUri[]): ResourceFamily => {
  const templates = unique(members.filter(({ isTemplate }) => isTemplate).map(({ uri }) => uri)).slice(0, MAX_PATTERNS);
  const concrete = members.filter(({ isTemplate }) => !isTemplate).slice(0, MAX_LOOKED_AT);
  // A URI that no template has is a pattern of its own.
  const patterns = [...templates];
  for (const { uri } of concrete) {
    if (patterns.length >= MAX_PATTERNS) break;
    if (!patterns.some((pattern) => templateMatches(pattern, uri))) patterns.push(uri);
  }
  const matches = (uri: string): boolean => patterns.some((pattern) => templateMatches(pattern, uri));
  return {
    name,
    patterns,
    mimeType: typeOf(members),
    description: describe(members),
    parameters: parametersOf(templates),
    examples: firstOf(concrete, ({ uri, readable }) => readable && matches(uri)),
  };
};

const unique = (texts: readonly string[]): readonly string[] => [...new Set(texts)];

const firstOf = (listed: readonly ListedUri[], fits: (one: ListedUri) => boolean): readonly string[] => {
  const found = new Set<string>();
  for (const one of listed) {
    if (found.size >= MAX_EXAMPLES) break;
    if (fits(one)) found.add(one.uri);
  }
  return [...found];
};

const typeOf = (members: readonly ListedUri[]): string => {
  const types = new Set(members.map(({ mimeType }) => mimeType ?? ANY_TYPE));
  return types.size === 1 ? ([...types][0] ?? ANY_TYPE) : ANY_TYPE;
};

const describe = (members: readonly ListedUri[]): string => {
  const providers = unique(members.map(({ provider }) => provider));
  const named = providers.slice(0, 10).join(", ");
  const more = providers.length > 10 ? ` and ${providers.length - 10} more` : "";
  return `Resources of ${named}${more}. resources/list and resources/templates/list have them one by one.`;
};

const parametersOf = (templates: readonly string[]): Readonly<Record<string, FamilyParameter>> => {
  const names = unique(templates.flatMap(templateParameters));
  return Object.fromEntries(
    names.map((name) => [name, { type: "string", description: `The ${name} of a resource.` } as const]),
  );
};
