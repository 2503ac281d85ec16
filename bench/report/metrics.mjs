const grouped = (value) => Math.round(value).toLocaleString('en')

/** A number with three digits that count. */
const short = (value) => (value >= 100 ? grouped(value) : value.toPrecision(value >= 10 ? 3 : 2))

/** What samples hold: the title of a column, how a value is shown, and whether more is better. */
export const METRICS = {
  perSecond: { title: 'req/s', show: short, better: 'more' },
  p50: { title: 'p50 ms', show: short, better: 'less' },
  p99: { title: 'p99 ms', show: short, better: 'less' },
  cpuPer1000: { title: 'CPU s / 1000', show: short, better: 'less' },
}
