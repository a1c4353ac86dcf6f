/** The statements that take in other templates. */
import { assignName } from "./assign.ts";
import { evaluate } from "./evaluate.ts";
import type { Frame } from "./frame.ts";
import { listOf } from "../values/iterate.ts";
import { makeGlobals } from "./globals.ts";
import type { Expr, Stmt, Template } from "../parse/nodes.ts";
import { printValue } from "../values/print-value.ts";
import { addBlocks, type ExecuteBody, renderUnit } from "./render-unit.ts";
import { Scope } from "./scope.ts";
import { TemplateError } from "../template-error.ts";
import { typeName } from "../values/type-name.ts";
import { Entity, isList, textOf, Tuple, Undefined, type Value } from "../values/values.ts";

type Node<Kind extends Stmt["kind"]> = Extract<Stmt, { kind: Kind }>;

const nameOf = (value: Value): string => {
  const name = textOf(value);
  if (name !== null) return name;
  if (value instanceof Undefined) throw new TemplateError("undefined", value.reason);
  throw new TemplateError("runtime", `the name of a template is a string, not ${typeName(value)}`);
};

const loadOne = (node: Expr, frame: Frame): Template => {
  const name = nameOf(evaluate(node, frame));
  const template = frame.engine.find(name);
  if (template === null) throw new TemplateError("not_found", name);
  return template;
};

/** The first that exists, where a list of names is given. */
const loadAny = (node: Node<"include">, frame: Frame): Template | null => {
  const value = evaluate(node.template, frame);
  const many = isList(value) || value instanceof Tuple;
  const names = many ? listOf(value, frame.engine.budget).map(nameOf) : [nameOf(value)];
  for (const name of names) {
    const template = frame.engine.find(name);
    if (template !== null) return template;
  }
  if (node.ignoreMissing) return null;
  if (names.length === 0) throw new TemplateError("not_found", "an empty list of templates was given");
  throw new TemplateError("not_found", names.join(", "));
};

const around = (frame: Frame, withContext: boolean): Scope =>
  withContext ? frame.scope : new Scope(null, makeGlobals(frame.engine.budget));

export const executeExtends = (node: Node<"extends">, frame: Frame): void => {
  const { unit } = frame;
  if (frame.scope !== unit.root) throw new TemplateError("syntax", "cannot use extend from a non top-level scope");
  if (unit.parent !== null) throw new TemplateError("runtime", "extended multiple times");
  unit.parent = loadOne(node.template, frame);
  frame.engine.budget.spend(unit.parent.blocks.size);
  addBlocks(unit, unit.parent);
  frame.sink.muted = true;
};

export const executeInclude = (node: Node<"include">, frame: Frame, execute: ExecuteBody): void => {
  const template = loadAny(node, frame);
  if (template === null) return;
  const run = { engine: frame.engine, template, around: around(frame, node.withContext) };
  frame.sink.force(renderUnit(run, execute).text);
};

/** The names that a template exports, as members. */
const importModule = (node: Node<"import"> | Node<"from">, frame: Frame, execute: ExecuteBody): Entity => {
  const template = loadOne(node.template, frame);
  const run = { engine: frame.engine, template, around: around(frame, node.withContext) };
  const { text, unit } = renderUnit(run, execute);
  const member = (name: string): Value | undefined => (unit.exported.has(name) ? unit.root.names.get(name) : undefined);
  return new Entity({ type: "TemplateModule", print: () => text, member });
};

export const executeImport = (node: Node<"import">, frame: Frame, execute: ExecuteBody): void => {
  assignName(node.as, importModule(node, frame, execute), frame);
};

export const executeFrom = (node: Node<"from">, frame: Frame, execute: ExecuteBody): void => {
  const module = importModule(node, frame, execute);
  frame.engine.budget.spend(node.names.length);
  const from = printValue(evaluate(node.template, frame), frame.engine.budget);
  for (const [name, as] of node.names) {
    const missing = new Undefined(
      `the template '${from}' (imported on line ${node.line}) does not export the requested name '${name}'`,
    );
    assignName(as, module.member(name) ?? missing, frame);
  }
};
