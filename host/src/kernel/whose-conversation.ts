/**
 * Whose a conversation of a workspace is. One's own are those in which one wrote; a person's are also those of programs that act
 * for that person, and of keys of theirs that may name only some tools. Such a key sees those in which nobody else wrote and
 * nothing else, whatever it may do besides. Permission `evidence:read` shows those of everybody, also such as came from
 * elsewhere and do not say who wrote in them, because evidence shows the same calls. Pure.
 */
import type { Authors } from "./conversation.ts";
import { covers } from "./covers.ts";
import type { Principal } from "./principal.ts";
import { principalName } from "./principal-name.ts";

const SEES_ALL = "evidence:read";
const KEY = " key:";

/** As `by` of a message has it. Keys that may name only some tools are told apart. */
export const writerName = (principal: Principal): string => {
  const { scopes, credentialId } = principal;
  return scopes === null ? principalName(principal) : `${principalName(principal)}${KEY}${credentialId}`;
};

export const seesConversation = (principal: Principal, authors: Authors): boolean =>
  isOwnConversation(principal, authors) || (principal.scopes === null && covers(principal.permissions, SEES_ALL));

export const isOwnConversation = (principal: Principal, authors: Authors): boolean => {
  if (authors.length === 0) return false;
  const name = writerName(principal);
  if (principal.scopes !== null) return authors.every((author) => author === name);
  const isPerson = principal.kind === "person" && principal.onBehalfOf === null;
  return authors.some((author) => {
    const writer = withoutKey(author);
    return writer === name || (isPerson && writer.endsWith(` for ${name}`));
  });
};

/** No name of a principal holds a blank. */
const withoutKey = (author: string): string => {
  const at = author.indexOf(KEY);
  return at === -1 ? author : author.slice(0, at);
};
