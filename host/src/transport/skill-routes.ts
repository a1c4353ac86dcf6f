/**
 * The routes on which skills and skill packages are seen, and a changed package is accepted. What a package's scripts wrote and
 * want from the host, and how it was changed, is for those who steer it.
 */
import type { Principal } from "../kernel/principal.ts";
import { Refusal } from "../kernel/refusal.ts";
import type { PackageDetail, SkillSeen } from "../kernel/skill-admin.ts";
import { skillRow } from "../kernel/skill-row.ts";
import type { ListenerDeps } from "./listener-deps.ts";
import { readDigestOrder, readSkillFilter } from "./read-gate-orders.ts";
import { readRestBody } from "./read-rest-body.ts";
import { hasPermission } from "./require-permission.ts";
import { ok, type RestRoute } from "./rest-route.ts";
import { createSteering } from "./steering.ts";

type Run = RestRoute["run"];

export const createSkillRoutes = ({
  skills,
  bundles,
}: Pick<ListenerDeps, "skills" | "bundles">): [string, RestRoute][] => {
  const steering = createSteering(bundles);
  const list: Run = async ({ caller: { principal }, query }) => {
    const listed = await skills.list(principal, readSkillFilter(query));
    // They name files of the host.
    const warnings = steers(principal) ? listed.warnings : [];
    return ok({ skills: listed.skills.map(skillRow), warnings });
  };
  const get: Run = async ({ caller: { principal }, argument }) => {
    const skill = await skills.get(principal, argument);
    if (skill === null) throw unseen(argument);
    return ok(skillRow(steers(principal) ? skill : quiet(skill)));
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

const steers = (principal: Principal): boolean => hasPermission(principal, "bundles:manage");

const quiet = (skill: SkillSeen | PackageDetail): SkillSeen => {
  if (!("logs" in skill)) return skill;
  const { env: _env, logs: _logs, changes: _changes, ...detail } = skill;
  return detail;
};

const unseen = (name: string): Refusal =>
  new Refusal("not_found", {
    message: `There is no skill ${JSON.stringify(name.slice(0, 64))} that this key may name.`,
    next: "List those that it may: GET /v1/skills",
  });
