/** The statement `for`, with its filter, its else and its recursion. */
import { assign } from "./assign.ts";
import { evaluate } from "./evaluate.ts";
import { type Frame, Sink } from "./frame.ts";
import { isTrue, iterate, lengthOf } from "../values/iterate.ts";
import { LoopState } from "./loop-state.ts";
import type { ForNode } from "../parse/nodes.ts";
import type { ExecuteBody } from "./render-unit.ts";
import { Scope } from "./scope.ts";
import type { Value } from "../values/values.ts";

/** The items that the filter lets pass, asked for one at a time: the body may change what the filter sees. */
function* passing(node: ForNode, over: Value, frame: Frame): Generator<Value, undefined> {
  for (const item of iterate(over, frame.engine.budget)) {
    if (node.filter !== null) {
      const scoped = { ...frame, scope: new Scope(frame.scope) };
      assign(node.target, item, scoped);
      if (!isTrue(evaluate(node.filter, scoped))) continue;
    }
    yield item;
  }
}

interface Run {
  readonly node: ForNode;
  readonly over: Value;
  readonly depth: number;
}

const runLoop = ({ node, over, depth }: Run, frame: Frame, execute: ExecuteBody): void => {
  const recurse = (value: Value): string => {
    const sink = new Sink(frame.engine.budget);
    runLoop({ node, over: value, depth: depth + 1 }, { ...frame, sink }, execute);
    return sink.text;
  };
  const loop = new LoopState({
    source: passing(node, over, frame),
    length: node.filter === null ? lengthOf(over) : null,
    depth,
    recurse: node.recursive ? recurse : null,
    budget: frame.engine.budget,
  });
  const entity = loop.entity();
  let ran = false;
  for (let item = loop.advance(); item !== undefined; item = loop.advance()) {
    ran = true;
    const scoped = { ...frame, scope: new Scope(frame.scope) };
    if (node.hasLoop) scoped.scope.names.set("loop", entity);
    assign(node.target, item, scoped);
    execute(node.body, scoped);
  }
  if (!ran) execute(node.otherwise, { ...frame, scope: new Scope(frame.scope) });
};

export const executeFor = (node: ForNode, frame: Frame, execute: ExecuteBody): void => {
  runLoop({ node, over: evaluate(node.over, frame), depth: 1 }, frame, execute);
};
