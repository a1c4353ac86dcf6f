/** The types of the `capabilities://` family, in the order in which the overview names them. A new type begins here. */
export interface CapabilityType {
  readonly type: "server" | "tools" | "resources" | "generators" | "host" | "skills";
  readonly title: string;
  readonly purpose: string;
  /** Made once for each version of the surface. */
  readonly cached: boolean;
  /** Within how many ms a cold read answers; null: nobody promised. */
  readonly targetMs: number | null;
}

export const OVERVIEW_URI = "capabilities://";

export const CAPABILITY_TYPES: readonly CapabilityType[] = [
  {
    type: "server",
    title: "This server",
    purpose: "Name, versions, features, limits, runtime and live counts.",
    cached: false,
    targetMs: 50,
  },
  {
    type: "tools",
    title: "Tools",
    purpose: "Every tool with its schemas, examples, errors and times. Add /<provider> for those of one provider.",
    cached: true,
    targetMs: 100,
  },
  {
    type: "resources",
    title: "Resources",
    purpose: "Every resource family: URI patterns, parameters and examples.",
    cached: true,
    targetMs: 50,
  },
  {
    type: "generators",
    title: "Generators",
    purpose: "The generators that there are now, what each needs, and how one is chosen.",
    cached: false,
    targetMs: 50,
  },
  {
    type: "host",
    title: "This host",
    purpose: "Environment capabilities, roots, extensions, policy and evidence.",
    cached: false,
    targetMs: null,
  },
  {
    type: "skills",
    title: "Skills and skill packages",
    purpose: "What each needs of this host, what of that is missing, and what is wrong with it.",
    cached: true,
    targetMs: null,
  },
];

export const uriOfType = (type: CapabilityType["type"]): string => `capabilities://${type}`;
