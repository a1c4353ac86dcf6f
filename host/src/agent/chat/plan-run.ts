/** What one message makes of a run before the model is asked: the skill, the tools, the prompt. Nothing is written or sent. */
import type { ChatOrder, Chatter, SkillMatched } from "../../kernel/agent.ts";
import type { Fence } from "../../kernel/call-run.ts";
import type { StoredMessage } from "../../kernel/conversation.ts";
import { composePrompt } from "../prompt/compose-prompt.ts";
import type { Prompt } from "../prompt/join-layers.ts";
import { runtimeContext, type Moment } from "../prompt/runtime-context.ts";
import type { CatalogueEntry, PromptSkill } from "../prompt/prompt-layer.ts";
import type { BookSkill } from "../skills/skill-book.ts";
import { catalogueSkills, contextSkills } from "../skills/skills-in-prompt.ts";
import type { DirectList } from "../surface/direct-list.ts";
import { JoinedTools } from "../surface/joined-tools.ts";
import { recentTools } from "../surface/recent-tools.ts";
import { refuseOutside, type RunFence } from "../surface/run-fence.ts";
import { actFor, type ActingAgent } from "./agent-identity.ts";
import type { AgentPorts, AgentWorkspace } from "./agent-ports.ts";
import { SurfaceOfRun } from "./surface-of-run.ts";

export interface PlannedRun {
  readonly acting: ActingAgent;
  readonly model: string;
  readonly matched: SkillMatched | null;
  readonly fence: Fence;
  readonly surface: SurfaceOfRun;
  readonly joined: JoinedTools;
  readonly tier: DirectList<unknown>["tier"];
  readonly prompt: Prompt;
  readonly runtime: (more: Pick<Moment, "lastIteration" | "notices" | "interrupted">) => string;
}

export interface PlanOrder {
  readonly order: ChatOrder;
  readonly by: Chatter;
  readonly here: AgentWorkspace;
  readonly model: string;
  readonly earlier: readonly StoredMessage[];
}

/** Refusal `bad_request` for a skill that there is not, `unauthenticated` for a credential that is not good any more. */
export const planRun = async (
  ports: AgentPorts,
  { order, by, here, model, earlier }: PlanOrder,
): Promise<PlannedRun> => {
  const acting = actFor(ports.identify, by);
  const loaded = await here.skills.load(acting.principal);
  const wish = { message: order.message, explicit: order.skill };
  const reader = { ...acting, door: "agent", within: null } as const;
  const { match, unreadable } = await here.skills.choose(loaded, wish, reader);
  const rules: RunFence = {
    request: order.allowedTools,
    skill: match && { name: match.skill.name, allowedTools: match.skill.allowedTools },
    focused: order.app?.serverName ?? null,
  };
  const fence: Fence = (name) => refuseOutside(name, rules);
  const { maxDirectTools, identity } = here.settings;
  const surface = new SurfaceOfRun({
    surfaces: ports.surfaces,
    refused: ports.refused,
    principal: () => actFor(ports.identify, by).principal,
    rules,
    fence,
    maxDirectTools,
  });
  const joined = new JoinedTools(maxDirectTools);
  const { direct } = surface.now([]);
  const listed = new Set(direct.listed.map(({ name }) => name));
  joined.join(recentTools(earlier), (name) => listed.has(name));
  const prompt = composePrompt({
    identity: identity ?? null,
    context: contextSkills(loaded.shown).map(promptSkill),
    // What cannot be read in this run is not offered.
    catalogue: surface.whoMayCall("skills__read") === "run" ? catalogueSkills(loaded.shown).map(catalogueEntry) : [],
    apps: here.apps(),
    discovery: direct.tier === "discovery",
    matched: match && promptSkill(match.skill),
  });
  const now = new Date(ports.now());
  const moment = {
    now,
    timeZone: ports.timeZone(),
    down: downNow(ports, acting),
    unavailableSkills: [
      ...loaded.skills.flatMap(({ name, reason }) => (reason === null ? [] : [{ name, reason }])),
      ...unreadable,
    ],
    focusedApp: order.app?.appName ?? null,
    appStates: [],
  };
  return {
    acting,
    model,
    matched: match && { name: match.skill.name, phase: match.phase, matched: match.matched },
    fence,
    surface,
    joined,
    tier: direct.tier,
    prompt,
    runtime: (more) => runtimeContext({ ...moment, ...more }),
  };
};

const promptSkill = ({ name, body, server, path }: BookSkill): PromptSkill => ({ name, body, server, path });

const catalogueEntry = ({ name, description, server, missing }: BookSkill): CatalogueEntry => ({
  name,
  description,
  server,
  missing,
});

const downNow = ({ surfaces }: AgentPorts, { principal }: ActingAgent): Moment["down"] =>
  surfaces
    .providers(principal)
    .flatMap(({ name, status: { state, reason } }) =>
      state === "running" || state === "starting" ? [] : [{ name, reason: reason ?? state }],
    );
