/**
 * Prometheus text, from counters: nothing is read for it that grows with the log. Totals of the host go to those who may
 * read all of its evidence.
 */
import { covers } from "../../kernel/covers.ts";
import type { Principal } from "../../kernel/principal.ts";
import type { ChpParts } from "./chp-parts.ts";
import type { TextAnswer } from "./send-text.ts";

interface Metric {
  readonly name: string;
  readonly type: "counter" | "gauge";
  readonly help: string;
  readonly samples: readonly (readonly [labels: string, value: number])[];
}

export const metricsOf = ({ deps, counts }: Pick<ChpParts, "deps" | "counts">, reader: Principal): TextAnswer => {
  const { info, archive, approvals } = deps;
  const metrics: Metric[] = [
    gauge("bailiwick_uptime_seconds", "Since the host started.", Math.floor((Date.now() - info.startedAt) / 1000)),
    gauge(
      "bailiwick_approvals_pending",
      "Approvals that wait and that the reader may see.",
      approvals.count(reader, "pending"),
    ),
  ];
  if (covers(reader.permissions, "evidence:read")) {
    metrics.push(
      labelled("bailiwick_calls_total", "Calls that ended, by outcome.", ["outcome", counts.outcomes]),
      labelled("bailiwick_refusals_total", "Calls that were refused, by kind.", ["kind", counts.refusals]),
      {
        name: "bailiwick_events_total",
        type: "counter",
        help: "Events in the evidence log.",
        samples: [["", archive.last()]],
      },
    );
  }
  return { type: "text/plain; version=0.0.4; charset=utf-8", text: metrics.map(textOf).join("") };
};

const gauge = (name: string, help: string, value: number): Metric => ({
  name,
  type: "gauge",
  help,
  samples: [["", value]],
});

const labelled = (name: string, help: string, [label, counts]: [string, ReadonlyMap<string, number>]): Metric => ({
  name,
  type: "counter",
  help,
  samples: [...counts].map(([key, value]) => [`{${label}="${key}"}`, value]),
});

const textOf = ({ name, type, help, samples }: Metric): string =>
  [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} ${type}`,
    ...samples.map(([labels, value]) => `${name}${labels} ${value}`),
    "",
  ].join("\n");
