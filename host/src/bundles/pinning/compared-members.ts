/** A tool's definition as it is compared: the members that its hash is made of, for people who look at a difference. */
export const comparedMembers = (tool: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => {
  const meta = tool["_meta"];
  const said: Record<string, unknown> = {};
  for (const member of MEMBERS) if (tool[member] !== undefined) said[member] = tool[member];
  if (typeof meta !== "object" || meta === null || Array.isArray(meta)) return said;
  const { ui, dcc } = meta as Record<string, unknown>;
  if (ui === undefined && dcc === undefined) return said;
  said["_meta"] = { ...(ui === undefined ? {} : { ui }), ...(dcc === undefined ? {} : { dcc }) };
  return said;
};

const MEMBERS = ["name", "title", "description", "inputSchema", "outputSchema", "annotations"] as const;
