/** Accessibility, by axe-core of the user's project. */
import { readFileSync } from 'node:fs'
import { locatePackage } from '../browser/find-playwright.ts'
import type { ViewFrame } from '../browser/playwright.ts'
import { type ViewFinding, viewFinding } from './finding.ts'

interface AxeViolation {
  readonly id: string
  readonly help: string
  readonly helpUrl: string
  readonly nodes: readonly string[]
}

/** The rules of WCAG A and AA. A view is transparent on the background of its host, which axe does not see. */
const RUN = `(async () => {
  const backgrounds = [document.documentElement, document.body].filter(Boolean)
  const isClear = backgrounds.every((element) => getComputedStyle(element).backgroundColor === 'rgba(0, 0, 0, 0)')
  const before = document.body.style.background
  if (isClear) document.body.style.background = matchMedia('(prefers-color-scheme: dark)').matches ? '#1c1c1f' : '#fff'
  try {
    const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']
    const { violations } = await axe.run(document, { runOnly: { type: 'tag', values: tags }, resultTypes: ['violations'] })
    return violations.map(({ id, help, helpUrl, nodes }) => ({ id, help, helpUrl, nodes: nodes.slice(0, 3).map(({ html }) => html.slice(0, 100)) }))
  } finally {
    document.body.style.background = before
  }
})()`

/** Returns the source of axe-core, if the project has it. */
export function findAxe(folder: string): string | undefined {
  const path = locatePackage('axe-core', folder)
  return path === undefined ? undefined : readFileSync(path, 'utf8')
}

/** Runs axe in a view. */
export async function axeFindings(frame: ViewFrame, axe: string): Promise<ViewFinding[]> {
  await frame.evaluate(`${axe}\n;undefined`)
  const violations = await frame.evaluate<AxeViolation[]>(RUN)
  return violations.map(({ id, help, helpUrl, nodes }) => ({
    ...viewFinding('error', 'view-axe', `${id}: ${help}: ${nodes.join(' | ')}`),
    advice: `See ${helpUrl}`,
  }))
}
