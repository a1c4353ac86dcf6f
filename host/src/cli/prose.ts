/**
 * What the model writes, as it comes in pieces. On a screen nothing in it is obeyed: what a terminal acts on, what has no
 * width or turns the direction is shown as what it is; line breaks, tabs and the joiners that scripts and emoji need pass.
 * Into a pipe or file goes exactly what was written.
 */
export interface Prose {
  /** What of it can be written now. */
  take(piece: string): string;
  /** What was held back. */
  end(): string;
}

const UNSEEN =
  /[[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}\u{FE00}-\u{FE0D}\u{E0100}-\u{E01EF}]--[\n\t\u{200C}\u{200D}]]/gv;

/** Text of several lines, whole. */
export const visibleProse = (text: string): string =>
  text.replaceAll("\r\n", "\n").replaceAll(UNSEEN, (sign) => `\\u{${sign.codePointAt(0)?.toString(16)}}`);

export const createProse = (isOnScreen: boolean): Prose => {
  const show = isOnScreen ? visibleProse : (text: string): string => text;
  let held = "";
  return {
    take(piece) {
      const text = held + piece;
      // Half a sign, or half a line break: the other half is in the next piece.
      const whole = /[\uD800-\uDBFF\r]$/.test(text) ? text.length - 1 : text.length;
      held = text.slice(whole);
      return show(text.slice(0, whole));
    },
    end() {
      const rest = show(held);
      held = "";
      return rest;
    },
  };
};
