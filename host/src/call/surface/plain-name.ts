/** The flat name that an outward id was derived from: what `capabilityId` escaped, undone. */
export const plainName = (id: string): string =>
  Buffer.from(
    id.replace(/:([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    "latin1",
  ).toString("utf8");
