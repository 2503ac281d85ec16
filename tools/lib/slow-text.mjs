import { attacksOn, attackText } from './regex-texts.mjs'

/**
 * Sizes of the texts, and the times that linear work stays far below. They grow slowly enough that the first text which takes too long does not
 * take seconds, whether the time doubles with each character or grows with the third power of the length.
 */
const SIZES = [20, 24, 64, 256, 1024, 4096, 16_384].map((length) => ({ length, maxMs: length > 10_000 ? 10 : 5 }))
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
