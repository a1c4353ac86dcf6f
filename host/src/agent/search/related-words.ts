/**
 * Words that people use for one another when they ask for a tool: a tool says `delete`, `directory`, `retrieve` where a person
 * says remove, folder, show. General words only, no names of products. A word may stand in several groups.
 */
import { wordsOf } from "./words-of.ts";

const GROUPS = [
  "delete remove erase drop discard forget clear purge destroy wipe trash eliminate rid rm unlink",
  "create make made new add build generate construct compose draft initialize mkdir",
  "add append attach insert include put",
  "write wrote written save store record keep put overwrite export",
  "read open show view display print load cat see seen contain content",
  "get got fetch retrieve return obtain receive pull give show",
  "list show enumerate display ls browse entry",
  "search find found look lookup locate query grep seek discover match filter",
  "edit change modify update alter replace revise patch adjust fix correct swap rewrite amend substitute",
  "move rename relocate transfer mv put",
  "copy duplicate clone",
  "send sent post submit deliver publish",
  "run ran execute start launch trigger perform invoke begin",
  "stop cancel halt end abort kill terminate quit",
  "toggle turn switch enable disable activate deactivate",
  "ask request prompt question elicit elicitation form input",
  "compare diff difference",
  "check verify validate validation test inspect",
  "calculate compute sum total add plus addition count arithmetic math number",
  "compress compression zip gzip shrink pack archive smaller",
  "upload import",
  "download export",
  "simulate simulated fake mock demonstrate example sample",
  "think thinking thought reason reasoning reflect plan solve problem",
  "analyze analyse analysis examine investigate study research",
  "task job operation process work",
  "directory folder dir path",
  "subdirectory subfolder nested",
  "file document attachment",
  "tree hierarchy structure layout overview recursive nested",
  "information info detail metadata property fact attribute",
  "size big bigger biggest large largest small space byte length",
  "image picture photo screenshot logo icon media",
  "audio sound music recording media",
  "video film movie media",
  "environment env variable setting configuration config",
  "relation relationship related link connection connect edge association",
  "entity node person people object concept item",
  "observation fact note remark detail",
  "memory knowledge graph remember know",
  "multiple several many few both",
  "entire whole complete everything all full",
  "long slow duration time",
  "log logging",
  "message mail email letter",
  "user person people account member customer contact",
  "llm model ai sampling",
  "permission permit access allowed allow right",
  "date time day calendar schedule appointment meeting event",
  "error failure problem bug issue ticket",
  "web internet online url website page site browser",
  "repeat echo same again",
  "subscription subscriber subscribe notify notification",
  "tiny little small mini",
  "command shell terminal bash script",
  "table database sql record row",
  "commit branch repository repo git",
  "price cost payment pay invoice bill money",
  "translate translation language",
  "summary summarize summarise shorten",
];

const collect = (): ReadonlyMap<string, readonly string[]> => {
  const related = new Map<string, Set<string>>();
  for (const group of GROUPS.map(wordsOf)) {
    for (const word of group) {
      const others = related.get(word) ?? new Set<string>();
      for (const other of group) if (other !== word) others.add(other);
      related.set(word, others);
    }
  }
  return new Map(Array.from(related, ([word, others]) => [word, [...others]]));
};

export const RELATED_WORDS: ReadonlyMap<string, readonly string[]> = collect();
