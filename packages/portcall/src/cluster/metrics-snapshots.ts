/*
 * Metrics of all workers. The one that a scraper reaches asks the supervisor, which asks the others: a snapshot is what a worker has counted, in
 * the form in which its metrics page passes it on.
 */

/** A metric in a snapshot, as `prom-client` describes it. */
interface Metric {
  readonly name: string
  readonly type: string
  readonly values: readonly MetricValue[]
}

interface MetricValue {
  readonly value: number
  readonly labels: Readonly<Record<string, unknown>>
  /** The name of a part of a histogram. */
  readonly metricName?: string
}

/** Metrics that only grow. Those of a worker that has ended must stay in the sum, or it would look like a restart of the server. */
const GROWING: ReadonlySet<unknown> = new Set(['counter', 'histogram'])

/** The counts of the workers of one server. */
export interface MetricsSnapshots {
  /** Remembers the latest snapshot of a worker. */
  update(worker: object, snapshot: unknown): void
  /** Keeps what a worker has counted that has ended. */
  end(worker: object): void
  /** Returns the latest snapshots of the workers, and what earlier workers have counted. */
  all(): readonly unknown[]
}

export function createMetricsSnapshots(): MetricsSnapshots {
  const latest = new Map<object, readonly Metric[]>()
  let ended: readonly Metric[] = []
  return {
    update: (worker, snapshot) => void (isSnapshot(snapshot) && latest.set(worker, snapshot)),
    end(worker) {
      ended = addGrowing(ended, latest.get(worker) ?? [])
      latest.delete(worker)
    },
    all: () => (ended.length > 0 ? [...latest.values(), ended] : [...latest.values()]),
  }
}

function isSnapshot(snapshot: unknown): snapshot is readonly Metric[] {
  return Array.isArray(snapshot) && snapshot.every((metric: Partial<Metric>) => metric.name && Array.isArray(metric.values))
}

/** Returns the sums of the metrics that only grow. */
function addGrowing(left: readonly Metric[], right: readonly Metric[]): Metric[] {
  const sums = new Map<string, Metric>()
  for (const metric of [...left, ...right]) {
    if (!GROWING.has(metric.type)) continue
    const earlier = sums.get(metric.name)
    sums.set(metric.name, earlier ? { ...metric, values: addValues([...earlier.values, ...metric.values]) } : metric)
  }
  return [...sums.values()]
}

function addValues(values: readonly MetricValue[]): MetricValue[] {
  const sums = new Map<string, MetricValue>()
  for (const each of values) {
    const key = JSON.stringify([each.metricName, Object.entries(each.labels).sort(([a], [b]) => (a < b ? -1 : 1))])
    sums.set(key, { ...each, value: each.value + (sums.get(key)?.value ?? 0) })
  }
  return [...sums.values()]
}
