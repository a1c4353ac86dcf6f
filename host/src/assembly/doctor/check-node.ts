/** The runtime: what the packages promise to work on. Pure. */
import { fail, ok, type Check } from "./check.ts";

const LEAST = [22, 18] as const;

export const checkNode = (version: string): Check => {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const isEnough = major > LEAST[0] || (major === LEAST[0] && minor >= LEAST[1]);
  if (isEnough) return ok("node", `Node ${version}`);
  return fail("node", `Node ${version} is older than ${LEAST.join(".")}.`, "Install Node 24: https://nodejs.org");
};
