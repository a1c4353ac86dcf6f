/** An mpak registry over HTTP. */
import { isObject } from "../shapes.ts";
import { checkIdentity } from "./check-identity.ts";
import { readJson, type ReadJsonOptions } from "./read-json.ts";
import { refuseSource } from "./refuse-source.ts";
import { registryUrl, shownUrl } from "./registry-url.ts";
import { objectsIn, scoreOf, textOf } from "./registry-json.ts";
import type { DownloadOffer, Found, Registry, Trust, Wanted } from "./registry.ts";

export interface MpakRegistryOptions extends Omit<ReadJsonOptions, "signal"> {
  readonly url: string;
  readonly platform: string;
  readonly arch: string;
}

const NAME = /^@[A-Za-z0-9][A-Za-z0-9._~-]*\/[A-Za-z0-9][A-Za-z0-9._~-]*$/;
const SHA256 = /^[0-9a-f]{64}$/i;

export const createMpakRegistry = (options: MpakRegistryOptions): Registry => {
  const label = `mpak ${shownUrl(options.url)}`;
  const ask = (
    path: string,
    query: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): ReturnType<typeof readJson> => readJson(registryUrl(options.url, path, query), { ...options, signal });
  return {
    label,
    async find(wanted, signal) {
      if (!NAME.test(wanted.name)) return null;
      const detail = await ask(`/v1/bundles/${wanted.name}`, {}, signal);
      if (detail === null) return null;
      checkIdentity(`What ${label} tells of`, { name: detail["name"] }, { name: wanted.name, version: null });
      const version = wanted.version ?? textOf(detail["latest_version"], 100);
      if (version === null) throw new Error(`it names no version of ${wanted.name}`);
      const { platform: os, arch } = options;
      const path = `/v1/bundles/${wanted.name}/versions/${encodeURIComponent(version)}/download`;
      const download = await ask(path, { os, arch }, signal);
      if (download !== null)
        return readDownload(download, { ...wanted, version }, { ...trustOf(detail), base: options.url, label });
      if (!lists(detail, version)) return null;
      throw refuseSource(
        `${label} has ${wanted.name} ${version}, but not for this machine (${os} ${arch}).`,
        `Ask for a version that is built for ${os} ${arch}: set "version" on the entry.`,
        { os, arch },
      );
    },
    async search(query, limit, signal) {
      const answer = await ask("/v1/bundles/search", { q: query, limit: String(limit), offset: "0" }, signal);
      const bundles: unknown = answer?.["bundles"];
      if (!Array.isArray(bundles)) throw new Error("its answer has no list of bundles");
      return bundles.slice(0, limit).flatMap((bundle) => (isObject(bundle) ? readFound(bundle, label) : []));
    },
  };
};

const readDownload = (
  answer: Readonly<Record<string, unknown>>,
  { name, version }: Wanted & { readonly version: string },
  { base, label, ...trust }: Trust & { readonly base: string; readonly label: string },
): DownloadOffer => {
  const { url, bundle } = answer;
  const { sha256, size, ...told } = isObject(bundle) ? bundle : {};
  checkIdentity(`What ${label} sends`, told, { name, version });
  if (typeof url !== "string" || !URL.canParse(url, base)) throw new Error(`it gives no URL for ${name} ${version}`);
  if (typeof sha256 !== "string" || !SHA256.test(sha256)) throw new Error(`it gives no SHA-256 for ${name} ${version}`);
  return {
    kind: "download",
    url: new URL(url, base),
    sha256: sha256.toLowerCase(),
    size: typeof size === "number" && size >= 0 ? size : null,
    version,
    manifest: { name, version },
    ...trust,
  };
};

const lists = (detail: Readonly<Record<string, unknown>>, version: string): boolean => {
  if (detail["latest_version"] === version) return true;
  const { versions } = detail;
  return Array.isArray(versions) && versions.some((each) => isObject(each) && each["version"] === version);
};

/** A level without a number is shown as what it is; no score is made of it. */
const trustOf = (bundle: Readonly<Record<string, unknown>>): Trust => {
  const { certification } = bundle;
  const named = isObject(certification) ? certification : {};
  const level = named["level_name"] ?? named["level"] ?? bundle["certification_level"];
  return {
    trustScore: scoreOf(bundle["trust_score"], bundle["trustScore"]),
    certificationLevel: typeof level === "number" ? String(level) : textOf(level, 100),
  };
};

const readFound = (bundle: Readonly<Record<string, unknown>>, registry: string): Found[] => {
  const name = textOf(bundle["name"], 214);
  if (name === null || name === "") return [];
  return [
    {
      name,
      version: textOf(bundle["latest_version"], 100),
      description: textOf(bundle["description"], 500),
      registry,
      ...trustOf(bundle),
      tools: objectsIn(bundle["tools"]).flatMap((tool) => textOf(tool["name"], 128) ?? []),
    },
  ];
};
