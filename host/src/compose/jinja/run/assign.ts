/** Gives a value to a target. At the root of a template the names can be imported by others. */
import type { Frame } from "./frame.ts";
import { iterate } from "../values/iterate.ts";
import type { Target } from "../parse/nodes.ts";
import { TemplateError } from "../template-error.ts";
import { Namespace, type Value } from "../values/values.ts";

export const assignName = (name: string, value: Value, frame: Frame): void => {
  frame.scope.names.set(name, value);
  if (frame.scope === frame.unit.root && !name.startsWith("_")) frame.unit.exported.add(name);
};

const assignMember = (target: Target & { kind: "member" }, value: Value, frame: Frame): void => {
  const namespace = frame.scope.get(target.namespace);
  if (!(namespace instanceof Namespace)) {
    throw new TemplateError("runtime", "cannot assign attribute on non-namespace object");
  }
  namespace.members.set(target.name, value);
};

export const assign = (target: Target, value: Value, frame: Frame): void => {
  if (target.kind === "name") return assignName(target.name, value, frame);
  if (target.kind === "member") return assignMember(target, value, frame);
  const values: Value[] = [];
  for (const item of iterate(value, frame.engine.budget)) {
    values.push(item);
    if (values.length > target.items.length) break;
  }
  if (values.length !== target.items.length) {
    const much = values.length > target.items.length ? "too many" : "not enough";
    throw new TemplateError("runtime", `${much} values to unpack (expected ${target.items.length})`);
  }
  for (const [at, item] of target.items.entries()) assign(item, values[at]!, frame);
};
