/** Why a tool may not run until its author mends its definition, and what is done about it: one text for list and refusal. */

/** Each refusal repeats what a tool requires, so a server must not choose how long that is. No longer name can be declared. */
export const MOST_REQUIRED = 64;
export const LONGEST_REQUIRED = 256;

export const UNREADABLE_DECLARATION = Object.freeze({
  reason: "capability_declaration_invalid",
  next:
    "Report it to the author: `_meta.dcc.required_capabilities` must be a list of at most " +
    `${MOST_REQUIRED} strings, each of at most ${LONGEST_REQUIRED} characters.`,
});

/** Its input schema cannot be used. */
export const UNUSABLE_SCHEMA_NEXT =
  "Report it to the author of the bundle; nothing is sent without a check of its arguments.";
