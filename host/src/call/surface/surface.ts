/**
 * Stage 3. Finds what is called on the very sheet that was listed. What a key may not name is not told apart from what
 * does not exist by anything but the scope itself.
 */
import type { Provider } from "../../kernel/provider.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { viewOf } from "../../kernel/surface.ts";
import { advance, type Identified, type Surfaced, type Target } from "../../kernel/stages.ts";
import type { Sheets } from "./create-surfaces.ts";
import { flatName, splitFlatName } from "./flat-name.ts";
import { NotYetListed } from "./not-yet-listed.ts";
import { resolveResource } from "./resolve-resource.ts";
import type { Sheet } from "./sheet.ts";
import { suggestNames } from "./suggest-names.ts";

export const createSurface =
  (sheets: Sheets) =>
  (call: Identified): Surfaced => {
    const sheet = sheets.of(call.principal, call.provider, viewOf(call.asker.declared));
    if (!sheet) throw unknownProvider(call, sheets);
    const target = find(call, sheet, sheets);
    if (call.surface !== null && call.surface !== sheet.token) throw stale(sheet.token);
    return advance(call, { target });
  };

const find = (call: Identified, sheet: Sheet, sheets: Sheets): Target => {
  if (call.operation === "call") return sheet.findTool(call.name) ?? refuseName(call, sheet, sheets);
  if (call.operation === "prompt") return sheet.findPrompt(call.name) ?? refuseName(call, sheet, sheets);
  return call.operation === "complete" ? findCompletion(call, sheet, sheets) : resolveResource(call, sheet);
};

const findCompletion = (call: Identified, sheet: Sheet, sheets: Sheets): Target =>
  sheet.findPrompt(call.name) ??
  (call.name.includes(":") ? resolveResource(call, sheet) : refuseName(call, sheet, sheets));

const refuseName = (call: Identified, sheet: Sheet, sheets: Sheets): never => {
  const flat = call.provider === null ? call.name : flatName(call.provider, call.name);
  const forApps = call.operation === "call" ? sheet.providersForApps(call.name) : [];
  if (forApps.length > 1) throw ambiguous(call.name, forApps);
  if (!sheet.inScope(flat)) throw notVisible(call.name);
  const split = splitFlatName(flat);
  const unlisted = split && findUnlisted(sheet, split.provider);
  if (unlisted) throw new NotYetListed([unlisted], flatName(unlisted.name, split.name.slice(0, 128)));
  const rows = sheet.rows();
  const suggestions = suggestNames(rows, flat).map((name) =>
    call.provider === null ? name : splitFlatName(name)!.name,
  );
  const known = sheets.providers(call.principal).map((provider) => provider.name);
  const strange = !split || !known.includes(split.provider);
  const shown = call.principal.scopes === null && strange ? { providers: known } : {};
  throw new Refusal("unknown_tool", {
    message: `There is no ${call.operation === "call" ? "tool" : "prompt"} named ${JSON.stringify(call.name.slice(0, 128))} here.`,
    next:
      suggestions.length > 0
        ? `Did you mean ${suggestions.join(", ")}?`
        : rows.length === 0
          ? "No tools are listed yet; `bailiwick doctor` shows which bundles are configured and why they are not running."
          : "List the tools and use one of their names.",
    details: { suggestions, ...shown },
  });
};

/** Of this name, on its way up, and never heard of a tool or prompt of it. */
const findUnlisted = ({ pages }: Sheet, name: string): Provider | null => {
  const page = pages.find(({ provider }) => provider.name === name);
  if (!page || page.tools.size + page.prompts.size > 0) return null;
  const { state } = page.provider.status();
  return state === "starting" || state === "crashed" ? page.provider : null;
};

const ambiguous = (name: string, providers: readonly string[]): Refusal =>
  new Refusal("unknown_tool", {
    message: `Several providers have a tool named ${JSON.stringify(name.slice(0, 128))}: ${providers.join(", ")}.`,
    next: "Call it at its provider's own endpoint, /mcp/providers/<provider>, or by its full name, <provider>__<tool>.",
    details: { suggestions: providers.map((provider) => flatName(provider, name)), providers },
  });

const notVisible = (name: string): Refusal =>
  new Refusal("not_visible", {
    message: `This key may not name ${JSON.stringify(name.slice(0, 128))}.`,
    next: "Ask the operator for a key whose scope covers it: bailiwick key create --name <name> --scope <glob>",
  });

const stale = (token: string): Refusal =>
  new Refusal("stale_surface", {
    message: "The tools have changed since they were listed.",
    next: "List the tools again and repeat the call.",
    details: { surface: token },
  });

const unknownProvider = ({ provider, principal }: Identified, sheets: Sheets): Refusal =>
  new Refusal("unknown_tool", {
    message: `There is no provider named ${JSON.stringify((provider ?? "").slice(0, 64))}.`,
    next: "Use one of the configured providers.",
    details: {
      suggestions: [],
      ...(principal.scopes === null ? { providers: sheets.providers(principal).map(({ name }) => name) } : {}),
    },
  });
