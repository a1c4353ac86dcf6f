/** Why nothing is called by a name: out of scope, for others, not listed yet, ambiguous, or unknown, with what it may be. */
import type { Provider } from "../../kernel/provider.ts";
import { Refusal } from "../../kernel/refusal.ts";
import type { Identified } from "../../kernel/stages.ts";
import type { Sheets } from "./create-surfaces.ts";
import { flatName, splitFlatName } from "./flat-name.ts";
import { NotYetListed } from "./not-yet-listed.ts";
import type { Sheet } from "./sheet.ts";
import { suggestNames } from "./suggest-names.ts";
import { ambiguous, BarredActor, notVisible } from "./surface-refusals.ts";

export const refuseName = (call: Identified, sheet: Sheet, sheets: Pick<Sheets, "providers">): never => {
  const flat = flatOf(call, sheet);
  const forApps = call.operation === "call" ? sheet.providersForApps(call.name) : [];
  if (forApps.length > 1) throw ambiguous(call.name, forApps);
  if (!sheet.inScope(flat, call.door === "chp" ? call.name : undefined)) throw notVisible(call.name);
  if (call.operation === "call" && sheet.isBarred(call.provider === null ? flat : call.name))
    throw new BarredActor(call.name, call.principal.id);
  const split = splitFlatName(flat);
  const unlisted = split && findUnlisted(sheet, split.provider);
  if (unlisted) throw new NotYetListed([unlisted], flatName(unlisted.name, split.name.slice(0, 128)));
  throw unknownName(call, sheet, { flat, sheets });
};

/** The flat name that is meant. A name that is one, but not how the outside knows the tool, is none there. */
const flatOf = ({ provider, name, door }: Identified, sheet: Sheet): string => {
  if (provider !== null) return flatName(provider, name);
  return door === "chp" ? (sheet.flatNameOf(name) ?? name) : name;
};

interface Named {
  readonly flat: string;
  readonly sheets: Pick<Sheets, "providers">;
}

const unknownName = (call: Identified, sheet: Sheet, { flat, sheets }: Named): Refusal => {
  const rows = sheet.rows().filter(({ name }) => (call.run?.fence(name) ?? null) === null);
  const shown = (name: string): string => {
    if (call.provider !== null) return splitFlatName(name)!.name;
    return call.door === "chp" ? (sheet.findTool(name)?.capability.id ?? name) : name;
  };
  const suggestions = suggestNames(rows, flat).map(shown);
  const known = sheets.providers(call.principal).map((provider) => provider.name);
  const split = splitFlatName(flat);
  const strange = !split || !known.includes(split.provider);
  const tells = call.principal.scopes === null && strange;
  return new Refusal("unknown_tool", {
    message: `There is no ${call.operation === "call" ? "tool" : "prompt"} named ${JSON.stringify(call.name.slice(0, 128))} here.`,
    next: nextStep(suggestions, rows.length, tells ? known : []),
    details: { suggestions, ...(tells ? { providers: known } : {}) },
  });
};

const MOST_PROVIDERS = 20;

/** `providers`: those there are, for who named none of them. */
const nextStep = (suggestions: readonly string[], tools: number, providers: readonly string[]): string => {
  if (tools === 0)
    return "No tools are listed yet; `bailiwick doctor` shows which bundles are configured and why they are not running.";
  const more = providers.length > MOST_PROVIDERS ? ` and ${providers.length - MOST_PROVIDERS} more` : "";
  const there = providers.length === 0 ? "" : ` Providers: ${providers.slice(0, MOST_PROVIDERS).join(", ")}${more}.`;
  const meant =
    suggestions.length > 0 ? `Did you mean ${suggestions.join(", ")}?` : "List the tools and use one of their names.";
  return `${meant}${there}`;
};

/** Of this name, on its way up, and never heard of a tool or prompt of it. */
const findUnlisted = ({ pages }: Sheet, name: string): Provider | null => {
  const page = pages.find(({ provider }) => provider.name === name);
  if (!page || page.tools.size + page.prompts.size > 0) return null;
  const { state } = page.provider.status();
  return state === "starting" || state === "crashed" ? page.provider : null;
};
