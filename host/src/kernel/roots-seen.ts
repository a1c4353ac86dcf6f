/** The roots in force as people and tools are shown them: which there are, and why one is no base. */
import type { PathProfile } from "@bailiwick/contract";
import type { RootList } from "./roots.ts";

export interface RootsSeen {
  readonly profile: PathProfile;
  readonly supports_roots: boolean;
  readonly count: number;
  readonly roots: readonly {
    readonly name: string | null;
    readonly uri: string;
    readonly usable: boolean;
    readonly reason?: string;
  }[];
}

export const rootsSeen = ({ profile, supportsRoots, count, rows }: RootList): RootsSeen => ({
  profile,
  supports_roots: supportsRoots,
  count,
  roots: rows.map(({ name, uri, path, reason }) => ({
    name,
    uri,
    usable: path !== null,
    ...(reason === null ? {} : { reason }),
  })),
});
