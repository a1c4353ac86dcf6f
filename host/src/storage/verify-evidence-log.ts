/**
 * The check that events are the log that a checkpoint was signed over: their leaves are folded into its root. A stretch that
 * begins later is joined to what was before by a consistency proof, a single correlation by the inclusion of its last event.
 */
import type { Findings } from "./verify-evidence-findings.ts";
import { isObject, type Json } from "./verify-evidence-key.ts";
import {
  isIncluded,
  leafOf,
  pushNode,
  rootOfNodes,
  subtreesOfConsistency,
  type TreeNode,
} from "./verify-evidence-tree.ts";

export interface LogEnd {
  readonly scope: "log" | "correlation" | "range" | "bundle";
  readonly trailer: Json;
  readonly lastHash: unknown;
  readonly correlationId: unknown;
}

export class LogCheck {
  readonly #nodes: TreeNode[] = [];
  readonly #kept: Json | null;
  readonly #begin: number;
  #size: number;
  /** The subtrees when the kept checkpoint was made. */
  #then: readonly TreeNode[] | null = null;
  /** Those before the first event. */
  #before: readonly TreeNode[] | null;

  /** `before`: how many events of the log come before the first one here. `kept`: a checkpoint that somebody kept. */
  constructor(before: number, kept: Json | null) {
    this.#begin = before;
    this.#size = before;
    this.#kept = kept;
    this.#before = before === 0 ? [] : null;
    this.#mark();
  }

  add(correlationId: string, contentHash: string): void {
    this.addLeaf(leafOf(correlationId, contentHash));
  }

  /** The bytes of a leaf, one a character. */
  addLeaf(hash: string): void {
    pushNode(this.#nodes, { level: 0, index: this.#size, hash });
    this.#size++;
    this.#mark();
  }

  #mark(): void {
    if (this.#kept?.["tree_size"] === this.#size) this.#then = [...this.#nodes];
  }

  /** How many events the checkpoint does not cover. */
  unsigned(checkpoint: Json): number {
    return Math.max(0, this.#size - Number(checkpoint["tree_size"]));
  }

  /** Against the checkpoint of the text itself. */
  check(findings: Findings, checkpoint: Json, { scope, trailer, lastHash, correlationId }: LogEnd): void {
    const missing = Number(checkpoint["tree_size"]) - this.#size;
    const reason =
      scope === "correlation"
        ? this.#correlationDefect(checkpoint, trailer["inclusion"], { lastHash, correlationId })
        : scope === "log" && missing > 0
          ? `${missing} events that were signed are missing at its end`
          : this.#stretchDefect(checkpoint, trailer["consistency"]);
    findings.settle("log", reason);
  }

  /** Against the kept one; needs the subtrees that `check` may have found. False: the two cannot be compared. */
  checkKept(findings: Findings): boolean {
    if (this.#kept === null || this.#before === null) return false;
    if (Number(this.#kept["tree_size"]) > this.#size) {
      findings.fail("log", `the kept checkpoint counts ${String(this.#kept["tree_size"])} events, here are fewer`);
      return true;
    }
    if (this.#then === null) return false;
    const good = this.#rootOf(this.#then) === this.#kept["root_hash"];
    findings.settle("log", good ? null : "it is not an extension of the kept checkpoint");
    return true;
  }

  #rootOf(nodes: readonly TreeNode[]): string {
    const all = [...(this.#before ?? [])];
    for (const node of nodes) pushNode(all, node);
    return rootOfNodes(all);
  }

  #correlationDefect(
    checkpoint: Json,
    inclusion: unknown,
    last: Pick<LogEnd, "lastHash" | "correlationId">,
  ): string | null {
    if (!isObject(inclusion)) return "there is no proof that the log holds it";
    const isLast =
      inclusion["head_hash"] === last.lastHash &&
      inclusion["correlation_id"] === last.correlationId &&
      inclusion["tree_size"] === checkpoint["tree_size"];
    const good = isLast && isIncluded(inclusion, checkpoint["root_hash"]);
    return good ? null : "its last event is not in the log that was signed";
  }

  #stretchDefect(checkpoint: Json, consistency: unknown): string | null {
    const proofs = (Array.isArray(consistency) ? consistency : []).filter(isObject);
    if (this.#begin > 0 && this.#size === this.#begin) return null;
    if (this.#begin > 0) {
      const proof = proofs.shift();
      const isOf = proof?.["first_size"] === this.#begin && proof["second_size"] === this.#size;
      this.#before = proof !== undefined && isOf ? subtreesOfConsistency(proof) : null;
      if (this.#before === null || this.#rootOf(this.#nodes) !== proof?.["second_root"])
        return "there is no proof of what was before its first event";
    }
    const root = this.#rootOf(this.#nodes);
    const here = { size: this.#size, root };
    const signed = { size: checkpoint["tree_size"], root: checkpoint["root_hash"] };
    if (signed.size === here.size) return root === signed.root ? null : "it is not the log that was signed";
    const [older, newer] = Number(signed.size) < here.size ? [signed, here] : [here, signed];
    const proof = proofs.shift();
    const joins =
      proof !== undefined &&
      proof["first_size"] === older.size &&
      proof["first_root"] === older.root &&
      proof["second_size"] === newer.size &&
      proof["second_root"] === newer.root &&
      subtreesOfConsistency(proof) !== null;
    return joins ? null : "there is no proof that it and the log that was signed are one";
  }
}
