/** What a query asks for: its distinct words, without those that say nothing about a tool unless there are no others. */
import { FILLER_WORDS } from "./filler-words.ts";
import { wordsOf } from "./words-of.ts";

const LONGEST_QUERY = 500;
const MOST_TERMS = 16;
/** Who names one wants something done with a file; what it is called does not tell what. */
const FILE_NAME =
  /[^\s,;:'"]{1,80}\.(?:txt|md|json|csv|tsv|pdf|log|py|ts|js|html?|xml|ya?ml|toml|ini|png|jpe?g|gif|svg|mp[34]|wav|docx?|xlsx?|pptx?|zip|gz|tar|sh)\b/gi;

const tellingOf = (text: string): readonly string[] => wordsOf(text).filter((word) => !FILLER_WORDS.has(word));

export const readQuery = (query: string): readonly string[] => {
  const text = query.slice(0, LONGEST_QUERY);
  const telling = tellingOf(text.replace(FILE_NAME, " file "));
  return [...new Set(telling.length > 0 ? telling : wordsOf(text))].slice(0, MOST_TERMS);
};
