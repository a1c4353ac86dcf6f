/** What `set`, `for` and `with` assign to: a name, several names, or a member of a namespace. */
import type { Target } from "./nodes.ts";
import { CONSTANTS } from "./parse-primary.ts";
import type { TokenStream } from "./token-stream.ts";

export const parseTargetName = (stream: TokenStream): string => {
  const name = stream.expect("name").text;
  if (CONSTANTS.has(name)) throw stream.fault(`can't assign to '${name}'`);
  return name;
};

const parseOne = (stream: TokenStream, withMember: boolean): Target => {
  if (stream.skip("op", "(")) {
    const target = stream.nested(() => parseTarget(stream, withMember));
    stream.expect("op", ")");
    return target;
  }
  if (!stream.is("name")) throw stream.fault(`can't assign to '${stream.current.text}'`);
  const name = parseTargetName(stream);
  if (!withMember || !stream.skip("op", ".")) return { kind: "name", name };
  return { kind: "member", namespace: name, name: stream.expect("name").text };
};

/** A comma at the end makes it a list only where a bracket or the tag ends behind it, as in Jinja2. */
export const parseTarget = (stream: TokenStream, withMember: boolean): Target => {
  const items: Target[] = [];
  let isTuple = false;
  for (;;) {
    if (items.length > 0) stream.expect("op", ",");
    if (items.length > 0 && (stream.is("block-end") || stream.is("op", ")"))) break;
    items.push(parseOne(stream, withMember));
    if (!stream.is("op", ",")) break;
    isTuple = true;
  }
  return isTuple ? { kind: "unpack", items } : items[0]!;
};
