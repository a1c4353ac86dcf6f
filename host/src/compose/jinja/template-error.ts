/** Why a template gave no text. The only thing that rendering throws; its message is for the template's author. */
export type TemplateFault = "syntax" | "undefined" | "not_found" | "refused" | "limit" | "runtime";

/** Where it happened; template null: the text itself, not one it loaded. */
export interface TemplatePlace {
  readonly line: number;
  readonly template: string | null;
}

const LEADS: Readonly<Record<TemplateFault, string>> = {
  syntax: "Template syntax error",
  undefined: "Undefined variable in template",
  not_found: "Template not found",
  refused: "Template refused",
  limit: "Template stopped",
  runtime: "Template failed",
};

/** A reason may quote what a template made, which may be long. */
const MAX_REASON = 1000;

const whereText = ({ line, template }: TemplatePlace): string =>
  template === null ? ` (line ${line})` : ` (line ${line} of ${template})`;

export class TemplateError extends Error {
  override readonly name = "TemplateError";
  readonly fault: TemplateFault;
  /** The reason alone, without lead and place. */
  readonly reason: string;
  readonly place: TemplatePlace | null;

  constructor(fault: TemplateFault, why: string, place: TemplatePlace | null = null) {
    const reason = why.length > MAX_REASON ? `${why.slice(0, MAX_REASON)}...` : why;
    super(`${LEADS[fault]}: ${reason}${place === null ? "" : whereText(place)}`);
    this.fault = fault;
    this.reason = reason;
    this.place = place;
  }

  /** The same error with its place; one that has a place keeps it. */
  at(place: TemplatePlace): TemplateError {
    return this.place === null ? new TemplateError(this.fault, this.reason, place) : this;
  }
}
