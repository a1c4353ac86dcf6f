/** Reads what somebody wants to approve in advance. What is not clear is refused: it would be wider than was meant. */
import type { NewStandingApproval } from "../../kernel/approvals.ts";
import type { Principal } from "../../kernel/principal.ts";
import { Refusal } from "../../kernel/refusal.ts";

const MAX_DAYS = 30;
const MAX_TOOLS = 64;
const MAX_TESTS = 32;
const MAX_TEXT = 256;
const MAX_USES = 1_000_000;
const PRINCIPAL =
  /^(?:person|agent|service|app):[A-Za-z0-9][\w.@/-]{0,127}(?: for (?:person|agent|service|app):[A-Za-z0-9][\w.@/-]{0,127})?$/;

const wrong = (what: string, next: string): Refusal =>
  new Refusal("bad_request", { message: `This is no standing approval: ${what}.`, next });

const isGlob = (text: unknown): boolean => typeof text === "string" && text !== "" && text.length <= MAX_TEXT;

const readPrincipal = (by: Principal, given: unknown): string => {
  const principal = String(given).replaceAll("://", ":");
  if (!PRINCIPAL.test(principal))
    throw wrong(`${principal.slice(0, MAX_TEXT)} is no principal`, "Name one, such as agent:mcp-client.");
  if (principal === by.id)
    throw wrong("nobody approves their own calls", "Name the agent that acts for you, or ask another person.");
  return principal;
};

const readExpiry = (given: unknown, now: number): string => {
  const at = typeof given === "string" ? Date.parse(given) : NaN;
  if (at > now && at <= now + MAX_DAYS * 86_400_000) return new Date(at).toISOString();
  throw wrong(
    `expires_at must lie within the next ${MAX_DAYS} days`,
    `Give expires_at as a time of the next ${MAX_DAYS} days.`,
  );
};

export const readStandingOrder = (by: Principal, order: NewStandingApproval, now: number): NewStandingApproval => {
  const { tools, arguments: tests, max_uses } = order;
  if (!Array.isArray(tools) || tools.length === 0 || tools.length > MAX_TOOLS || !tools.every(isGlob))
    throw wrong(`tools must be 1 to ${MAX_TOOLS} names or globs`, 'Give tools, such as ["bash__exec"].');
  if (tests !== undefined && (!Array.isArray(tests) || tests.length > MAX_TESTS))
    throw wrong(
      `arguments must be at most ${MAX_TESTS} tests`,
      'Give tests, such as [{"path":"/amount","op":"<","value":10}].',
    );
  if (max_uses !== undefined && !(Number.isInteger(max_uses) && max_uses >= 1 && max_uses <= MAX_USES))
    throw wrong(`max_uses must be a whole number from 1 to ${MAX_USES}`, "Give it, or leave it out.");
  return {
    tools: order.tools.slice(),
    principal: readPrincipal(by, order.principal),
    expires_at: readExpiry(order.expires_at, now),
    ...(tests === undefined ? {} : { arguments: tests }),
    ...(max_uses === undefined ? {} : { max_uses }),
  };
};
