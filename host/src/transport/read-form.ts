/** Reads the fields of a small HTML form; what is wrong with it is thrown as its refusal. */
import type { IncomingMessage } from "node:http";
import { Refusal } from "../kernel/refusal.ts";
import { readBody, type Body } from "./read-body.ts";

const MAX_BYTES = 8_192;
const FORM = /^application\/x-www-form-urlencoded\s*(?:;|$)/i;

export const readForm = async (req: IncomingMessage): Promise<URLSearchParams> => {
  if (!FORM.test(req.headers["content-type"] ?? "")) {
    throw new Refusal("unsupported_type", {
      message: "This is not what the page's own form sends.",
      next: "Open the page in a browser and use its button.",
    });
  }
  const bytes = await new Promise<Body>((resolve) => readBody(req, MAX_BYTES, resolve));
  if (typeof bytes !== "string") return new URLSearchParams(bytes.toString("utf8"));
  throw new Refusal(bytes === "too-large" ? "too_large" : "bad_request", {
    message: "The form is too large, or did not arrive whole.",
    next: "Go back and send it again.",
  });
};
