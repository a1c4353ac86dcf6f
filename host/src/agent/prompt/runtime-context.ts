/**
 * What is so at this moment, for the end of the last user message: the one place of a request that may change from call to
 * call. Pure: the clock is handed in.
 */
import { contain, wrap } from "./contain.ts";
import { neutraliseTags } from "./neutralise-tags.ts";
import { cutText, oneLine } from "./one-line.ts";

export interface Moment {
  readonly now: Date;
  /** As the host or the request names it; one that is not known counts as UTC. */
  readonly timeZone: string;
  /** Bundles that cannot answer now. */
  readonly down: readonly { readonly name: string; readonly reason: string }[];
  /** Skills that cannot be used now. */
  readonly unavailableSkills: readonly { readonly name: string; readonly reason: string }[];
  /** The app that the person has in front of them. */
  readonly focusedApp: string | null;
  /** What apps last said of themselves. */
  readonly appStates: readonly { readonly name: string; readonly text: string }[];
  /** What the last run of this conversation was doing when it was cut off; null: it ended. */
  readonly interrupted: string | null;
  /** No tool will run any more. */
  readonly lastIteration: boolean;
  /** More that the host has to say, such as that earlier messages were left out. */
  readonly notices: readonly string[];
}

const MAX_STATE = 16_384;
const MAX_NOTICE = 1_024;
const MAX_ROWS = 50;
const INTERRUPTED = "The last run in this conversation was interrupted";
const LAST =
  "This is the last call of this run: no tool will run any more. Answer now with what you have, and say what is left to do.";

export const runtimeContext = (moment: Moment): string => {
  const { focusedApp, interrupted, lastIteration, notices } = moment;
  const lines = [
    `Now: ${timeIn(moment)}`,
    ...rows("App that cannot answer now", moment.down),
    ...rows("Skill that cannot be used now", moment.unavailableSkills),
    ...(focusedApp === null ? [] : [`App in front of the person: ${oneLine(focusedApp)}`]),
    ...(interrupted === null ? [] : [`${INTERRUPTED}: ${oneLine(interrupted, MAX_NOTICE)}`]),
    ...notices.map((notice) => oneLine(notice, MAX_NOTICE)),
    ...(lastIteration ? [LAST] : []),
  ];
  const states = moment.appStates.map(({ name, text }) => contain("app-state", cutText(text, MAX_STATE), { name }));
  return wrap("runtime-context", [...lines.map(neutraliseTags), ...states].join("\n"));
};

const rows = (label: string, all: Moment["down"]): readonly string[] => [
  ...all.slice(0, MAX_ROWS).map(({ name, reason }) => `${label}: ${oneLine(name)}: ${oneLine(reason, MAX_NOTICE)}`),
  ...(all.length > MAX_ROWS ? [`${label}: ${all.length - MAX_ROWS} more`] : []),
];

const timeIn = ({ now, timeZone }: Pick<Moment, "now" | "timeZone">): string => {
  const zone = oneLine(timeZone);
  try {
    return `${format(now, zone)} (${zone})`;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return `${format(now, "UTC")} (UTC)`;
  }
};

/** Of the last time zone: to make one takes longer than all else here. */
let last: { readonly timeZone: string; readonly format: Intl.DateTimeFormat } | null = null;

const formatOf = (timeZone: string): Intl.DateTimeFormat => {
  if (last?.timeZone === timeZone) return last.format;
  const format = new Intl.DateTimeFormat("en-GB", {
    timeZone,
    weekday: "long",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  });
  last = { timeZone, format };
  return format;
};

const format = (now: Date, timeZone: string): string => {
  const parts = formatOf(timeZone).formatToParts(now);
  const of = (type: string): string => parts.find((part) => part.type === type)?.value ?? "";
  return `${of("weekday")} ${of("year")}-${of("month")}-${of("day")} ${of("hour")}:${of("minute")}`;
};
