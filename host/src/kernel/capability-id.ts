/** Outward ids: characters outside `[A-Za-z0-9_.:-]` as `:HH` of their UTF-8 bytes. */
const PLAIN = /^[A-Za-z0-9_.:-]{1,256}$/;
const MAX_NAME = 256;

export const capabilityId = (name: string): string =>
  PLAIN.test(name)
    ? name
    : Buffer.from(name.slice(0, MAX_NAME) || "?", "utf8")
        .toString("latin1")
        .replace(/[^A-Za-z0-9_.:-]/g, (c) => `:${c.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`);
