/** The tags that take in other templates: `include`, `import` and `from`. */
import type { TagParser } from "./tag-parser.ts";
import { parseTargetName } from "./parse-target.ts";
import type { TokenStream } from "./token-stream.ts";

/** `with context` or `without context`; null: neither is there. */
const parseContext = (stream: TokenStream): boolean | null => {
  const named = stream.is("name", "with", "without");
  if (!named || stream.following.type !== "name" || stream.following.text !== "context") return null;
  const withContext = stream.next().text === "with";
  stream.next();
  return withContext;
};

export const parseInclude: TagParser = (parser, line) => {
  const { stream, expressions } = parser;
  const template = expressions.expression();
  let ignoreMissing = false;
  if (stream.is("name", "ignore") && stream.following.text === "missing") {
    stream.next();
    stream.next();
    ignoreMissing = true;
  }
  return [{ kind: "include", template, ignoreMissing, withContext: parseContext(stream) ?? true, line }];
};

export const parseImport: TagParser = (parser, line) => {
  const { stream, expressions } = parser;
  const template = expressions.expression();
  stream.expect("name", "as");
  const as = parseTargetName(stream);
  return [{ kind: "import", template, as, withContext: parseContext(stream) ?? false, line }];
};

export const parseFrom: TagParser = (parser, line) => {
  const { stream, expressions } = parser;
  const template = expressions.expression();
  stream.expect("name", "import");
  const names: [string, string][] = [];
  let withContext = parseContext(stream);
  while (withContext === null) {
    const name = parseTargetName(stream);
    if (name.startsWith("_")) throw stream.fault("names starting with an underline can not be imported");
    names.push([name, stream.skip("name", "as") ? parseTargetName(stream) : name]);
    withContext = parseContext(stream);
    if (withContext !== null || !stream.skip("op", ",")) break;
    withContext = parseContext(stream);
  }
  return [{ kind: "from", template, names, withContext: withContext ?? false, line }];
};
