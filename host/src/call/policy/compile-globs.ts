/** A list of globs as one question that is asked often. */
import { matchesGlob } from "../../kernel/glob.ts";

export type MatchText = (text: string) => boolean;

const compileGlob = (glob: string): MatchText => {
  const star = glob.indexOf("*");
  if (glob === "*") return () => true;
  if (star < 0) return (text) => text === glob && glob !== "";
  if (star === glob.length - 1) {
    const prefix = glob.slice(0, -1);
    return (text) => text.startsWith(prefix);
  }
  return (text) => matchesGlob(glob, text);
};

export const compileGlobs = (globs: readonly string[]): MatchText => {
  const [first, ...others] = globs.map(compileGlob);
  if (first === undefined) return () => false;
  return others.length === 0 ? first : (text) => first(text) || others.some((matches) => matches(text));
};
