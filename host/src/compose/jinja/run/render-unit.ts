/** Renders one template from its root, then those that it extends, over one set of blocks. */
import type { Engine } from "./engine.ts";
import { type Frame, Sink, type Unit } from "./frame.ts";
import type { Body, Template } from "../parse/nodes.ts";
import { selfReference } from "./render-block.ts";
import { Scope } from "./scope.ts";

/** Passed in, since statements lead back here. */
export type ExecuteBody = (body: Body, frame: Frame) => void;

export interface UnitRun {
  readonly engine: Engine;
  readonly template: Template;
  /** What the template sees besides its own names. */
  readonly around: Scope;
}

export interface RenderedUnit {
  readonly text: string;
  readonly unit: Unit;
}

export const addBlocks = (unit: Unit, template: Template): void => {
  for (const [name, node] of template.blocks) {
    const versions = unit.blocks.get(name);
    if (versions === undefined) unit.blocks.set(name, [{ node, template }]);
    else versions.push({ node, template });
  }
};

export const renderUnit = ({ engine, template, around }: UnitRun, execute: ExecuteBody): RenderedUnit => {
  const root = new Scope(around);
  const unit: Unit = { root, blocks: new Map(), exported: new Set(), parent: null };
  const renderBody = (body: Body, frame: Frame): string => {
    const sink = new Sink(engine.budget);
    execute(body, { ...frame, sink });
    return sink.text;
  };
  engine.budget.spend(template.blocks.size);
  addBlocks(unit, template);
  const { line, template: before } = engine;
  let text = "";
  for (let at: Template | null = template; at !== null; at = unit.parent) {
    unit.parent = null;
    const sink = new Sink(engine.budget);
    const frame: Frame = { engine, unit, template: at, scope: root, base: root, sink };
    root.names.set("self", selfReference(frame, renderBody));
    engine.budget.enter();
    execute(at.body, frame);
    engine.budget.leave();
    text += sink.text;
  }
  engine.line = line;
  engine.template = before;
  return { text, unit };
};
