/** `sandbox`, for all processes or for one entry. */
import * as z from "zod/mini";
import { flag, path, withDefault } from "./basics.ts";

export const sandboxSchema = z.strictObject({
  profile: withDefault(z.enum(["off", "bwrap"]), "off"),
  require: flag(false),
  network: withDefault(z.enum(["host", "none"]), "host"),
  read: withDefault(z.array(path), []),
  write: withDefault(z.array(path), []),
});
