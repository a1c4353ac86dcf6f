/**
 * Finds the paths in the text of arguments, by the plan of their tool, so that each can be replaced where it stands. Reads the
 * text alone: what is sent on is text.
 */
import { itemsOf, MemberWalk, type Span } from "../../kernel/scan-json.ts";
import { spend } from "./check-work.ts";
import type { Kinds, PathPlan } from "./path-plan.ts";

/** In order, each the span of a JSON string. Throws TooMuchWork. */
export const findPaths = (plan: PathPlan, text: string): readonly Span[] => {
  const found: Span[] = [];
  new PathSearch(text, found).visit([plan], { start: text.indexOf("{"), end: text.length });
  return found;
};

class PathSearch {
  readonly #text: string;
  readonly #found: Span[];

  constructor(text: string, found: Span[]) {
    this.#text = text;
    this.#found = found;
  }

  /** `plans`: all that say something about the value. */
  visit(plans: readonly PathPlan[], span: Span): void {
    const all = this.#expand(plans, span);
    if (all.length === 0) return;
    const first = this.#text[span.start];
    if (first === "{") this.#visitMembers(all, span);
    else if (first === "[") this.#visitItems(all, span);
    else if (first === '"' && all.some(({ isPath }) => isPath)) this.#found.push(span);
  }

  /** With those that apply to the same value, each once: they may refer to each other. */
  #expand(plans: readonly PathPlan[], span: Span): readonly PathPlan[] {
    const all = new Set<PathPlan>();
    const left = [...plans];
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      if (!next.leads || all.has(next)) continue;
      spend(1);
      all.add(next);
      for (const { plan, kinds } of next.also) if (plan.leads && !this.#isOtherKind(span, kinds)) left.push(plan);
    }
    return [...all];
  }

  #isOtherKind({ start, end }: Span, kinds: Kinds): boolean {
    if (kinds.length === 0 || this.#text[start] !== "{") return false;
    spend((end - start) >> 3);
    const value = JSON.parse(this.#text.slice(start, end)) as Readonly<Record<string, unknown>>;
    return kinds.some(({ key, values }) => Object.hasOwn(value, key) && !values.includes(value[key]));
  }

  #visitItems(plans: readonly PathPlan[], { start }: Span): void {
    for (const [index, item] of itemsOf(this.#text, start).entries()) {
      spend(1);
      const below = plans.flatMap(({ prefix, items, each }) => [...(prefix[index] ? [prefix[index]] : items), ...each]);
      this.visit(below, item);
    }
  }

  #visitMembers(plans: readonly PathPlan[], { start }: Span): void {
    const member = new MemberWalk(this.#text, start);
    while (member.next()) {
      spend(1);
      const key = member.key();
      const below = plans.flatMap((plan) => plansFor(plan, key));
      this.visit(below, { start: member.start, end: member.end });
    }
  }
}

const plansFor = ({ properties, patterns, others }: PathPlan, key: string): readonly PathPlan[] => {
  const named = properties.get(key);
  const fitting = patterns.filter((pattern) => pattern.key.test(key)).map(({ plan }) => plan);
  if (named !== undefined) return [named, ...fitting];
  return fitting.length > 0 ? fitting : others;
};
