import { attacksOn, attackText } from './regex-texts.mjs'

/** Sizes of the texts, and the times that linear work stays far below. */
const SIZES = [
  { length: 24, maxMs: 5 },
  { length: 256, maxMs: 5 },
  { length: 2048, maxMs: 5 },
  { length: 16_384, maxMs: 10 },
]
const RUNS = 4
const MAX_GROWTH = 3

/** Returns a text that an expression takes too long for. */
export function slowText({ source, flags }) {
  const regex = new RegExp(source, flags)
  for (const attack of attacksOn({ source, flags })) {
    for (const { length, maxMs } of SIZES) {
      const text = attackText(attack, length)
      if (cpuTime(regex, text) <= maxMs) continue
      const half = attackText(attack, length / 2)
      let [large, small] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
      for (let run = 0; run < RUNS; run++) {
        large = Math.min(large, cpuTime(regex, text))
        small = Math.min(small, cpuTime(regex, half))
      }
      if (large > maxMs && large / small > MAX_GROWTH) return { ...attack, length, ms: Math.round(large) }
    }
  }
  return undefined
}

function cpuTime(regex, text) {
  const before = process.cpuUsage()
  regex.lastIndex = 0
  if (regex.global) text.replace(regex, '')
  else regex.exec(text)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}
