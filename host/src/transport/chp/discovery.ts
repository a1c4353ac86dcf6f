/**
 * What finds a host's capabilities without speaking its protocol: one text and two JSON documents, all from the descriptors
 * that the manifest has. None of them says who may do what.
 */
import { jcs } from "../../kernel/jcs.ts";
import type { Principal } from "../../kernel/principal.ts";
import { DEFAULT_WORKSPACE } from "../../kernel/workspace.ts";
import type { ListenerDeps } from "../listener-deps.ts";
import { PROTOCOL_VERSION } from "./chp-answers.ts";
import type { TextAnswer } from "./send-text.ts";

type Descriptor = ReturnType<ListenerDeps["descriptors"]>[number];

export const DISCOVERY_PATHS = ["/capabilities.txt", "/.well-known/capabilities.json", "/capabilities.json"] as const;
export type DiscoveryPath = (typeof DISCOVERY_PATHS)[number];

export const isDiscoveryPath = (path: string): path is DiscoveryPath =>
  (DISCOVERY_PATHS as readonly string[]).includes(path);

/** Whoever shows no credential sees what `chp.publicDiscovery` names, as a key of these scopes would. */
export const passerBy = (publicDiscovery: readonly string[]): Principal => ({
  id: "service:anonymous",
  kind: "service",
  onBehalfOf: null,
  roles: [],
  permissions: [],
  assurance: "local",
  scopes: publicDiscovery,
  workspace: DEFAULT_WORKSPACE,
  credentialId: "none",
});

export interface DiscoveryOrder {
  readonly path: DiscoveryPath;
  readonly reader: Principal;
  readonly base: string;
}

export const discoveryDocument = (deps: ListenerDeps, { path, reader, base }: DiscoveryOrder): TextAnswer => {
  const found = deps.descriptors(reader);
  if (path === "/capabilities.txt") {
    return { type: "text/plain; charset=utf-8", text: asText(deps, found, base) };
  }
  const capabilities = found.map(({ id, version, description }) => ({ id, version, description }));
  const { id, name } = deps.info;
  const host = { id, ...(name === null ? {} : { name }) };
  const body =
    path === "/capabilities.json" ? { chp: PROTOCOL_VERSION, host, capabilities } : { version: "1", capabilities };
  return { type: "application/json", text: jcs(body) };
};

const asText = ({ info }: ListenerDeps, found: readonly Descriptor[], base: string): string => {
  const links = [
    `[manifest](${base}/host)`,
    "[JSON](/.well-known/capabilities.json)",
    "[identity](/.well-known/chp-identity)",
  ];
  const lines = [
    "# capabilities.txt",
    `> ${line(info.name ?? info.id)}: ${found.length} capabilities. ${links.join(" ")}`,
  ];
  for (const [provider, descriptors] of byProvider(found)) {
    lines.push("", `## ${line(provider)}`, "", `### tools (${line(provider)})`);
    // The dash is part of the format.
    for (const { id, version, description } of descriptors) {
      lines.push(`- ${line(id)} (v${line(version)}) \u2014 ${line(description)}`);
    }
  }
  return `${lines.join("\n")}\n`;
};

const byProvider = (found: readonly Descriptor[]): ReadonlyMap<string, readonly Descriptor[]> =>
  Map.groupBy(found, ({ provider }) => (typeof provider === "string" ? provider : "host"));

/** A text of others, kept from making lines of its own. */
const line = (text: unknown): string => (typeof text === "string" ? text.replace(/[\s\p{Cc}]+/gu, " ").trim() : "");
