/**
 * The schemas of one package, each checked once however often it stands there, and all together only as long as they are not
 * too much: to compile one holds up whatever else the host does.
 */
import { setImmediate } from "node:timers/promises";
import { SCHEMA_LIMITS, schemaShape, WORKSPACE_PATH, type ShapeFault } from "../../kernel/schema-shape.ts";
import { patternWork } from "./pattern-work.ts";
import { schemaFault } from "./schema-fault.ts";

type Schema = Readonly<Record<string, unknown>>;

interface CheckedSchema {
  readonly schema: Schema;
  /** Why it cannot be used; null: it can. */
  readonly fault: string | null;
}

/** Objects and lists that the schemas of a package may be made of, patterns by what they cost. */
const MAX_WORK = 30_000;

const { depth, subschemas, beside } = SCHEMA_LIMITS;
const TEXTS: Readonly<Record<ShapeFault, string>> = {
  async: "$async is no keyword of JSON Schema",
  leads_out: `with the format ${WORKSPACE_PATH} it may refer to its own parts only, by #/...`,
  too_large: `it has more than ${depth} levels, ${subschemas} parts, or ${beside} side by side`,
};

const TOO_MUCH =
  "with those before it, it is too much to check for one package; make them smaller or split the package";

export class PackageSchemas {
  readonly #checked = new WeakMap<object, CheckedSchema>();
  #work = 0;

  /** The protocol demands that a schema says that it describes an object. */
  async check(given: Schema): Promise<CheckedSchema> {
    const known = this.#checked.get(given);
    if (known !== undefined) return known;
    // Between two of them others have their turn.
    await setImmediate();
    const schema = given["type"] === undefined ? { type: "object", ...given } : given;
    const checked = { schema, fault: this.#faultOf(schema) };
    this.#checked.set(given, checked);
    return checked;
  }

  #faultOf(schema: Schema): string | null {
    if (schema["type"] !== "object") return 'its type is not "object"';
    const { fault, parts } = schemaShape(schema);
    if (fault !== null) return TEXTS[fault];
    this.#work += parts + patternWork(schema);
    return this.#work > MAX_WORK ? TOO_MUCH : schemaFault(schema);
  }
}
