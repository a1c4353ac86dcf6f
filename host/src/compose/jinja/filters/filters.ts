/** All filters by name: Jinja2's own, but for `random`, since a text must come out the same again. */
import { bindArgs } from "../values/args.ts";
import type { Filter } from "./filter.ts";
import { attributeOf } from "../values/get-member.ts";
import { LIST_FILTERS } from "./list-filters.ts";
import { NUMBER_FILTERS } from "./number-filters.ts";
import { SELECT_FILTERS } from "./select-filters.ts";
import { TEXT_FILTERS } from "./text-filters.ts";
import { objectName } from "../values/type-name.ts";
import { textOf, Undefined } from "../values/values.ts";
import { WEB_FILTERS } from "./web-filters.ts";

/** Attributes only, never items. */
const attr: Filter = (value, args, engine) => {
  const [given] = bindArgs(args, "attr", ["!name"]);
  const name = textOf(given!) ?? "";
  engine.budget.spendText(name.length);
  return attributeOf(value, name, engine.budget) ?? new Undefined(`'${objectName(value)}' has no attribute '${name}'`);
};

export const FILTERS: ReadonlyMap<string, Filter> = new Map([
  ["attr", attr],
  ...TEXT_FILTERS,
  ...LIST_FILTERS,
  ...NUMBER_FILTERS,
  ...SELECT_FILTERS,
  ...WEB_FILTERS,
]);
