/**
 * One provider's page of the sheet: its entries as they are listed and found. Done once per catalogue and status, not per
 * list.
 */
import { hash } from "node:crypto";
import type { Catalogue, Provider } from "../../kernel/provider.ts";
import type { RawJson } from "../../kernel/raw-json.ts";
import type { UriOwners } from "../../kernel/uri-owners.ts";
import { flatName, listedName } from "./flat-name.ts";
import { once } from "./once.ts";
import { renderResource, type SheetResource } from "./render-resource.ts";
import { renderTool, type SheetTool, type ToolRules } from "./render-tool.ts";
import { spliceEntry } from "./splice-entry.ts";
import { uriReach, type UriReach } from "./uri-reach.ts";

export interface SheetPrompt {
  readonly flat: string;
  readonly name: string;
  readonly json: () => RawJson;
  readonly ownJson: () => RawJson;
}

export interface Page {
  readonly provider: Provider;
  readonly catalogue: Catalogue;
  readonly digest: string;
  readonly starting: boolean;
  /** When it is another one with nothing having happened: a tool is withdrawn then. Infinity: never. */
  readonly turnsAt: number;
  readonly tools: ReadonlyMap<string, SheetTool>;
  /** Flat aliases of names that are too long. */
  readonly aliases: ReadonlyMap<string, string>;
  readonly prompts: ReadonlyMap<string, SheetPrompt>;
  /** By the provider's own URI. */
  readonly resources: ReadonlyMap<string, SheetResource>;
  readonly templates: ReadonlyMap<string, SheetResource>;
  /** By the URI of its `SKILL.md`. */
  readonly skills: ReadonlyMap<string, SheetResource>;
  readonly reach: UriReach;
}

export interface RenderOptions extends ToolRules {
  readonly owners: UriOwners;
}

const byName = <T extends { name: string }>(items: readonly T[]): readonly T[] =>
  items.toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));

const keyed = <T extends { uri: string }>(items: readonly T[]): ReadonlyMap<string, T> =>
  new Map(items.map((item) => [item.uri, item]));

const renderPrompt = (provider: string, { name, json }: Catalogue["prompts"][number]): SheetPrompt => {
  const flat = flatName(provider, name);
  return {
    flat,
    name,
    json: once(() => spliceEntry(json, { name: flat, meta: "" })),
    ownJson: once(() => spliceEntry(json, { name: null, meta: "" })),
  };
};

export const renderProvider = (provider: Provider, options: RenderOptions): Page => {
  const catalogue = provider.catalogue();
  const tools = byName(catalogue.tools).map((tool) => renderTool(provider, tool, options));
  const prompts = byName(catalogue.prompts).map((prompt) => renderPrompt(provider.name, prompt));
  const resources = catalogue.resources.map((entry) =>
    renderResource(provider, { kind: "resource", uri: entry.uri, entry }, options.owners),
  );
  const templates = catalogue.templates.map((entry) =>
    renderResource(provider, { kind: "template", uri: entry.uriTemplate, entry }, options.owners),
  );
  const skills = (catalogue.skills ?? []).map((entry) =>
    renderResource(provider, { kind: "skill", uri: entry.uri, entry }, options.owners),
  );
  return {
    provider,
    catalogue,
    digest: digestOf(provider, tools, { catalogue, resources: [...resources, ...templates, ...skills] }),
    starting: provider.status().state === "starting",
    turnsAt: turnOf(tools),
    tools: new Map(tools.map((entry) => [entry.tool.name, entry])),
    aliases: aliasesOf(tools, options.maxNameLength),
    prompts: new Map(prompts.map((entry) => [entry.name, entry])),
    resources: keyed(resources),
    templates: keyed(templates),
    skills: keyed(skills),
    reach: uriReach([...resources, ...skills], templates),
  };
};

interface Shelf {
  readonly catalogue: Catalogue;
  readonly resources: readonly SheetResource[];
}

const digestOf = (provider: Provider, entries: readonly SheetTool[], { catalogue, resources }: Shelf): string => {
  const { state, reason } = provider.status();
  const listed = [...entries.map(saidOf), ...catalogue.prompts.map((prompt) => prompt.json)];
  const { resources: listedResources, templates, skills } = catalogue;
  const uris = [...listedResources, ...templates, ...(skills ?? [])].map((item) => item.json);
  const claims = resources.filter(({ claim }) => claim !== "own").map(({ claim, uri }) => [claim, uri]);
  return hash("sha256", JSON.stringify([provider.name, state, reason, listed, uris, claims]));
};

/** What a list says of a tool; of most their definition says all of it. */
const saidOf = ({ tool: { definition, held, barred }, overlaid, lifecycle, requirements }: SheetTool): unknown => {
  const needs = requirements === null || requirements.required.length === 0 ? null : requirements;
  if (overlaid === null && barred === undefined && needs === null)
    return held === undefined ? definition : [definition, held];
  return [definition, held ?? null, overlaid, lifecycle.state, barred ?? null, needs];
};

const turnOf = (entries: readonly SheetTool[]): number => {
  let turn = Infinity;
  for (const { overlaid, lifecycle } of entries)
    if (overlaid?.sunset != null && lifecycle.state !== "disabled") turn = Math.min(turn, overlaid.sunset);
  return turn;
};

const aliasesOf = (tools: readonly SheetTool[], maxLength: number): ReadonlyMap<string, string> =>
  new Map(
    tools
      .filter((entry) => entry.flat.length > maxLength)
      .map((entry) => [listedName(entry.flat, maxLength), entry.tool.name]),
  );
