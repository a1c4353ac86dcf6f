/**
 * Ids of configs, contents and drafts. They become names of files, so each is checked in every tool before anything else
 * looks at it.
 */
import { randomBytes } from "node:crypto";
import { ComposeError } from "../compose-error.ts";

const ID = /^[a-z][a-z0-9-]{0,254}$/;
const DRAFT_ID = /^draft-[0-9]{8}T[0-9]{6}-[0-9a-f]{6}$/;
const PATH_PARTS = ["/", "\\", "..", "\0"];
const MAX_TOLD = 100;

export const isConfigId = (id: string): boolean => ID.test(id);

export const isDraftId = (id: string): boolean => DRAFT_ID.test(id);

const refuse = (id: unknown, message: string): never => {
  const told = typeof id === "string" ? id.slice(0, MAX_TOLD).toWellFormed() : `(${id === null ? "null" : typeof id})`;
  throw new ComposeError("invalid_config_id", message, { config_id: told });
};

const whyNot = (id: unknown, otherwise: string): string => {
  if (typeof id !== "string") return "Config ID must be a string";
  if (id.trim() === "") return "Config ID cannot be empty";
  if (PATH_PARTS.some((part) => id.includes(part))) return "Config ID contains invalid path characters";
  return otherwise;
};

const ID_RULE = "Config ID must begin with a letter and hold only a-z, 0-9 and -, at most 255 characters";
const DRAFT_RULE = "Draft ID must be one that draft_config gave";

/** The id of something saved or stored. */
export const checkConfigId = (id: unknown): string =>
  typeof id === "string" && isConfigId(id) ? id : refuse(id, whyNot(id, ID_RULE));

export const checkDraftId = (id: unknown): string =>
  typeof id === "string" && isDraftId(id) ? id : refuse(id, whyNot(id, DRAFT_RULE));

/** Where either is meant. */
export const checkAnyId = (id: unknown): string => (typeof id === "string" && isDraftId(id) ? id : checkConfigId(id));

export const makeDraftId = (now: Date): string => {
  const time = now.toISOString().slice(0, 19).replaceAll(/[-:]/g, "");
  return `draft-${time}-${randomBytes(3).toString("hex")}`;
};
