/** The value in the middle; nothing of nothing. */
export function median(values) {
  const sorted = values.filter(Number.isFinite).sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 ? sorted[middle] : sorted.length ? (sorted[middle - 1] + sorted[middle]) / 2 : undefined
}

/** The median of how a metric of one row compares with that of another, turn by turn. */
export function ratioOf(samples, others, metric) {
  return median(samples.map((sample, turn) => (sample && others[turn] ? sample[metric] / others[turn][metric] : Number.NaN)))
}
