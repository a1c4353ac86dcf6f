/** Words of a request that say nothing about the tool, as `wordsOf` gives them. */
import { wordsOf } from "./words-of.ts";

export const FILLER_WORDS: ReadonlySet<string> = new Set(
  wordsOf(
    "a an the this that these those it its i me my mine we us our you your he she they them their " +
      "am is are was were be been being do does did has have had having can could will would shall should may might must " +
      "of in on at to from for with without by as into onto over under about between and or but not no if then so than too " +
      "what which who whom whose when where why how there here some any each every " +
      "please help want need like let give tell just also something someone somebody thing anything up out off " +
      "using use via tool called",
  ),
);
