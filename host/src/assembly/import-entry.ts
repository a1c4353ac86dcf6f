/**
 * A server of a client's file as an entry of the configuration. A server that is a command gets a package of its own, with a
 * manifest that starts that command. Secrets become references. Pure.
 */
import type { RawEntry } from "./config-entries.ts";
import { looksSecret } from "../kernel/looks-secret.ts";
import { type ImportVariables, variableName } from "./import-variables.ts";
import {
  type CommandDraft,
  holdsSecret,
  isSecretArgument,
  type ServerDraft,
  splitArgument,
  type UrlDraft,
} from "./import-server.ts";

export interface EntryTerms {
  readonly provider: string;
  /** Of the package for a command. */
  readonly directory: string;
  readonly home: string;
  readonly variables: ImportVariables;
}

/** `${NAME}`, `${NAME:-else}`, `${env:NAME}` and `${input:id}`, as the clients have it. */
const REFERENCE = /\$\{(env:|input:)?([A-Za-z_][\w-]*)(?::-[^}]*)?\}/g;
const BEARER = /^Bearer\s+(.*)$/is;

export const entryOf = (draft: ServerDraft, terms: EntryTerms): RawEntry => ({
  ...sourceOf(draft, terms),
  serverName: terms.provider,
  ...(draft.kind === "url" ? transportOf(draft, terms) : environmentOf(draft.env, terms)),
  ...(draft.kind === "command" ? userConfigOf(draft, terms) : {}),
  ...(draft.enabled ? {} : { enabled: false }),
});

const sourceOf = (draft: ServerDraft, { directory }: EntryTerms): RawEntry => {
  if (draft.kind === "url") return { url: draft.url };
  if (draft.kind === "command") return { path: directory };
  const { version, args } = draft;
  return {
    name: `npm:${draft.package}`,
    ...(version === null ? {} : { version }),
    ...(args.length === 0 ? {} : { args }),
  };
};

interface Place {
  /** As people find it in the source. */
  readonly where: string;
  /** What the variable would best be called. */
  readonly name: string;
}

/** Every reference in the spelling of this host. */
const translate = (text: string, { where }: Place, { provider, home, variables }: EntryTerms): string =>
  text.replace(REFERENCE, (_, kind: string | undefined, name: string) => {
    if (kind === undefined && (name === "HOME" || name === "userHome")) return home;
    const wanted = kind === "input:" ? variableName(name) : name;
    return variables.refer({ bundle: provider, where, name: wanted, value: null });
  });

const keep = (text: string, place: Place, terms: EntryTerms): string => {
  if (!looksSecret(place.name, text)) return translate(text, place, terms);
  return terms.variables.refer({ bundle: terms.provider, ...place, value: text });
};

const environmentOf = (env: Readonly<Record<string, string>>, terms: EntryTerms): RawEntry => {
  const kept = Object.entries(env).map(([key, value]) => {
    const place = { where: `env ${key}`, name: /^[A-Za-z_]\w*$/.test(key) ? key : variableName(key) };
    return [key, keep(value, place, terms)] as const;
  });
  return kept.length === 0 ? {} : { env: Object.fromEntries(kept) };
};

const transportOf = ({ headers, type }: UrlDraft, terms: EntryTerms): RawEntry => {
  const rest: [string, string][] = [];
  let auth: object | null = null;
  for (const [key, value] of Object.entries(headers)) {
    const [, token] = (/^authorization$/i.test(key) ? BEARER.exec(value.trim()) : null) ?? [];
    const place = {
      where: `header ${key}`,
      name: `${variableName(terms.provider)}_${token === undefined ? variableName(key) : "TOKEN"}`,
    };
    if (token === undefined) rest.push([key, keep(value, place, terms)]);
    else auth = { type: "bearer", token: bearer(token, place, terms) };
  }
  const transport = {
    ...(type === null ? {} : { type }),
    ...(auth === null ? {} : { auth }),
    ...(rest.length === 0 ? {} : { headers: Object.fromEntries(rest) }),
  };
  return Object.keys(transport).length === 0 ? {} : { transport };
};

/** A token is a secret whatever it looks like. */
const bearer = (token: string, place: Place, terms: EntryTerms): string =>
  token.includes("${") && !looksSecret("token", token)
    ? translate(token, place, terms)
    : terms.variables.refer({ bundle: terms.provider, ...place, value: token });

const fieldOf = (at: number): string => `argument_${at + 1}`;

const secretArguments = ({ args }: CommandDraft): readonly { readonly arg: string; readonly at: number }[] =>
  args.flatMap((arg, at) => (holdsSecret(arg, args[at - 1] ?? "") ? [{ arg, at }] : []));

const userConfigOf = (draft: CommandDraft, terms: EntryTerms): RawEntry => {
  const kept = secretArguments(draft).map(({ arg, at }) => {
    const { name, value } = splitArgument(arg);
    const flag = value === null ? (draft.args[at - 1] ?? "") : name;
    const isNamed = value !== null || flag.startsWith("--");
    const place = {
      where: `argument ${at + 1}`,
      name: variableName(isNamed ? flag : `${terms.provider}_${fieldOf(at)}`),
    };
    if (!isSecretArgument(arg, draft.args[at - 1] ?? "")) return [fieldOf(at), translate(arg, place, terms)] as const;
    const secret = value ?? arg;
    const reference = terms.variables.refer({ bundle: terms.provider, ...place, value: secret });
    return [fieldOf(at), `${arg.slice(0, arg.length - secret.length)}${reference}`] as const;
  });
  return kept.length === 0 ? {} : { userConfig: Object.fromEntries(kept) };
};

/** The same for the same command and name, so that it is known again. */
export const manifestOf = (draft: CommandDraft, provider: string): string => {
  const secret = new Set(secretArguments(draft).map(({ at }) => at));
  const args = draft.args.map((arg, at) => (secret.has(at) ? `\${user_config.${fieldOf(at)}}` : arg));
  const fields = [...secret].map((at) => {
    const title = `Argument ${at + 1}`;
    return [fieldOf(at), { type: "string", title, description: title, required: true, sensitive: true }] as const;
  });
  const manifest = {
    manifest_version: "0.3",
    name: provider,
    version: "1.0.0",
    description: "A command that was imported from the file of an MCP client.",
    author: { name: "bailiwick import" },
    server: { type: "binary", entry_point: draft.command, mcp_config: { command: draft.command, args } },
    ...(fields.length === 0 ? {} : { user_config: Object.fromEntries(fields) }),
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
};
