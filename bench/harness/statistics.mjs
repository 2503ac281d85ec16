/** Returns the median. Undefined for an empty list. */
export function median(values) {
  const sorted = values.filter(Number.isFinite).sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 ? sorted[middle] : sorted.length ? (sorted[middle - 1] + sorted[middle]) / 2 : undefined
}

/** Returns the median of the comparisons of a metric between two rows, turn by turn. */
export function ratioOf(samples, others, metric) {
  return median(samples.map((sample, turn) => (sample && others[turn] ? sample[metric] / others[turn][metric] : Number.NaN)))
}
