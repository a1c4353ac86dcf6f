/**
 * The run surface: of what the principal may call, what the message leaves. The rows are those of a client without apps, so
 * that tools for apps alone are not among them. Pure.
 */
import type { ToolRow } from "../../kernel/surface.ts";
import { outsideOf, type RunFence } from "./run-fence.ts";

export const runSurface = <Row extends Pick<ToolRow, "name">>(rows: readonly Row[], fence: RunFence): readonly Row[] =>
  fence.request === null && (fence.skill?.allowedTools ?? null) === null
    ? rows
    : rows.filter(({ name }) => outsideOf(name, fence) === null);
