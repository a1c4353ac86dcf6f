/**
 * A document that is joined from texts made before, and the same as it stands inside a JSON string: a large one is not
 * written anew, nor escaped anew, at each read.
 */
export class DocumentText {
  readonly text: string;
  /** Without the quotes around it. */
  readonly escaped: string;

  constructor(text: string, escaped: string) {
    this.text = text;
    this.escaped = escaped;
  }

  static of(document: object): DocumentText {
    const text = JSON.stringify(document);
    return new DocumentText(text, escapeJson(text));
  }
}

/** A text as it stands between the quotes of a JSON string. */
export const escapeJson = (text: string): string => JSON.stringify(text).slice(1, -1);
