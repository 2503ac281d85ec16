/** Facts about the layout of a view, measured in it. */
import type { ViewFrame } from '../browser/playwright.ts'

/** The layout of a view. */
export interface PageLayout {
  /** The width of the frame. */
  readonly width: number
  /** The width of the content. */
  readonly contentWidth: number
  /** The controls that are smaller than 44 px, as they are written. */
  readonly smallTargets: readonly string[]
  /** The elements that scroll vertically, as they are written. */
  readonly scrollers: readonly string[]
}

/** The size that fingers hit. */
const MIN_TARGET = 44
const MAX_ENTRIES = 20

/** Links within text, and controls in a label that is large enough, do not count. */
const PROBE = `(() => {
  const root = document.documentElement
  const nameOf = (element) => {
    const [open] = element.outerHTML.slice(0, 160).split('>', 1)
    return open.slice(0, 80) + '>'
  }
  const isHidden = (element) => {
    const { width, height } = element.getBoundingClientRect()
    const style = getComputedStyle(element)
    return width === 0 || height === 0 || style.visibility !== 'visible' || style.display === 'inline' && element.tagName === 'A'
  }
  const sizeOf = (element) => {
    const boxes = [element, ...(element.labels ?? []), element.closest('label')].filter(Boolean).map((one) => one.getBoundingClientRect())
    return [Math.max(...boxes.map(({ width }) => width)), Math.max(...boxes.map(({ height }) => height))]
  }
  const controls = [...document.querySelectorAll('a[href], button, input:not([type=hidden]), select, textarea, summary, [role=button], [role=tab], [role=checkbox], [role=switch]')]
  const small = controls.filter((element) => !isHidden(element) && !element.disabled && Math.min(...sizeOf(element)) < ${MIN_TARGET} - 0.5)
  const scrollers = [...document.querySelectorAll('body *')].filter((element) =>
    element.scrollHeight > element.clientHeight + 1 && /auto|scroll/.test(getComputedStyle(element).overflowY) && element.tagName !== 'TEXTAREA')
  return {
    width: innerWidth,
    contentWidth: Math.max(root.scrollWidth, document.body ? document.body.scrollWidth : 0),
    smallTargets: small.slice(0, ${MAX_ENTRIES}).map(nameOf),
    scrollers: scrollers.slice(0, ${MAX_ENTRIES}).map(nameOf),
  }
})()`

/** Measures the layout of a view. */
export const probePage = (frame: ViewFrame): Promise<PageLayout> => frame.evaluate<PageLayout>(PROBE)
