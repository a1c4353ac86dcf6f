/** Carries out the statements of a template. */
import { assign, assignName } from "./assign.ts";
import { evaluate, evaluateArgs, callValue, filterText } from "./evaluate.ts";
import { executeFor } from "./execute-for.ts";
import { executeExtends, executeFrom, executeImport, executeInclude } from "./execute-loads.ts";
import { type Frame, Sink } from "./frame.ts";
import { isTrue } from "../values/iterate.ts";
import { makeMacro } from "./make-macro.ts";
import type { Body, Stmt } from "../parse/nodes.ts";
import { printValue } from "../values/print-value.ts";
import { renderBlock } from "./render-block.ts";
import { Scope } from "./scope.ts";
import { TemplateError } from "../template-error.ts";

type Executor<Kind extends Stmt["kind"]> = (node: Extract<Stmt, { kind: Kind }>, frame: Frame) => void;

/** The text that a body makes in a scope of its own. */
const renderBody = (body: Body, frame: Frame): string => {
  const sink = new Sink(frame.engine.budget);
  executeBody(body, { ...frame, sink });
  return sink.text;
};

const inner = (frame: Frame): Frame => ({ ...frame, scope: new Scope(frame.scope) });

const executeIf: Executor<"if"> = (node, frame) => {
  for (const [test, body] of node.branches) if (isTrue(evaluate(test, frame))) return executeBody(body, frame);
  executeBody(node.otherwise, frame);
};

const executeSetBlock: Executor<"set-block"> = (node, frame) => {
  const text = renderBody(node.body, inner(frame));
  assign(node.target, node.filter === null ? text : filterText(node.filter, text, frame), frame);
};

const executeWith: Executor<"with"> = (node, frame) => {
  const scoped = inner(frame);
  for (const [at, target] of node.targets.entries()) assign(target, evaluate(node.values[at]!, frame), scoped);
  executeBody(node.body, scoped);
};

const executeCall: Executor<"call-block"> = (node, frame) => {
  const args = evaluateArgs(node.call.args, frame);
  if (args.named.has("caller")) throw new TemplateError("runtime", "a call block gives the argument caller itself");
  frame.engine.budget.spend(args.named.size);
  const named = new Map(args.named).set("caller", makeMacro(node.macro, frame, renderBody));
  const made = callValue(evaluate(node.call.of, frame), { positional: args.positional, named });
  frame.sink.force(printValue(made, frame.engine.budget));
};

const executeBlock: Executor<"block"> = (node, frame) => {
  // At the root of a template that extends another, blocks are only told of.
  if (frame.unit.parent !== null && frame.scope === frame.unit.root) return;
  const base = node.scoped ? new Scope(frame.scope) : frame.base;
  frame.sink.force(renderBlock({ name: node.name, depth: 0, base }, frame, renderBody));
};

const EXECUTORS: { readonly [Kind in Stmt["kind"]]: Executor<Kind> } = {
  text: (node, frame) => frame.sink.write(node.text),
  print: (node, frame) => {
    if (!frame.sink.muted) frame.sink.write(printValue(evaluate(node.value, frame), frame.engine.budget));
  },
  if: executeIf,
  for: (node, frame) => executeFor(node, frame, executeBody),
  set: (node, frame) => assign(node.target, evaluate(node.value, frame), frame),
  "set-block": executeSetBlock,
  with: executeWith,
  "filter-block": (node, frame) => {
    const sink = new Sink(frame.engine.budget);
    sink.muted = frame.sink.muted;
    executeBody(node.body, { ...inner(frame), sink });
    frame.sink.force(printValue(filterText(node.filter, sink.text, frame), frame.engine.budget));
  },
  macro: (node, frame) => assignName(node.macro.name, makeMacro(node.macro, frame, renderBody), frame),
  "call-block": executeCall,
  block: executeBlock,
  extends: executeExtends,
  include: (node, frame) => executeInclude(node, frame, executeBody),
  import: (node, frame) => executeImport(node, frame, executeBody),
  from: (node, frame) => executeFrom(node, frame, executeBody),
};

export const executeBody = (body: Body, frame: Frame): void => {
  const { engine } = frame;
  for (const node of body) {
    engine.line = node.line;
    engine.template = frame.template.name;
    engine.budget.enter();
    (EXECUTORS[node.kind] as (node: Stmt, frame: Frame) => void)(node, frame);
    engine.budget.leave();
  }
};
