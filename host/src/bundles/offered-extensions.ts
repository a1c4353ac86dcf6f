/**
 * Which host extensions an entry is offered. A server on somebody else's machine is offered none unless its entry says so:
 * being connected is no reason to let it read the workspace's files. Pure.
 */
import type { Config, NameEntry, PathEntry, UrlEntry } from "@bailiwick/contract";
import { HOST_EXTENSIONS, HOST_RESOURCES } from "../kernel/host-extension.ts";
import { isLoopback } from "../kernel/is-loopback.ts";

export type OfferingConfig = Pick<Config, "hostResources">;

type OfferedTo =
  | Pick<UrlEntry, "kind" | "url" | "hostExtensions">
  | Pick<NameEntry | PathEntry, "kind" | "hostExtensions">;

export const offeredExtensions = (entry: OfferedTo, config: OfferingConfig): readonly string[] => {
  const had = HOST_EXTENSIONS.filter((key) => key !== HOST_RESOURCES || config.hostResources.enabled);
  if (entry.hostExtensions !== null) return had.filter((key) => entry.hostExtensions?.includes(key));
  return entry.kind === "url" && !isLoopback(new URL(entry.url).hostname) ? [] : had;
};
