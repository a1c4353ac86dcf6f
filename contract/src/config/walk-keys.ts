/**
 * Walks a value along the schema: which known keys it sets, and which keys nobody knows. The schema library strips unknown
 * keys in silence or refuses them without saying what else there is, so this reads the schema's own description.
 */
import { nearest } from "../nearest.ts";
import { type Finding, pointerOf } from "./finding.ts";

interface Schema {
  readonly def: unknown;
}

/** The members of a schema's definition that lead further down. */
interface Definition {
  readonly type: string;
  readonly shape?: Readonly<Record<string, Schema>>;
  readonly catchall?: Schema;
  readonly element?: Schema;
  readonly valueType?: Schema;
  readonly innerType?: Schema;
  readonly options?: readonly Schema[];
  readonly discriminator?: string;
  readonly values?: readonly unknown[];
}

export interface KeyWalk {
  readonly given: string[];
  /** Unknown keys where they may be ignored. */
  readonly ignored: Finding[];
  /** Unknown keys where ignoring would widen authority. */
  readonly refused: Finding[];
}

const SUGGESTION_DISTANCE = 2;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const definitionOf = (schema: Schema): Definition => schema.def as Definition;

/** Strips default, optional, nullable and the like, and picks the alternative that is meant. */
const meant = (schema: Schema, value: unknown): Definition | null => {
  let definition = definitionOf(schema);
  while (definition.innerType) definition = definitionOf(definition.innerType);
  if (!definition.options) return definition;
  const { discriminator } = definition;
  const options = definition.options.map(definitionOf).filter((option) => option.shape !== undefined);
  if (discriminator === undefined) return isObject(value) ? (options[0] ?? null) : null;
  const chosen = isObject(value) ? value[discriminator] : undefined;
  return options.find((option) => literalOf(option, discriminator)?.includes(chosen)) ?? null;
};

const literalOf = (option: Definition, key: string): readonly unknown[] | undefined => {
  const member = option.shape?.[key];
  return member && definitionOf(member).values;
};

const describeUnknown = (key: string, candidates: readonly string[], ignored: boolean): string => {
  const close = nearest(key, candidates, SUGGESTION_DISTANCE);
  const fate = ignored ? "unknown key, ignored" : "unknown key, refused in this block";
  if (close !== null) return `${fate}; did you mean "${close}"?`;
  return ignored ? fate : `${fate}; known here: ${candidates.join(", ")}`;
};

export const walkKeys = (schema: Schema, value: unknown): KeyWalk => {
  const walk: KeyWalk = { given: [], ignored: [], refused: [] };
  visit(walk, schema, { value, path: [] });
  return walk;
};

interface Place {
  readonly value: unknown;
  readonly path: readonly PropertyKey[];
}

const visit = (walk: KeyWalk, schema: Schema, { value, path }: Place): void => {
  const definition = meant(schema, value);
  if (definition?.element && Array.isArray(value)) {
    const { element } = definition;
    value.forEach((item, index) => visit(walk, element, { value: item, path: [...path, index] }));
    return;
  }
  if (!definition || !isObject(value)) return;
  for (const [key, item] of Object.entries(value)) {
    const place = { value: item, path: [...path, key] };
    const member = definition.valueType ?? memberOf(definition, key);
    if (member) {
      walk.given.push(pointerOf(place.path));
      visit(walk, member, place);
    } else if (definition.shape) {
      const ignored = definition.catchall === undefined;
      const message = describeUnknown(key, Object.keys(definition.shape), ignored);
      (ignored ? walk.ignored : walk.refused).push({ pointer: pointerOf(place.path), message });
    }
  }
};

const memberOf = (definition: Definition, key: string): Schema | undefined =>
  definition.shape && Object.hasOwn(definition.shape, key) ? definition.shape[key] : undefined;
