/** The definitions of one provider that somebody has accepted. Nothing here is ever changed in place. */
import type { Catalogue } from "../../kernel/provider.ts";
import type { RawJson } from "../../kernel/raw-json.ts";

export interface AcceptedTool {
  readonly hash: string;
  /** The whole entry, as the server wrote it. */
  readonly json: RawJson;
}

export interface AcceptedSet {
  /** Under which the definitions were last compared. */
  readonly version: string | null;
  /** Digest of the package or origin of the URL that they came from; null: nobody knows. */
  readonly origin: string | null;
  readonly tools: ReadonlyMap<string, AcceptedTool>;
  readonly instructions: string | null;
  /** What was accepted before is lost, so that nothing is taken without a person's yes, whatever the version. */
  readonly incomplete: boolean;
}

/** What a server lists, and the version under which it does. */
export interface Listing {
  readonly catalogue: Catalogue;
  readonly version: string | null;
}

/** Nobody can say what was accepted: until somebody accepts it anew, nothing is. */
export const LOST_SET: AcceptedSet = {
  version: null,
  origin: null,
  tools: new Map(),
  instructions: null,
  incomplete: true,
};

export const wholeSet = ({ catalogue, version }: Listing, origin: string | null): AcceptedSet => ({
  version,
  origin,
  tools: new Map(catalogue.tools.map(({ name, definition, json }) => [name, { hash: definition, json }])),
  instructions: catalogue.instructions,
  incomplete: false,
});
