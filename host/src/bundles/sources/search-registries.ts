/** Asks all registries at once. One that cannot be asked is named beside what the others found. */
import { describeFailure } from "../legs/http-failure.ts";
import type { Found, Registry } from "./registry.ts";

export interface SearchResult {
  readonly bundles: readonly Found[];
  readonly unreachable: readonly { readonly registry: string; readonly reason: string }[];
}

const MAX_LIMIT = 100;
const MAX_QUERY = 200;
const TIMEOUT_MS = 15_000;

export const searchRegistries = async (
  registries: readonly Registry[],
  query: string,
  limit: number,
): Promise<SearchResult> => {
  const most = Math.max(1, Math.min(MAX_LIMIT, Math.trunc(limit) || 1));
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const answers = await Promise.allSettled(
    registries.map((registry) => registry.search(query.slice(0, MAX_QUERY), most, signal)),
  );
  const lists: (readonly Found[])[] = [];
  const unreachable: { registry: string; reason: string }[] = [];
  answers.forEach((answer, index) => {
    if (answer.status === "fulfilled") lists.push(answer.value);
    else {
      const reason = answer.reason === signal.reason ? "it did not answer in time" : describeFailure(answer.reason);
      unreachable.push({ registry: registries[index]?.label ?? "", reason });
    }
  });
  return { bundles: takeInTurn(lists, most), unreachable };
};

/** So that the first registry does not push all others out. */
const takeInTurn = (lists: readonly (readonly Found[])[], most: number): Found[] => {
  const taken: Found[] = [];
  const longest = Math.max(0, ...lists.map((list) => list.length));
  for (let row = 0; row < longest && taken.length < most; row++) {
    taken.push(...lists.flatMap((list) => list[row] ?? []));
  }
  return taken.slice(0, most);
};
