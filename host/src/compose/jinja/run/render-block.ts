/** The text of a block: the nearest version of it, which may ask for the next one with super(). */
import type { Frame } from "./frame.ts";
import type { RenderBody } from "./make-macro.ts";
import { Scope } from "./scope.ts";
import { TemplateError } from "../template-error.ts";
import { Entity, Undefined, type Value } from "../values/values.ts";

export interface BlockCall {
  readonly name: string;
  /** How many templates up the line of inheritance. */
  readonly depth: number;
  readonly base: Scope;
}

const superOf = (call: BlockCall, frame: Frame, renderBody: RenderBody): Value => {
  const upper = { ...call, depth: call.depth + 1 };
  if (frame.unit.blocks.get(call.name)?.[upper.depth] === undefined) {
    return new Undefined(`there is no parent block called '${call.name}'.`);
  }
  return new Entity({
    type: "BlockReference",
    print: () => `<BlockReference '${call.name}'>`,
    member: (name) => (name === "super" ? superOf(upper, frame, renderBody) : undefined),
    call: () => renderBlock(upper, frame, renderBody),
  });
};

export const renderBlock = (call: BlockCall, frame: Frame, renderBody: RenderBody): string => {
  const version = frame.unit.blocks.get(call.name)?.[call.depth];
  if (version === undefined) return "";
  if (version.node.required) throw new TemplateError("runtime", `Required block '${call.name}' not found`);
  const { engine } = frame;
  const { line, template } = engine;
  const scope = new Scope(call.base);
  scope.names.set("super", superOf(call, frame, renderBody));
  const text = renderBody(version.node.body, { ...frame, template: version.template, scope, base: call.base });
  engine.line = line;
  engine.template = template;
  return text;
};

/** The name `self`: the blocks of this template, to call. */
export const selfReference = (frame: Frame, renderBody: RenderBody): Entity =>
  new Entity({
    type: "TemplateReference",
    print: () => "<TemplateReference>",
    member: (name) => {
      if (!frame.unit.blocks.has(name)) return undefined;
      const call = (): Value => renderBlock({ name, depth: 0, base: frame.unit.root }, frame, renderBody);
      return new Entity({ type: "BlockReference", print: () => `<BlockReference '${name}'>`, call });
    },
  });
