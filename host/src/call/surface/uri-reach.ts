/**
 * Which URIs a provider answers for beyond those it lists: what its templates match, and the schemes of what it lists.
 * Only what is its own counts.
 */
import { matchesGlob } from "../../kernel/glob.ts";
import type { SheetResource } from "./render-resource.ts";

export interface UriReach {
  matches(uri: string): boolean;
  hasScheme(uri: string): boolean;
}

const SCHEME = /^[A-Za-z][A-Za-z0-9+.-]*:/;

const schemeOf = (uri: string): string | null => SCHEME.exec(uri)?.[0].toLowerCase() ?? null;

const asGlob = (template: string): string => template.replace(/\{[^{}]*\}/g, "*");

export const uriReach = (resources: readonly SheetResource[], templates: readonly SheetResource[]): UriReach => {
  const own = [...resources, ...templates].filter(({ claim }) => claim === "own");
  const schemes = new Set(own.map(({ uri }) => schemeOf(uri)).filter((scheme) => scheme !== null));
  // A template that leaves even the scheme open would match what belongs to others.
  const globs = templates
    .filter(({ claim, uri }) => claim === "own" && schemeOf(uri) !== null)
    .map(({ uri }) => asGlob(uri));
  return {
    matches: (uri) => globs.some((glob) => matchesGlob(glob, uri)),
    hasScheme: (uri) => schemes.has(schemeOf(uri) ?? ""),
  };
};
