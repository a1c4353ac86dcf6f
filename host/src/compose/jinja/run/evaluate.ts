/** The value of an expression. */
import { calculate, negate } from "../values/arithmetic.ts";
import { compare, contains, equals } from "../values/compare.ts";
import type { Frame } from "./frame.ts";
import { getAttribute, getItem, getSlice } from "../values/get-member.ts";
import { isTrue, iterate } from "../values/iterate.ts";
import type { ArgNodes, CompareOp, Expr } from "../parse/nodes.ts";
import { printValue } from "../values/print-value.ts";
import { spendKey } from "../values/spend-key.ts";
import { TemplateError } from "../template-error.ts";
import { typeName } from "../values/type-name.ts";
import { type Args, Dict, Entity, numberOf, textOf, Tuple, Undefined, type Value } from "../values/values.ts";

const compareBy = (op: CompareOp, sides: readonly [Value, Value], frame: Frame): boolean => {
  const [left, right] = sides;
  const { budget } = frame.engine;
  switch (op) {
    case "==":
      return equals(left, right, budget);
    case "!=":
      return !equals(left, right, budget);
    case "in":
      return contains(right, left, budget);
    case "not in":
      return !contains(right, left, budget);
    case "<":
      return compare(left, right, budget) < 0;
    case "<=":
      return compare(left, right, budget) <= 0;
    case ">":
      return compare(left, right, budget) > 0;
    default:
      return compare(left, right, budget) >= 0;
  }
};

export const evaluateArgs = (nodes: ArgNodes, frame: Frame): Args => {
  const { budget } = frame.engine;
  const positional = nodes.positional.map((node) => evaluate(node, frame));
  const named = new Map<string, Value>();
  for (const [name, node] of nodes.named) {
    if (named.has(name)) throw new TemplateError("syntax", `keyword argument repeated: ${name}`);
    named.set(name, evaluate(node, frame));
  }
  if (nodes.star !== null) for (const value of iterate(evaluate(nodes.star, frame), budget)) positional.push(value);
  if (nodes.starStar !== null) {
    const given = evaluate(nodes.starStar, frame);
    if (!(given instanceof Dict)) throw new TemplateError("runtime", `** needs a mapping, not ${typeName(given)}`);
    budget.spend(given.size);
    for (const [key, value] of given.entries()) {
      const name = textOf(key);
      if (name === null) throw new TemplateError("runtime", "keywords must be strings");
      if (named.has(name)) throw new TemplateError("runtime", `got multiple values for keyword argument '${name}'`);
      named.set(name, value);
    }
  }
  return { positional, named };
};

export const callValue = (callee: Value, args: Args): Value => {
  if (callee instanceof Entity && callee.call !== null) return callee.call(args);
  if (callee instanceof Undefined) throw new TemplateError("undefined", callee.reason);
  throw new TemplateError("runtime", `'${typeName(callee)}' object is not callable`);
};

type Evaluator<Kind extends Expr["kind"]> = (node: Extract<Expr, { kind: Kind }>, frame: Frame) => Value;

const evaluateDict: Evaluator<"dict"> = (node, frame) => {
  const dict = new Dict();
  for (const [name, value] of node.items) {
    const key = evaluate(name, frame);
    spendKey(key, frame.engine.budget);
    dict.set(key, evaluate(value, frame));
  }
  return dict;
};

const evaluateLogic: Evaluator<"logic"> = (node, frame) => {
  const left = evaluate(node.left, frame);
  return isTrue(left) === (node.op === "or") ? left : evaluate(node.right, frame);
};

const evaluateCompare: Evaluator<"compare"> = (node, frame) => {
  let left = evaluate(node.first, frame);
  for (const [op, operand] of node.rest) {
    const right = evaluate(operand, frame);
    if (!compareBy(op, [left, right], frame)) return false;
    left = right;
  }
  return true;
};

const evaluateConcat: Evaluator<"concat"> = (node, frame) => {
  const { budget } = frame.engine;
  let text = "";
  for (const item of node.items) {
    text += printValue(evaluate(item, frame), budget);
    if (text.length > budget.maxText) budget.spendText(text.length);
  }
  return text;
};

const evaluateItem: Evaluator<"item"> = (node, frame) => {
  const of = evaluate(node.of, frame);
  const { key } = node;
  if (key.kind !== "slice") return getItem(of, evaluate(key, frame), frame.engine.budget);
  const bound = (part: Expr | null): Value => (part === null ? null : evaluate(part, frame));
  const parts = { start: bound(key.start), stop: bound(key.stop), step: bound(key.step) };
  return getSlice(of, parts, frame.engine.budget);
};

const evaluateSign: Evaluator<"sign"> = (node, frame) => {
  const value = evaluate(node.of, frame);
  return node.op === "-" || numberOf(value) === null ? negate(value) : numberOf(value)!;
};

const evaluateCond: Evaluator<"cond"> = (node, frame) => {
  if (isTrue(evaluate(node.test, frame))) return evaluate(node.yes, frame);
  if (node.no !== null) return evaluate(node.no, frame);
  return new Undefined(
    `the inline if-expression on line ${node.line} evaluated to false and no else section was defined.`,
  );
};

const evaluateAll = (nodes: readonly Expr[], frame: Frame): Value[] => nodes.map((node) => evaluate(node, frame));

const SCOPES_PER_STEP = 16;

const EVALUATORS: { readonly [Kind in Expr["kind"]]: Evaluator<Kind> } = {
  const: (node) => node.value,
  name: (node, frame) => {
    frame.engine.budget.spend(frame.scope.depth / SCOPES_PER_STEP);
    return frame.scope.get(node.name);
  },
  tuple: (node, frame) => new Tuple(evaluateAll(node.items, frame)),
  list: (node, frame) => evaluateAll(node.items, frame),
  dict: evaluateDict,
  cond: evaluateCond,
  logic: evaluateLogic,
  not: (node, frame) => !isTrue(evaluate(node.of, frame)),
  sign: evaluateSign,
  binary: (node, frame) =>
    calculate(node.op, [evaluate(node.left, frame), evaluate(node.right, frame)], frame.engine.budget),
  concat: evaluateConcat,
  compare: evaluateCompare,
  call: (node, frame) => callValue(evaluate(node.of, frame), evaluateArgs(node.args, frame)),
  filter: (node, frame) => {
    const value = node.of === null ? "" : evaluate(node.of, frame);
    return frame.engine.filter(node.name, value, evaluateArgs(node.args, frame));
  },
  test: (node, frame) => frame.engine.test(node.name, evaluate(node.of, frame), evaluateArgs(node.args, frame)),
  attribute: (node, frame) => getAttribute(evaluate(node.of, frame), node.name, frame.engine.budget),
  item: evaluateItem,
  // Only stands inside of an item, which takes it apart.
  slice: () => null,
};

export const evaluate = (node: Expr, frame: Frame): Value => {
  const { budget } = frame.engine;
  budget.enter();
  const value = (EVALUATORS[node.kind] as (node: Expr, frame: Frame) => Value)(node, frame);
  budget.leave();
  return value;
};

/** A chain of filters over the text of a block. */
export const filterText = (chain: Expr, text: string, frame: Frame): Value => {
  if (chain.kind !== "filter") return text;
  const value = chain.of === null ? text : filterText(chain.of, text, frame);
  return frame.engine.filter(chain.name, value, evaluateArgs(chain.args, frame));
};
