/** What an endpoint has at all, for `capabilities`. */
import type { Surface } from "../../kernel/surface.ts";
import type { Page } from "./render-provider.ts";

type Features = ReturnType<Surface["has"]>;

/** Providers come and go, and what is announced stays announced. */
const ALL: Features = Object.freeze({
  tools: true,
  prompts: true,
  resources: true,
  completions: true,
  skills: true,
  directories: true,
});

export const featuresOf = (pages: readonly Page[], provider: string | null): Features => {
  if (provider === null) return ALL;
  const some = (test: (page: Page) => boolean): boolean => pages.some(test);
  return {
    tools: some((page) => page.tools.size > 0),
    prompts: some((page) => page.prompts.size > 0),
    resources: some((page) => page.resources.size + page.templates.size > 0),
    completions: some((page) => page.catalogue.completions),
    skills: some((page) => page.catalogue.skills !== null),
    directories: some((page) => page.catalogue.directories),
  };
};
