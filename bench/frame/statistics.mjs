/** The value in the middle; nothing of nothing. */
export function median(values) {
  const sorted = values.filter(Number.isFinite).sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 ? sorted[middle] : sorted.length ? (sorted[middle - 1] + sorted[middle]) / 2 : undefined
}

/** The median over rounds of how a metric of one row compares with that of another, round by round. */
export function ratioOf(samples, others, metric) {
  return median(samples.map((sample, round) => (sample && others[round] ? sample[metric] / others[round][metric] : Number.NaN)))
}
