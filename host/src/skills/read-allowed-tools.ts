/** The globs in `allowed-tools` of a skill's front matter: a list, or one text with blanks or commas in between. */
const MAX_GLOBS = 1_000;

/** Null: it says nothing, and so narrows nothing. */
export const readAllowedTools = (frontMatter: Readonly<Record<string, unknown>>): readonly string[] | null => {
  const given = frontMatter["allowed-tools"] ?? frontMatter["allowed_tools"] ?? null;
  if (given === null) return null;
  const words: readonly unknown[] =
    typeof given === "string" ? given.split(/[\s,]+/) : Array.isArray(given) ? given : [];
  return words.filter((each): each is string => typeof each === "string" && each !== "").slice(0, MAX_GLOBS);
};
