/** Which texts only Jinja2 can fill. Looks at the marks alone, so that it can tell of a text that does not parse too. */

/** A name such as `user.name`, as simple placeholders have it: blanks around it are spaces and tabs, and no new line. */
const DOTTED_NAME = /^[ \t]*[A-Za-z_][A-Za-z0-9_.]*[ \t]*$/;

/** A statement or a comment. */
export const usesJinjaBlocks = (text: string): boolean => text.includes("{%") || text.includes("{#");

/** An expression that is more than a dotted name: a filter, a call, an index, an operator, a literal. */
export const usesJinjaExpression = (text: string): boolean => {
  for (let at = text.indexOf("{{"); at >= 0;) {
    // Of more than two braces the last two count: a placeholder may stand in braces.
    while (text[at + 2] === "{") at += 1;
    const end = text.indexOf("}}", at + 2);
    if (end < 0) return false;
    const inside = text.slice(at + 2, end);
    if (inside.trim() !== "" && !DOTTED_NAME.test(inside)) return true;
    at = text.indexOf("{{", end + 2);
  }
  return false;
};
