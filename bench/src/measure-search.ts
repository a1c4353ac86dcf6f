/**
 * What finding a tool is worth and costs: the index by itself, and the host's own tool with it.
 */
import type { DiscoverFinding, SearchFinding } from "./findings.ts";
import { runProgram } from "./run-program.ts";

export const measureSearch = async (home: string): Promise<{ index: SearchFinding; tool: DiscoverFinding }> => ({
  index: await runProgram<SearchFinding>("search-tools", []),
  tool: await runProgram<DiscoverFinding>("discover-tools", [home]),
});
