/**
 * JSON text that is forwarded as it came. Wire bytes are valid UTF-8 (checked at the edge), so a string holds them without
 * loss and splicing is slicing. `RawMembers` is the inside of an object: `"a":1,"b":2`, possibly empty.
 */
export type RawJson = string & { readonly __rawJson: unique symbol };
export type RawMembers = string & { readonly __rawMembers: unique symbol };

export const rawJson = (text: string): RawJson => text as RawJson;
export const rawMembers = (text: string): RawMembers => text as RawMembers;
export const NO_MEMBERS = rawMembers("");
