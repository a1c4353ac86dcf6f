/**
 * Stage 3. Finds what is called on the very sheet that was listed: key scope, then the tool, then the fence of an
 * agent's run, who may act on it, its version and the token. What a key may not name is not told apart from what does not exist by anything but the scope
 * itself. At the CHP door a tool is named by its outward id, everywhere else by its flat name.
 */
import { isAllowedActor } from "../../kernel/is-allowed-actor.ts";
import type { Refusal } from "../../kernel/refusal.ts";
import { viewOf } from "../../kernel/surface.ts";
import { advance, type Identified, type Surfaced, type Target } from "../../kernel/stages.ts";
import type { Sheets } from "./create-surfaces.ts";
import { refuseName } from "./refuse-name.ts";
import { resolveResource } from "./resolve-resource.ts";
import type { Sheet } from "./sheet.ts";
import { BarredActor, otherVersion, stale, unknownProvider } from "./surface-refusals.ts";
import { versionSatisfies } from "./version-satisfies.ts";

export type SheetsOf = Pick<Sheets, "of" | "providers">;

export const createSurface =
  (sheets: SheetsOf) =>
  (call: Identified): Surfaced => {
    const sheet = sheetOf(call, sheets);
    const target = findTarget(call, sheet, sheets);
    const no =
      judgeFence(call, target) ?? judgeActor(call, target) ?? judgeVersion(call, target) ?? judgeToken(call, sheet);
    if (no) throw no;
    return advance(call, { target });
  };

/** Throws where there is none for this caller. */
export const sheetOf = (call: Identified, sheets: SheetsOf): Sheet => {
  const { principal, provider } = call;
  const sheet = sheets.of(principal, provider, viewOf(call.asker.declared));
  if (sheet) return sheet;
  const known = principal.scopes === null ? sheets.providers(principal).map(({ name }) => name) : null;
  throw unknownProvider(provider ?? "", known);
};

/** Throws the Refusal of the scope, of a name that nothing has, or of a list of actors. */
export const findTarget = (call: Identified, sheet: Sheet, sheets: SheetsOf): Target => {
  if (call.operation === "call") return findTool(call, sheet) ?? refuseName(call, sheet, sheets);
  if (call.operation === "prompt") return sheet.findPrompt(call.name) ?? refuseName(call, sheet, sheets);
  return call.operation === "complete" ? findCompletion(call, sheet, sheets) : resolveResource(call, sheet);
};

const findTool = ({ door, name }: Identified, sheet: Sheet): Target | null =>
  door === "chp" ? sheet.findCapability(name) : sheet.findTool(name);

const findCompletion = (call: Identified, sheet: Sheet, sheets: SheetsOf): Target =>
  sheet.findPrompt(call.name) ??
  (call.name.includes(":") ? resolveResource(call, sheet) : refuseName(call, sheet, sheets));

/** What the run of the agent may call at all, whatever its model was shown. */
const judgeFence = ({ run }: Identified, { flatName }: Target): Refusal | null => run?.fence(flatName) ?? null;

/** A sheet does not offer a tool to others; what is no tool is judged here alone. */
export const judgeActor = ({ name, principal }: Identified, { capability }: Target): Refusal | null =>
  isAllowedActor(capability.allowedActors, principal) ? null : new BarredActor(name, principal.id);

export const judgeVersion = ({ envelope }: Identified, target: Target): Refusal | null => {
  const wanted = envelope?.version ?? null;
  return wanted === null || versionSatisfies(target.capability.version, wanted) ? null : otherVersion(target, wanted);
};

export const judgeToken = ({ surface }: Identified, { token }: Sheet): Refusal | null =>
  surface === null || surface === token ? null : stale(token);
