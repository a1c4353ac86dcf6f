/**
 * One provider's entries as they are listed: the upstream's text with the name replaced and, where something keeps the
 * tool from running, the reason in `_meta`. Done once per catalogue and status, not per list.
 */
import { hash } from "node:crypto";
import type { Catalogue, ListedTool, Provider } from "../../kernel/provider.ts";
import { rawJson, rawMembers, type RawJson } from "../../kernel/raw-json.ts";
import { dropHostMembers } from "../../kernel/drop-host-members.ts";
import { insertMembers, membersOf } from "../../kernel/scan-json.ts";
import type { Lifecycle } from "../../kernel/stages.ts";
import { flatName, listedName } from "./flat-name.ts";

export interface SheetTool {
  readonly flat: string;
  readonly tool: ListedTool;
  readonly lifecycle: Lifecycle;
  readonly provider: string;
  readonly since: number;
  /** As listed on `/mcp` and on the provider's own endpoint. */
  readonly json: () => RawJson;
  readonly ownJson: () => RawJson;
}

export interface SheetEntry {
  readonly flat: string;
  readonly name: string;
  readonly json: RawJson;
  readonly ownJson: RawJson;
}

/** A provider's page of the sheet. */
export interface Page {
  readonly provider: Provider;
  readonly catalogue: Catalogue;
  readonly digest: string;
  readonly starting: boolean;
  readonly tools: ReadonlyMap<string, SheetTool>;
  /** Flat aliases of names that are too long. */
  readonly aliases: ReadonlyMap<string, string>;
  readonly prompts: ReadonlyMap<string, SheetEntry>;
  readonly resources: readonly SheetEntry[];
  readonly templates: readonly SheetEntry[];
}

export interface RenderOptions {
  readonly maxNameLength: number;
  readonly lifecycleOf: (provider: Provider, tool: ListedTool) => Lifecycle;
}

/** `entry` with the value of one member replaced and `meta` put into its `_meta`. */
const rewrite = (entry: RawJson, name: { key: string; value: string } | null, meta: string): RawJson => {
  const members = membersOf(entry);
  const metaMember = members.find((member) => member.key === "_meta");
  const nameMember = name && members.find((member) => member.key === name.key);
  const edits: { start: number; end: number; text: string }[] = [];
  if (nameMember) edits.push({ ...nameMember, text: JSON.stringify(name.value) });
  const inPlace = metaMember && entry[metaMember.start] === "{";
  if (inPlace) {
    const own = dropHostMembers(rawJson(entry.slice(metaMember.start, metaMember.end)));
    edits.push({ ...metaMember, text: insertMembers(own, rawMembers(meta)) });
  }
  const edited = edits
    .toSorted((a, b) => b.start - a.start)
    .reduce((text, edit) => text.slice(0, edit.start) + edit.text + text.slice(edit.end), entry as string);
  return inPlace || meta === "" ? rawJson(edited) : insertMembers(rawJson(edited), rawMembers(`"_meta":{${meta}}`));
};

const lifecycleMeta = (lifecycle: Lifecycle, since: number): string => {
  if (lifecycle.state === "invokable") return "";
  const { state, reason, next } = lifecycle;
  const object = { state, reason, since: new Date(since).toISOString(), retryable: state !== "disabled", next };
  return `"dev.bailiwick/lifecycle":${JSON.stringify(object)}`;
};

const once = <T>(make: () => T): (() => T) => {
  let made: T | undefined;
  return () => (made ??= make());
};

const renderTool = (provider: Provider, tool: ListedTool, options: RenderOptions): SheetTool => {
  const flat = flatName(provider.name, tool.name);
  const lifecycle = options.lifecycleOf(provider, tool);
  const { since } = provider.status();
  const state = lifecycleMeta(lifecycle, since);
  const listed = listedName(flat, options.maxNameLength);
  const alias = listed === flat ? "" : `"dev.bailiwick/name":${JSON.stringify(flat)}`;
  const meta = [alias, state].filter((part) => part !== "").join(",");
  return {
    flat,
    tool,
    lifecycle,
    provider: provider.name,
    since,
    json: once(() => rewrite(tool.json, { key: "name", value: listed }, meta)),
    ownJson: once(() => rewrite(tool.json, null, state)),
  };
};

const byName = <T extends { name: string }>(items: readonly T[]): readonly T[] =>
  items.toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));

export const renderProvider = (provider: Provider, options: RenderOptions): Page => {
  const catalogue = provider.catalogue();
  const { state, reason } = provider.status();
  const tools = byName(catalogue.tools).map((tool) => renderTool(provider, tool, options));
  const owner = `"dev.bailiwick/provider":${JSON.stringify(provider.name)}`;
  const resource = (uri: string, json: RawJson): SheetEntry => ({
    flat: `${provider.name}:resources`,
    name: uri,
    json: rewrite(json, null, owner),
    ownJson: rewrite(json, null, ""),
  });
  const prompts = byName(catalogue.prompts).map(({ name, json }): SheetEntry => {
    const flat = flatName(provider.name, name);
    return { flat, name, json: rewrite(json, { key: "name", value: flat }, ""), ownJson: rewrite(json, null, "") };
  });
  const listed = [...catalogue.tools.map((tool) => tool.definition), ...catalogue.prompts.map((prompt) => prompt.json)];
  const uris = [...catalogue.resources.map((item) => item.json), ...catalogue.templates.map((item) => item.json)];
  return {
    provider,
    catalogue,
    digest: hash("sha256", JSON.stringify([provider.name, state, reason, listed, uris])),
    starting: state === "starting",
    tools: new Map(tools.map((entry) => [entry.tool.name, entry])),
    aliases: aliasesOf(tools, options.maxNameLength),
    prompts: new Map(prompts.map((entry) => [entry.name, entry])),
    resources: catalogue.resources.map((item) => resource(item.uri, item.json)),
    templates: catalogue.templates.map((item) => resource(item.uriTemplate, item.json)),
  };
};

const aliasesOf = (tools: readonly SheetTool[], maxLength: number): ReadonlyMap<string, string> =>
  new Map(
    tools
      .filter((entry) => entry.flat.length > maxLength)
      .map((entry) => [listedName(entry.flat, maxLength), entry.tool.name]),
  );
