/**
 * What a modern server is told with every request, beside what is asked: who speaks, what the caller declared, and what the
 * host itself offers to this server. Only the host speaks of its own extensions; a caller that claims one is not repeated.
 */
import type { Declared } from "../../kernel/ask.ts";
import { HOST_EXTENSIONS, type ExtensionPort } from "../../kernel/host-extension.ts";
import type { ProviderRequest } from "../../kernel/provider.ts";
import type { RawMembers } from "../../kernel/raw-json.ts";
import { joinMembers, membersOf } from "../../kernel/scan-json.ts";
import { clientInfo, oneLine, UI_EXTENSION } from "./frame-parts.ts";
import { isObject } from "./read-message.ts";

export const MODERN_VERSION = "2026-07-28";

/** Clients say the same each time, so it is worked out once. */
const MAX_REMEMBERED = 64;
const MAX_REMEMBERED_LENGTH = 4_096;
/** Where a server may look for what the host offers. */
const PLACES = ["extensions", "experimental"];

export class Envelope {
  readonly #head: string;
  readonly #port: ExtensionPort;
  /** What the host declares in its own name, when it lists or listens. */
  readonly #own: string;
  readonly #remembered = new Map<string, string>();

  constructor(hostVersion: string, port: ExtensionPort) {
    this.#port = port;
    this.#own = `{"extensions":{${join(UI_EXTENSION, port.members)}}}`;
    this.#head =
      `"io.modelcontextprotocol/protocolVersion":"${MODERN_VERSION}",` +
      `"io.modelcontextprotocol/clientInfo":${clientInfo(hostVersion)},"io.modelcontextprotocol/clientCapabilities":`;
  }

  /** Members of `_meta`, each with a comma behind it; `call` is absent when the host asks for itself. */
  of(call: ProviderRequest | undefined): string {
    const meta = this.#port.meta();
    const offered = meta === "" ? "" : `${meta},`;
    if (!call) return `${this.#head}${this.#own},${offered}`;
    const level = call.listener.level();
    const log = level === null ? "" : `"io.modelcontextprotocol/logLevel":${JSON.stringify(level)},`;
    return `${this.#head}${this.#declare(call.asker.declared)},${log}${offered}`;
  }

  /** What this very caller declared, never more, and what the host offers: a server may use all of it. */
  #declare(declared: Declared): string {
    if (this.#port.members === "" && !claims(declared)) return oneLine(declared.json);
    const known = this.#remembered.get(declared.json);
    if (known !== undefined) return known;
    const text = oneLine(offerBeside(declared, this.#port.members));
    if (declared.json.length > MAX_REMEMBERED_LENGTH) return text;
    if (this.#remembered.size === MAX_REMEMBERED) this.#remembered.clear();
    this.#remembered.set(declared.json, text);
    return text;
  }
}

const claims = ({ value }: Declared): boolean =>
  PLACES.some((place) => {
    const named = value[place];
    return isObject(named) && HOST_EXTENSIONS.some((key) => Object.hasOwn(named, key));
  });

const offerBeside = ({ json }: Declared, members: RawMembers): string => {
  const all = membersOf(json);
  const kept = all.filter(({ key }) => !PLACES.includes(key)).map(({ keyStart, end }) => json.slice(keyStart, end));
  for (const place of PLACES) {
    const named = all.findLast(({ key }) => key === place);
    const offered = place === "extensions" ? members : "";
    if (named === undefined && offered === "") continue;
    const others = named && json[named.start] === "{" ? withoutOwn(json.slice(named.start, named.end)) : "";
    kept.push(`"${place}":{${join(others, offered)}}`);
  }
  return `{${kept.join(",")}}`;
};

const withoutOwn = (object: string): string =>
  joinMembers(
    object,
    membersOf(object).filter(({ key }) => !HOST_EXTENSIONS.includes(key)),
  );

const join = (first: string, second: string): string =>
  first === "" || second === "" ? first + second : `${first},${second}`;
