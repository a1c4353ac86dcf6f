/** What a provider lists to anybody: its resources may be documents of the one whose connection listed them. */
import type { Catalogue } from "../kernel/provider.ts";

export const withoutResources = (catalogue: Catalogue): Catalogue =>
  catalogue.resources.length === 0 ? catalogue : { ...catalogue, resources: [] };
