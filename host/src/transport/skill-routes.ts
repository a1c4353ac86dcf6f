/**
 * The routes on which skills and skill packages are seen, and a changed package is accepted. A key sees those of which it may
 * name something; what a package's scripts wrote and want from the host is for those who steer it.
 */
import { isInScope } from "../kernel/may-name.ts";
import type { Principal } from "../kernel/principal.ts";
import { Refusal } from "../kernel/refusal.ts";
import type { PackageDetail, SkillSeen } from "../kernel/skill-admin.ts";
import { skillRow } from "../kernel/skill-row.ts";
import type { ListenerDeps } from "./listener-deps.ts";
import { readDigestOrder, readSkillFilter } from "./read-gate-orders.ts";
import { readRestBody } from "./read-rest-body.ts";
import { hasPermission } from "./require-permission.ts";
import { ok, type RestRoute } from "./rest-route.ts";
import { seesBundle } from "./sees-bundle.ts";
import { createSteering } from "./steering.ts";

type Run = RestRoute["run"];

/** Skills that bring no tools are read from this provider. */
const READ_FROM = "skills";

export const createSkillRoutes = ({
  skills,
  bundles,
  surfaces,
}: Pick<ListenerDeps, "skills" | "bundles" | "surfaces">): [string, RestRoute][] => {
  const steering = createSteering(bundles);
  const sees = (principal: Principal, { kind, name }: SkillSeen): boolean =>
    seesBundle(principal, kind === "package" ? name : READ_FROM, surfaces);
  const list: Run = ({ caller: { principal }, query }) => {
    const rows = skills.list(principal.workspace, readSkillFilter(query)).filter((skill) => sees(principal, skill));
    return ok({ skills: rows.map((skill) => skillRow(narrowed(principal, skill))) });
  };
  const get: Run = ({ caller: { principal }, argument }) => {
    const skill = skills.get(principal.workspace, argument);
    if (skill === null || !sees(principal, skill)) throw unseen(argument);
    const shown = hasPermission(principal, "bundles:manage") ? skill : quiet(skill);
    return ok(skillRow(narrowed(principal, shown)));
  };
  const accept: Run = async ({ req, caller: { principal }, argument }) => {
    const asking = steering.byPerson(principal, "package_accept", argument);
    const digest = readDigestOrder(await readRestBody(req));
    return ok(skillRow(await skills.accept(argument, digest, asking)));
  };
  return [
    ["GET /v1/skills", { run: list }],
    ["GET /v1/skills/*", { run: get }],
    ["POST /v1/skills/*/accept", { run: accept }],
  ];
};

/** No tool that this key may not name. */
const narrowed = <Skill extends SkillSeen>({ scopes }: Principal, skill: Skill): Skill =>
  scopes === null ? skill : { ...skill, tools: skill.tools.filter((tool) => isInScope(scopes, tool)) };

const quiet = (skill: SkillSeen | PackageDetail): SkillSeen => {
  if (!("logs" in skill)) return skill;
  const { env: _env, logs: _logs, ...detail } = skill;
  return detail;
};

const unseen = (name: string): Refusal =>
  new Refusal("not_found", {
    message: `There is no skill ${JSON.stringify(name.slice(0, 64))} that this key may name.`,
    next: "List those that it may: GET /v1/skills",
  });
