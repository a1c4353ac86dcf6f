/**
 * The plain order of tools, without an index: more terms of the query covered, then score, then name. It decides between tools
 * that the index finds equally good.
 */
import { plainTerms } from "../../kernel/plain-terms.ts";

const LONGEST_QUERY = 500;
const WHOLE_IN_NAME = 200;
const WHOLE_IN_DESCRIPTION = 100;
const IN_NAME = 20;
const IN_DESCRIPTION = 10;

/** In lower case. */
export interface PlainText {
  readonly plainName: string;
  readonly plainDescription: string;
}

export interface PlainRank {
  readonly covered: number;
  readonly score: number;
}

export type PlainOrder = (text: PlainText) => PlainRank;

export const plainOrder = (query: string): PlainOrder => {
  const whole = query.slice(0, LONGEST_QUERY).toLowerCase().trim();
  const terms = new Set(plainTerms(whole));
  return ({ plainName, plainDescription }) => {
    let covered = 0;
    let score =
      (plainName.includes(whole) ? WHOLE_IN_NAME : 0) + (plainDescription.includes(whole) ? WHOLE_IN_DESCRIPTION : 0);
    for (const term of terms) {
      const inName = plainName.includes(term);
      const inDescription = plainDescription.includes(term);
      if (inName || inDescription) covered++;
      score += (inName ? IN_NAME : 0) + (inDescription ? IN_DESCRIPTION : 0);
    }
    return { covered, score };
  };
};
