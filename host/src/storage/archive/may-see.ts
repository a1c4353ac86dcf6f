/**
 * Whose events a reader sees: those of their own calls, or all with permission `evidence:read`. A program acts for many, so
 * one that acts for a person sees what it did for that person; a person sees what was done by and for them.
 */
import { covers } from "../../kernel/covers.ts";
import type { Principal } from "../../kernel/principal.ts";
import { principalUri } from "../../kernel/subject.ts";
import type { Json } from "./archive-parts.ts";

export const seesAll = ({ permissions }: Principal): boolean => covers(permissions, "evidence:read");

export const maySee = (reader: Principal, event: Json): boolean => {
  if (seesAll(reader)) return true;
  const subject = event["subject"] as { readonly id?: unknown; readonly on_behalf_of?: unknown } | null;
  if (subject === null || subject === undefined) return false;
  const own = reader.subject?.id ?? principalUri(reader.id);
  if (reader.onBehalfOf !== null) return subject.id === own && subject.on_behalf_of === principalUri(reader.onBehalfOf);
  return subject.id === own || subject.on_behalf_of === own;
};
