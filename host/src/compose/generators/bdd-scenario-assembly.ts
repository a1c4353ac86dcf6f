/** `bdd_scenario_assembly`: a Gherkin feature from its parts. Placeholders are filled first, and what comes out is checked. */
import type { Context } from "../configs/read-context.ts";
import { generationFailed, joinPieces, type Generate } from "./generation.ts";
import { fillPlaceholders, keepPlaceholder, lookInto } from "./placeholders.ts";
import { TextTotal } from "./text-total.ts";

type Part = Readonly<Record<string, unknown>>;

const KEYWORDS = ["Given", "When", "Then", "And", "But", "*"];
const TAG = /^@[A-Za-z][A-Za-z0-9_-]*$/;
const MAX_TOLD = 100;

export const bddScenarioAssembly: Generate = ({ config, pattern, context, maxBytes }) => {
  const settings = pattern?.generation_config ?? {};
  const { feature } = settings;
  if (!isPart(feature)) throw generationFailed(`Config '${config.id}' has no feature in its generation_config`);
  return new Assembly(context, maxBytes).write(feature, settings);
};

class Assembly {
  readonly #context: Context;
  readonly #maxBytes: number;
  /** Of all that is filled: what is already certain to be too much is not gathered. */
  readonly #total: TextTotal;

  constructor(context: Context, maxBytes: number) {
    this.#context = context;
    this.#maxBytes = maxBytes;
    this.#total = new TextTotal(maxBytes);
  }

  write(feature: Part, settings: Part): string {
    const background = listOf(settings["background"], "background");
    const scenarios = listOf(settings["scenarios"], "scenarios");
    const outlines = listOf(settings["scenario_outlines"], "scenario_outlines");
    if (scenarios.length + outlines.length === 0)
      throw generationFailed("The feature has no scenario: give scenarios or scenario_outlines");
    const sections = [
      this.#feature(feature),
      ...(background.length === 0 ? [] : [["Background:", ...this.#steps(background)]]),
      ...scenarios.map((scenario) => this.#scenario("Scenario", scenario)),
      ...outlines.map((outline) => this.#outline(outline)),
    ];
    const text = sections.map((lines) => lines.join("\n"));
    return joinPieces([text.join("\n\n")], this.#maxBytes);
  }

  #feature({ title = "Untitled Feature", description = "", tags }: Part): string[] {
    const text = this.#fill(description).trim();
    const lines = text === "" ? [] : text.split("\n").map((line) => (line.trim() === "" ? "" : `  ${line.trim()}`));
    return [...this.#tags(tags), `Feature: ${this.#fill(title)}`, ...lines];
  }

  #scenario(kind: "Scenario" | "Scenario Outline", scenario: unknown): string[] {
    const { title, steps, tags } = isPart(scenario) ? scenario : {};
    if (title === undefined || title === null || title === "") throw generationFailed(`${kind} has no title`);
    const name = this.#fill(title);
    const list = listOf(steps, `steps of ${kind} '${told(name)}'`);
    if (list.length === 0) throw generationFailed(`${kind} '${told(name)}' has no steps`);
    return [...this.#tags(tags), `${kind}: ${name}`, ...this.#steps(list)];
  }

  #outline(outline: unknown): string[] {
    const lines = this.#scenario("Scenario Outline", outline);
    const { title, examples } = outline as Part;
    const { headers, rows } = isPart(examples) ? examples : {};
    const names = listOf(headers, "headers");
    if (names.length === 0) throw generationFailed(`Scenario Outline '${told(this.#fill(title))}' has no examples`);
    const table = [names, ...listOf(rows, "rows").map((row) => listOf(row, "cells of a row"))];
    return [
      ...lines,
      "",
      "  Examples:",
      ...table.map((cells) => `    | ${cells.map((cell) => this.#fill(cell)).join(" | ")} |`),
    ];
  }

  #steps(steps: readonly unknown[]): string[] {
    return steps.map((step) => {
      const text = this.#fill(step);
      const [keyword = ""] = text.trimStart().split(/\s/, 1);
      if (keyword === "") throw generationFailed("Empty step");
      if (!KEYWORDS.includes(keyword))
        throw generationFailed(`Invalid step keyword: '${told(keyword)}'. Must be one of: ${KEYWORDS.join(", ")}`);
      return `  ${text}`;
    });
  }

  /** One line, or none. */
  #tags(tags: unknown): string[] {
    const list = listOf(tags, "tags").map((tag) => {
      const text = this.#fill(tag);
      const name = text.startsWith("@") ? text : `@${text}`;
      if (!TAG.test(name))
        throw generationFailed(
          `Invalid tag format: '${told(name)}'. Write @ and a letter, then letters, digits, _ and -`,
        );
      return name;
    });
    return list.length === 0 ? [] : [list.join(" ")];
  }

  #fill(value: unknown): string {
    const look = (name: string): unknown => lookInto(this.#context, name);
    const template = new TextTotal(this.#maxBytes).addValue(value);
    return fillPlaceholders(template, { look, missing: keepPlaceholder, total: this.#total });
  }
}

const isPart = (value: unknown): value is Part => typeof value === "object" && value !== null && !Array.isArray(value);

const listOf = (value: unknown, what: string): readonly unknown[] => {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value;
  throw generationFailed(`The ${what} must be a list`);
};

const told = (text: string): string => text.slice(0, MAX_TOLD).toWellFormed();
