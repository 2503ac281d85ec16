/** The axis of a chart. */

/** An axis that starts and ends at round values. */
export interface Scale {
  readonly ticks: readonly number[]
  /** Returns the place of a value, from 0 at the lower end to 1. */
  at(value: number): number
}

const ROUND = [1, 2, 2.5, 5, 10]

/** Creates the axis for values. It contains 0. `steps` is about how many steps it has. */
export function createScale(values: readonly number[], steps = 4): Scale {
  const [low, high] = values.reduce(([least, most], value) => [Math.min(least, value), Math.max(most, value)], [0, 0])
  const rough = (high - low || 1) / steps
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = power * (ROUND.find((one) => one * power >= rough) ?? 10)
  const [from, to] = [Math.floor(low / step), Math.max(Math.ceil(high / step), 1)]
  const count = to - from
  const ticks = Array.from({ length: count + 1 }, (_, index) => Number(((from + index) * step).toPrecision(12)))
  return { ticks, at: (value) => (value / step - from) / count }
}
