/** What others signed about this host: countersignatures, anchors, withdrawn mandates. */
import type { Statements } from "../../kernel/archive.ts";
import { ok } from "./chp-answers.ts";
import type { ChpRoute } from "./chp-parts.ts";
import { readChpBody } from "./read-chp-body.ts";

type Add = (statement: unknown, sender: string) => Promise<unknown>;

const taking =
  (add: Add): ChpRoute["run"] =>
  async ({ req, caller }) =>
    ok(await add((await readChpBody(req)).value, caller.principal.id));

export const createStatementRoutes = (statements: Statements): readonly [string, ChpRoute["run"]][] => [
  ["POST /witness", taking((statement) => statements.addWitness(statement))],
  ["GET /witnesses", () => ok({ witnesses: statements.witnesses() })],
  ["POST /anchors", taking((statement) => statements.addAnchor(statement))],
  ["GET /anchors", () => ok({ anchors: statements.anchors() })],
  ["POST /revocations", taking((statement, sender) => statements.addRevocation(statement, sender))],
  ["GET /revocations", ({ query }) => ok(statements.revocations(query.get("after") ?? ""))],
];
