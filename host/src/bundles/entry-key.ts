/**
 * What of an entry and of the file around it has a say in how the bundle starts. Two that agree in it need no new start. Pure.
 */
import type { BundleEntry } from "@bailiwick/contract";
import type { BundlesOptions } from "./bundles-options.ts";

export const entryKey = (entry: BundleEntry, config: BundlesOptions["config"]): string => {
  const { restart, manifestProfile, allowInsecureRemotes, allowPrivateRemotes, mcp, hostResources, registries } =
    config;
  const around = { restart, manifestProfile, allowInsecureRemotes, allowPrivateRemotes, mcp, hostResources };
  // What is only shown needs no new start.
  const start = { ...entry, protected: null, trustScore: null, ui: null };
  return JSON.stringify([start, around, entry.kind === "name" ? registries : null]);
};
