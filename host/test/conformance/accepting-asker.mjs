// A caller that declares all there is, agrees to whatever it is asked and fills forms with their defaults.
import { sampleOf } from "./sample.mjs";

const DECLARED = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };

const ANSWERS = {
  "elicitation/create": ({ requestedSchema }) => ({
    action: "accept",
    ...(requestedSchema && {
      content: sampleOf({ ...requestedSchema, required: Object.keys(requestedSchema.properties) }),
    }),
  }),
  "sampling/createMessage": () => ({
    role: "assistant",
    content: { type: "text", text: "yes" },
    model: "none",
    stopReason: "endTurn",
  }),
  "roots/list": () => ({ roots: [] }),
};

export const ACCEPTING = {
  declared: { json: JSON.stringify(DECLARED), value: DECLARED },
  returns: false,
  held: () => false,
  ask: async ({ method, params }) => ({ kind: "result", json: JSON.stringify(ANSWERS[method](JSON.parse(params))) }),
};
