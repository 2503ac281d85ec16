/** The report of `portcall apps test`, for people. */
import { pluralize } from '../../../util/src/pluralize.ts'
import type { Io } from '../io.ts'
import type { AppsReport, TestedSetting } from './report.ts'

/** The findings of a view, or of a server. */
type Fault = AppsReport['findings'][number] | TestedSetting['findings'][number]

/** Prints the views by tool, each finding once with the hosts that have it. */
export function printReport({ views, findings, skipped, browser }: AppsReport, io: Io): void {
  for (const tool of new Set(views.map((view) => view.tool))) {
    io.print([{ tone: 'strong', text: tool }])
    const own = views.filter((view) => view.tool === tool)
    for (const view of own) printSetting(view, io)
    printFaults(own, io)
  }
  for (const finding of findings) printFault(finding, finding.where, io)
  for (const reason of skipped) io.print([{ tone: 'warning', text: 'skipped:' }, ` ${reason}`], 2)
  const all: readonly Fault[] = [...findings, ...views.flatMap((view) => view.findings)]
  const errors = all.filter(({ level }) => level === 'error').length
  io.print([
    { tone: errors > 0 ? 'bad' : 'strong', text: `${pluralize(errors, 'error')}, ${pluralize(all.length - errors, 'warning')}` },
    ` in ${pluralize(views.length, 'view')}, shown by ${browser}`,
  ])
}

/** Names a view: the host, and what is not usual. */
export function nameOfSetting({ title, theme, width }: TestedSetting): string {
  return [title, ...(theme === 'dark' ? ['dark'] : []), ...(width === undefined ? [] : [`${width} px`])].join(', ')
}

function printSetting(view: TestedSetting, io: Io): void {
  const { readyMs, paintedMs, size, findings } = view
  const isBad = findings.some(({ level }) => level === 'error')
  const times = [
    readyMs === undefined ? 'not connected' : `connected in ${readyMs} ms`,
    ...(paintedMs === undefined ? [] : [`painted in ${paintedMs} ms`, `${size.width} × ${size.height} px`]),
  ]
  const mark = isBad ? ({ tone: 'bad', text: '  ✗ ' } as const) : ({ tone: 'strong', text: '  ✓ ' } as const)
  io.print([mark, nameOfSetting(view).padEnd(28), { tone: 'quiet', text: times.join(', ') }], 4)
}

function printFaults(views: readonly TestedSetting[], io: Io): void {
  const places = new Map<string, { fault: Fault; names: string[] }>()
  for (const view of views)
    for (const fault of view.findings) {
      const key = `${fault.rule} ${fault.message}`
      const known = places.get(key) ?? { fault, names: [] }
      places.set(key, known)
      known.names.push(nameOfSetting(view))
    }
  for (const { fault, names } of places.values())
    printFault(fault, names.length === views.length ? undefined : names.join('; '), io)
}

function printFault({ level, rule, message, advice }: Fault, where: string | undefined, io: Io): void {
  const tone = level === 'error' ? 'bad' : 'warning'
  const place = where === undefined ? '' : ` ${where}:`
  io.print(['    ', { tone, text: `${level}:` }, `${place} ${message}`, { tone: 'quiet', text: ` [${rule}]` }], 6)
  io.print(['      ', { tone: 'strong', text: `→ ${advice}` }], 8)
}
