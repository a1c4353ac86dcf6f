/** Escapes text for HTML and XML; what is escaped already stays. */
import type { Budget } from "./budget.ts";
import { printValue } from "./print-value.ts";
import { Markup, type Value } from "./values.ts";

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&#34;",
  "'": "&#39;",
};

export const escapeText = (text: string): string => text.replaceAll(/[&<>"']/g, (mark) => ESCAPES[mark]!);

/** What is put into a text goes in as it is, into markup escaped. */
export type Put = (value: Value) => Value;

export const putInto = (text: Value, budget: Budget): Put =>
  text instanceof Markup ? (value) => escapeValue(value, budget) : (value) => value;

export const escapeValue = (value: Value, budget: Budget): Markup => {
  if (value instanceof Markup) return value;
  const text = printValue(value, budget);
  budget.spendWork(text.length);
  return new Markup(budget.text(escapeText(text)));
};
