/**
 * Whose resource a URI is: the provider the caller names, the exact URI, the one matching template, the one provider that
 * lists this scheme. More than one candidate is a refusal that names them, never a guess.
 */
import { matchesGlob } from "../../kernel/glob.ts";
import { Refusal } from "../../kernel/refusal.ts";
import type { Identified, Target } from "../../kernel/stages.ts";
import type { Page } from "./render-provider.ts";
import type { Sheet } from "./sheet.ts";

const schemeOf = (uri: string): string => uri.slice(0, uri.indexOf(":") + 1);
const asGlob = (template: string): string => template.replace(/\{[^{}]*\}/g, "*");

const RULES: readonly ((page: Page, uri: string) => boolean)[] = [
  (page, uri) =>
    page.resources.some((entry) => entry.name === uri) || page.templates.some((entry) => entry.name === uri),
  (page, uri) => page.templates.some((entry) => matchesGlob(asGlob(entry.name), uri)),
  (page, uri) =>
    [...page.resources, ...page.templates].some(
      (entry) => schemeOf(uri) !== "" && schemeOf(entry.name) === schemeOf(uri),
    ),
];

export const resolveResource = (call: Identified, sheet: Sheet): Target => {
  const uri = call.name;
  const seen = sheet.pages.filter((page) => sheet.inScope(`${page.provider.name}__*`));
  const wanted = call.provider ?? call.providerHint;
  const take = (page: Page): Target => sheet.targetOf(page, { flat: `${page.provider.name}:resources`, name: uri });
  if (wanted !== null) {
    const page = seen.find((candidate) => candidate.provider.name === wanted);
    if (page) return take(page);
    throw notFound(uri, []);
  }
  for (const rule of RULES) {
    const candidates = seen.filter((page) => rule(page, uri));
    if (candidates.length === 1) return take(candidates[0]!);
    if (candidates.length > 1)
      throw notFound(
        uri,
        candidates.map((page) => page.provider.name),
      );
  }
  throw notFound(uri, []);
};

const notFound = (uri: string, candidates: readonly string[]): Refusal =>
  new Refusal("resource_not_found", {
    message:
      candidates.length === 0
        ? `No provider here has the resource ${JSON.stringify(uri.slice(0, 256))}.`
        : `Several providers have the resource ${JSON.stringify(uri.slice(0, 256))}: ${candidates.join(", ")}.`,
    next:
      candidates.length === 0
        ? "List the resources and use one of their URIs."
        : 'Name the provider in _meta["dev.bailiwick/provider"], or use its own endpoint /mcp/providers/<provider>.',
    details: { uri, candidates },
  });
