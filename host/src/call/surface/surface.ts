/**
 * Stage 3. Finds what is called on the very sheet that was listed. What a key may not name is not told apart from what
 * does not exist by anything but the scope itself.
 */
import { Refusal } from "../../kernel/refusal.ts";
import { advance, type Identified, type Surfaced, type Target } from "../../kernel/stages.ts";
import type { Sheets } from "./create-surfaces.ts";
import { flatName, splitFlatName } from "./flat-name.ts";
import { resolveResource } from "./resolve-resource.ts";
import type { Sheet } from "./sheet.ts";
import { suggestNames } from "./suggest-names.ts";

export const createSurface =
  (sheets: Sheets) =>
  (call: Identified): Surfaced => {
    const sheet = sheets.of(call.principal, call.provider);
    if (!sheet) throw unknownProvider(call, sheets);
    const target = find(call, sheet, sheets);
    if (call.surface !== null && call.surface !== sheet.token) throw stale(sheet.token);
    return advance(call, { target });
  };

const find = (call: Identified, sheet: Sheet, sheets: Sheets): Target => {
  if (call.operation === "read") return resolveResource(call, sheet);
  if (call.operation === "complete") return findCompletion(call, sheet, sheets);
  const found = call.operation === "call" ? sheet.findTool(call.name) : sheet.findPrompt(call.name);
  return found ?? refuseName(call, sheet, sheets);
};

const findCompletion = (call: Identified, sheet: Sheet, sheets: Sheets): Target =>
  sheet.findPrompt(call.name) ??
  (call.name.includes(":") ? resolveResource(call, sheet) : refuseName(call, sheet, sheets));

const refuseName = (call: Identified, sheet: Sheet, sheets: Sheets): never => {
  const flat = call.provider === null ? call.name : flatName(call.provider, call.name);
  if (!sheet.inScope(flat)) throw notVisible(call.name);
  const rows = sheet.rows();
  const suggestions = suggestNames(rows, flat).map((name) =>
    call.provider === null ? name : splitFlatName(name)!.name,
  );
  const known = sheets.providers().map((provider) => provider.name);
  const provider = splitFlatName(flat)?.provider;
  const strange = provider === undefined || !known.includes(provider);
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
      ...(principal.scopes === null ? { providers: sheets.providers().map(({ name }) => name) } : {}),
    },
  });
