/** The parts that the marks of all charts have: colors, values and hints. */
import type { ChartSpec } from '../spec.ts'
import { textOfValue } from '../values.ts'
import { locale, svg } from './dom.ts'

/** The number of colors. */
export const COLORS = 8

/** Returns a value with its unit. */
export const valueText = (value: number | undefined, { unit }: ChartSpec): string =>
  textOfValue(value, unit === undefined ? {} : { unit }, locale())

/** Returns the text that a browser shows beside a mark under the pointer. */
export function tip(
  spec: ChartSpec,
  { title, label, value }: { readonly title: string; readonly label: string; readonly value: number },
): SVGElement {
  return svg('title', {}, `${label}${title === '' ? '' : `, ${title}`}: ${valueText(value, spec)}`)
}
