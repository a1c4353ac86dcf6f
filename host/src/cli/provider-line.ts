/** One line of a person's about a provider: its state, and when it is not running why and what to do. Pure. */
import type { ProviderRow } from "../assembly/host.ts";
import type { ProviderState } from "../kernel/provider.ts";
import type { Paint } from "./terminal.ts";

const COLOURS: Readonly<Record<ProviderState, keyof Paint>> = {
  running: "green",
  starting: "dim",
  crashed: "yellow",
  dead: "red",
  refused: "red",
  stopped: "dim",
};

const NAME_WIDTH = 16;
const STATE_WIDTH = 8;

export const countTools = (count: number): string => (count === 1 ? "1 tool" : `${count} tools`);

/** "exited with code 1." and "Exited…" both end in one full stop. */
const sentence = (text: string): string => (/[.!?…]$/.test(text.trim()) ? text.trim() : `${text.trim()}.`);

export const describeProvider = ({ name, status, tools }: ProviderRow, paint: Paint): string => {
  const state = paint[COLOURS[status.state]](status.state) + " ".repeat(Math.max(0, STATE_WIDTH - status.state.length));
  const head = `  ${name.padEnd(NAME_WIDTH)} ${state}`;
  if (status.state === "running") return `${head} ${countTools(tools)}`;
  const reason = status.reason === null ? "" : ` ${sentence(status.reason)}`;
  const next = status.next === null ? "" : `\n  ${" ".repeat(NAME_WIDTH)} ${paint.dim("→")} ${status.next}`;
  return `${head}${reason}${next}`.trimEnd();
};
