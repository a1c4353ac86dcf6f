/** The head of the log and proofs about it, for those who watch that nothing is taken away. */
import type { Archive, HeadScheme } from "../../kernel/archive.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { bad, ok } from "./chp-answers.ts";
import type { ChpRoute } from "./chp-parts.ts";

const V1: HeadScheme = "chp-store-head-v1";
const SCHEMES: ReadonlySet<string> = new Set<HeadScheme>([V1, "chp-store-head-v2"]);

export const createHeadRoutes = (archive: Archive): readonly [string, ChpRoute["run"]][] => [
  ["GET /head", async ({ query }) => ok(await archive.head(readScheme(query.get("scheme"))))],
  [
    "GET /head/inclusion/",
    async ({ caller, argument }) => {
      const proof = await archive.inclusion(caller.principal, argument);
      if (proof === null) throw noEvents(argument);
      return ok(proof);
    },
  ],
  [
    "GET /head/consistency",
    async ({ query }) => ok(await archive.consistency(readSize(query, "first"), readSize(query, "second"))),
  ],
  [
    "GET /head/checkpoints",
    async ({ query }) =>
      ok({ checkpoints: await archive.checkpoints(query.has("from") ? readSize(query, "from") : 0) }),
  ],
];

const readScheme = (scheme: string | null): HeadScheme => {
  if (scheme === null) return V1;
  if (SCHEMES.has(scheme)) return scheme as HeadScheme;
  throw bad(`There is no scheme ${JSON.stringify(scheme.slice(0, 60))}.`, `Use ${[...SCHEMES].join(" or ")}.`);
};

const readSize = (query: URLSearchParams, name: string): number => {
  const text = query.get(name) ?? "";
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw bad(`"${name}" is no size of the log.`, "Send an integer from 0 to the sequence that GET /head gives.");
};

const noEvents = (id: string): Refusal =>
  new Refusal("not_found", {
    message: `There is no event of ${JSON.stringify(id.slice(0, 100))} that this caller may see.`,
    next: "Use a correlation of your own calls, or a key with permission evidence:read.",
  });
