/**
 * Of what an MCP registry says about a server: which way it can be had here. An archive before a package of npm, that before
 * a remote address; anything else is refused by name. Pure.
 */
import { isObject } from "../shapes.ts";
import { checkIdentity } from "./check-identity.ts";
import { refuseSource } from "./refuse-source.ts";
import { fillRemote } from "./fill-remote.ts";
import { readNpmStart } from "./read-npm-start.ts";
import { objectsIn, textOf } from "./registry-json.ts";
import { NO_TRUST, type Offer, type Wanted } from "./registry.ts";

type Json = Readonly<Record<string, unknown>>;

export interface ChooseServerOptions extends Wanted {
  /** Its label. */
  readonly registry: string;
}

const SHA256 = /^[0-9a-f]{64}$/i;
const NPM_REGISTRY = /^https:\/\/registry\.npmjs\.(?:org|com)\/?$/;

export const chooseServer = (server: Json, { registry, ...wanted }: ChooseServerOptions): Offer => {
  const { name } = wanted;
  const version = textOf(server["version"], 100);
  if (version === null || version === "") throw new Error(`it names no version of ${name}`);
  checkIdentity(`What ${registry} sends`, server, wanted);
  const packages = objectsIn(server["packages"]);
  const base = { version, ...NO_TRUST };
  const from = `${registry} has ${name} ${version}`;
  const archive = packages.find((each) => each["registryType"] === "mcpb");
  if (archive !== undefined) {
    const { identifier, fileSha256 } = archive;
    if (
      typeof identifier !== "string" ||
      !URL.canParse(identifier) ||
      typeof fileSha256 !== "string" ||
      !SHA256.test(fileSha256)
    ) {
      throw refuseSource(`${from} as an archive without a URL or without a SHA-256 (fileSha256).`, ASK_THEM);
    }
    const sha256 = fileSha256.toLowerCase();
    // What a manifest is called is not what a registry of servers calls it; the hash is what binds them.
    return { kind: "download", url: new URL(identifier), sha256, size: null, manifest: null, ...base };
  }
  const npm = packages.find((each) => each["registryType"] === "npm" && isStdio(each));
  if (npm !== undefined) {
    const { identifier, registryBaseUrl, version: packageVersion } = npm;
    if (typeof identifier !== "string") throw refuseSource(`${from} as a package of npm without a name.`, ASK_THEM);
    if (typeof registryBaseUrl === "string" && !NPM_REGISTRY.test(registryBaseUrl)) {
      throw refuseSource(
        `${from} as the package ${identifier} of ${registryBaseUrl.slice(0, 200)}, which is not npm's registry.`,
        `If your npm is set up for that registry, use "name": "npm:${identifier}".`,
      );
    }
    const start = readNpmStart(npm, metaOf(server));
    return { kind: "npm", package: identifier, packageVersion: textOf(packageVersion, 100), start, ...base };
  }
  const remote = fillRemote(objectsIn(server["remotes"]), from);
  if (remote !== null) return { kind: "remote", ...remote, meta: metaOf(server), ...base };
  throw refuseTypes(from, packages);
};

const ASK_THEM = "Ask the server's author to correct the entry in the registry.";

const isStdio = ({ transport }: Json): boolean => !isObject(transport) || transport["type"] === "stdio";

/** What the publisher wrote stands in a block of its own, or directly. */
const metaOf = (server: Json): Readonly<Record<string, object>> | null => {
  const meta = server["_meta"];
  if (!isObject(meta)) return null;
  const published = meta["io.modelcontextprotocol.registry/publisher-provided"];
  const blocks = { ...(isObject(published) ? published : {}), ...meta };
  const kept = Object.entries(blocks).filter(([key]) => key.startsWith("ai.nimblebrain/"));
  return kept.length === 0 ? null : (Object.fromEntries(kept) as Record<string, object>);
};

const refuseTypes = (from: string, packages: readonly Json[]): Error => {
  const types = [...new Set(packages.map((each) => textOf(each["registryType"], 40) ?? "unknown"))];
  return types.length === 0
    ? refuseSource(`${from}, but neither a package nor an address of it.`, ASK_THEM)
    : refuseSource(
        `${from} only as ${types.join(", ")}; the host installs mcpb and npm packages that speak stdio, and remote addresses.`,
        `Use another version of it, or install it yourself and use "path" or "url".`,
        { types },
      );
};
