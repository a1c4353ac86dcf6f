/** What a caller is told about the capabilities that it may see, as CHP describes one (`capability-descriptor`). */
import type { Principal } from "./principal.ts";

export type Descriptor = Readonly<Record<string, unknown>>;

/** All of a principal's surface, or of one provider in it; the same objects while nothing changed. */
export type DescriptorsOf = (principal: Principal, provider?: string) => readonly Descriptor[];
