/**
 * What finding tools and running the agent cost, as tables.
 */
import type { AgentFinding, DiscoverFinding, Findings, SearchFinding } from "./findings.ts";
import { valueOf } from "./goals.ts";
import { failureNote, number, type Table } from "./table.ts";

const share = (value: number): string => number(value, 3);

const searchRows = (index: SearchFinding, tool: DiscoverFinding): string[][] => [
  ["found among the first five, share of all questions", share(index.recall), share(index.recallPlain)],
  ["… of those for which nothing was changed", share(index.recallUnseen), share(index.recallPlainUnseen)],
  [`a query with ${number(index.tools)} tools, p50 ms`, number(index.p50Ms, 2), ""],
  ["… p99 ms", number(index.p99Ms, 2), ""],
  ["… p99 of the medians of each question, ms", number(index.p99MedianMs, 2), ""],
  ["to index all of them, ms", number(index.buildMs), ""],
  ["… one provider again, ms", number(index.changeMs, 2), ""],
  [
    `nb__discover_tools itself, ${number(tool.tools)} tools of ${tool.bundles} bundles, p50 ms`,
    number(tool.p50Ms, 2),
    "",
  ],
  ["… p99 ms", number(tool.p99Ms, 2), ""],
  ["… the very first, ms", number(tool.firstMs), ""],
  ["… the first after a bundle's list has changed, ms", number(tool.changedMs, 1), ""],
];

const searchTable = ({ search }: Findings): Table => {
  const value = valueOf(search);
  return {
    title: "Finding tools",
    head: ["what", "measured", "plain search"],
    rows: value === null ? [] : searchRows(value.index, value.tool),
    notes: [
      ...(value === null ? [] : [`${number(value.index.questions)} ${SEARCHED}`]),
      ...failureNote("finding tools", search),
    ],
  };
};

const SEARCHED =
  "questions in plain words over the tools of four servers from npm; the plain search looks for the words of the question " +
  "anywhere in names and descriptions. The tool itself is timed inside a host in one process, without gates and evidence.";

const agentRows = ({ message, rest, modelMs, firstTextMs, modelFirstTextMs }: AgentFinding): string[][] => {
  const row = (what: string, ms: number, ofModel: number, cpu: number | null): string[] => [
    what,
    number(ms, 2),
    number(ms - ofModel, 2),
    cpu === null ? "–" : number(cpu),
  ];
  return [
    row("a message with one tool call", message.p50Ms, modelMs, message.cpuMicros),
    row("the same tool call over REST", rest.p50Ms, 0, rest.cpuMicros),
    row("a message that is answered at once, until its first text", firstTextMs, modelFirstTextMs, null),
  ];
};

const agentTable = ({ agent }: Findings): Table => {
  const value = valueOf(agent);
  return {
    title: "The agent beside the model",
    head: ["what", "p50 ms", "… without the model", "CPU µs"],
    rows: value === null ? [] : agentRows(value),
    notes: [...(value === null ? [] : [ASKED]), ...failureNote("the agent", agent)],
  };
};

const ASKED =
  "One at a time, durable, each message a conversation of its own, a stub in place of the model. What the model takes is the " +
  "median of the same requests sent to the stub itself. CPU is that of the host and the echo server.";

export const agentTables = (findings: Findings): Table[] => [searchTable(findings), agentTable(findings)];
