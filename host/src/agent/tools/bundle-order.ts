/**
 * What an agent may ask about bundles: which names, which values. It chooses among what registries publish, and hands over no
 * secrets: neither by writing one down nor by naming one of the host's. Each "no" names what a person does instead. Pure.
 */
import { namesSecret } from "../../kernel/looks-secret.ts";
import { Refusal } from "../../kernel/refusal.ts";
import type { ConfigField } from "./system-tool-ports.ts";
import { invalidInput } from "./tool-answers.ts";

/** `@acme/notes`, `notes`, `io.acme/notes`. */
const REGISTRY_NAME = /^(?:@?[A-Za-z0-9][A-Za-z0-9._-]*\/)?[A-Za-z0-9][A-Za-z0-9._-]*$/;
/** Without a scope, `a/b` would be a repository. */
const NPM_NAME = /^npm:(?:@[a-z0-9][a-z0-9._-]*\/)?[a-z0-9][a-z0-9._-]*(?:@[0-9A-Za-z][0-9A-Za-z.+-]*)?$/;
const ARCHIVE = /\.(?:mcpb|tgz|tar|zip|gz)$/i;
const VARIABLE = /^[A-Z][A-Z0-9_]{0,127}$/;
/** They change what a process loads or whom it talks to, before any of its own code decides. */
const STEERING =
  /^(?:LD_|DYLD_|NODE_|NPM_|PYTHON|PERL|RUBY|JAVA|JDK_|_JAVA|CLASSPATH|GCONV_|BASH|GIT_|SSH_|SSL_|CURL_|REQUESTS_|XDG_|BAILIWICK|(?:ENV|IFS|PATH|HOME|USER|SHELL|TMP|TEMP|TMPDIR|EDITOR|PAGER)$)|_PROXY$|^PROXY$|_CA_BUNDLE$/;
/** What the configuration would take for a variable of the host. */
const REFERENCE = "${";

type Values = Readonly<Record<string, unknown>>;

/** Throws for what is no name in a registry. */
export const checkBundleName = (name: string): void => {
  const isName = name.startsWith("npm:") ? NPM_NAME.test(name) : REGISTRY_NAME.test(name) && !ARCHIVE.test(name);
  if (isName) return;
  throw invalidInput(
    "/name",
    "must be the name of a bundle in a registry, or npm:<package>: an agent installs nothing from a path or an address",
    "Take a name from nb__discover_bundles. A person installs from elsewhere: bailiwick bundle add --path <path>, or --url <url> --name <name>",
  );
};

/** `named`: in its manifest. Throws for variables that an agent does not set: all but what the bundle itself asks for. */
export const checkVariables = (env: Values, named: readonly string[] | null, command: string): void => {
  for (const [name, value] of Object.entries(env)) {
    const why = faultOfVariable(name, value) ?? faultOfUnnamed(name, named);
    if (why === null) continue;
    throw forPerson(`/env: ${JSON.stringify(name.slice(0, 64))} ${why}.`, `${command} --env ${nameOf(name)}=<value>`);
  }
};

const nameOf = (name: string): string => (VARIABLE.test(name) ? name : "<NAME>");

const faultOfVariable = (name: string, value: unknown): string | null => {
  if (!VARIABLE.test(name)) return "is no name of a variable that an agent sets: those have capitals, digits and _";
  if (STEERING.test(name)) return "decides how programs start, so no agent sets it";
  if (namesSecret(name)) return "looks like a secret, and secrets are not taken from an agent";
  return refers(value) ? "refers to a variable of the host, which no agent hands on" : null;
};

const faultOfUnnamed = (name: string, named: readonly string[] | null): string | null => {
  if (named === null) return "is not set by an agent, since what the bundle asks for cannot be looked up now";
  if (named.includes(name)) return null;
  const known = named.slice(0, 20).map((each) => each.slice(0, 64));
  return `is none of the variables that its manifest names, which are: ${known.join(", ") || "none"}`;
};

/** `fields`: of its manifest. Throws for values that are sensitive, or of which nobody can say whether they are. */
export const checkValues = (values: Values, fields: readonly ConfigField[] | null, command: string): void => {
  for (const [key, value] of Object.entries(values)) {
    const field = fields?.find((each) => each.key === key);
    const why =
      fields === null
        ? "may be a secret, since what it takes cannot be looked up now"
        : field === undefined
          ? `is none of its settings, which are: ${keysOf(fields)}`
          : field.sensitive
            ? "is marked sensitive, and such values are not taken from an agent"
            : refers(value)
              ? "refers to a variable of the host, which no agent hands on"
              : null;
    if (why !== null) throw forPerson(`/userConfig: ${JSON.stringify(key.slice(0, 64))} ${why}.`, command);
  }
};

const keysOf = (fields: readonly ConfigField[]): string =>
  fields
    .slice(0, 20)
    .map(({ key, sensitive }) => `${key.slice(0, 64)}${sensitive ? " (sensitive)" : ""}`)
    .join(", ") || "none";

const refers = (value: unknown): boolean =>
  Array.isArray(value) ? value.some(refers) : typeof value === "string" && value.includes(REFERENCE);

/** The caller's own words are put into no command unless they are plain. */
export const commandWord = (name: string): string =>
  /^[A-Za-z0-9@][A-Za-z0-9@:/._-]{0,213}$/.test(name) ? name : "<name>";

const forPerson = (message: string, command: string): Refusal =>
  new Refusal("invalid_input", {
    message: `${message} Nothing was changed.`,
    next: `Leave it out, or ask a person to run: ${command}`,
    details: { command },
  });
