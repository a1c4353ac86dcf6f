/**
 * Text of others on a terminal. A description or a result may hold escape sequences that rewrite the screen, set its title
 * or fake a prompt; they are shown as what they are. Our own colours, line breaks and tabs pass.
 */
const HARMFUL =
  // oxlint-disable-next-line no-control-regex -- control characters are what it looks for
  /\u001B(?!\[(?:0|1|2|31|32|33)m)|[\u0000-\u0008\u000B-\u001A\u001C-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/g;

export const cleanText = (text: string): string =>
  text.replaceAll("\r\n", "\n").replace(HARMFUL, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);
