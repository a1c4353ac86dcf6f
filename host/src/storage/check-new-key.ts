/** What may stand in a new key. Returns the row it becomes, or throws the Refusal that says what to write instead. */
import { Refusal } from "../kernel/refusal.ts";
import type { KeyRow, NewKey } from "../kernel/key.ts";
import { DEFAULT_WORKSPACE, isWorkspaceId } from "../kernel/workspace.ts";

const NAME = /^[a-z0-9][a-z0-9-]{0,63}$/;
const PRINCIPAL = /^(agent|service|person):(?:\/\/)?([A-Za-z0-9][A-Za-z0-9._@-]{0,127})$/;
const TEXT = /^[\x21-\x7e]{1,256}$/;
const MAX_LIST = 100;

const bad = (message: string, next: string): Refusal => new Refusal("bad_request", { message, next });

/** Both spellings, `agent:x` and `agent://x`, become the first. */
const principal = (value: string, option: string, kinds: readonly string[]): string => {
  const [, kind, name] = PRINCIPAL.exec(value) ?? [];
  if (kind !== undefined && kinds.includes(kind)) return `${kind}:${name}`;
  const forms = kinds.map((each) => `${each}:<name>`).join(", ");
  throw bad(
    `${option} ${JSON.stringify(value.slice(0, 80))} is no principal a key can stand for.`,
    `Write it as ${forms}.`,
  );
};

const texts = (values: readonly string[], option: string): readonly string[] => {
  if (values.length <= MAX_LIST && values.every((value) => TEXT.test(value))) return [...values];
  throw bad(
    `${option} takes at most ${MAX_LIST} values of 1 to 256 printable characters without blanks.`,
    `Repeat ${option} once per value.`,
  );
};

const workspaceId = (id: string): string => {
  if (isWorkspaceId(id)) return id;
  throw bad(
    `--workspace ${JSON.stringify(id.slice(0, 80))} is no id of a workspace.`,
    "Write ws_ and 1 to 64 of a-z, 0-9 and _, as the folder is called, or leave it out.",
  );
};

export const checkNewKey = (key: NewKey, createdAt: string): KeyRow => {
  if (!NAME.test(key.name)) {
    throw bad(
      `${JSON.stringify(key.name.slice(0, 80))} is no name for a key.`,
      "Use lower-case letters, digits and dashes, 1 to 64 of them, not beginning with a dash.",
    );
  }
  const as = principal(key.as ?? `agent:${key.name}`, "--as", ["agent", "service", "person"]);
  const behalf = key.for ?? (as.startsWith("person:") ? null : "person:owner");
  return {
    name: key.name,
    as,
    for: behalf === null ? null : principal(behalf, "--for", ["person"]),
    scopes: key.scopes === undefined ? null : texts(key.scopes, "--scope"),
    permissions: texts(key.permissions ?? [], "--permission"),
    workspace: workspaceId(key.workspace ?? DEFAULT_WORKSPACE),
    createdAt,
    revokedAt: null,
  };
};
