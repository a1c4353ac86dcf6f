/** White space and line ends as Python's str sees them: some control characters are among them. */
const SEPARATORS = "\\u001c-\\u001e\\u0085";

export const SPACE = new RegExp(`[\\s\\u001f${SEPARATORS}]`, "u");
export const SPACES = new RegExp(`[\\s\\u001f${SEPARATORS}]+`, "u");
export const LINE_END = new RegExp(`\\r\\n|[\\n\\r\\v\\f\\u2028\\u2029${SEPARATORS}]`, "g");
