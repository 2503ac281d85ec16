/** The report of `portcall apps test` as JUnit XML, which CI systems read. */
import { escapeHtml } from '../../../util/src/escape-html.ts'
import { nameOfSetting } from './print-report.ts'
import type { AppsReport, TestedSetting } from './report.ts'

/** Control characters that XML cannot have, also not escaped. */
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g
const escaped = (text: string): string => escapeHtml(text.replace(FORBIDDEN, '\ufffd'))

/** Returns the report as XML: a suite for each tool, a case for each host. */
export function toJunit({ views, findings }: AppsReport): string {
  const suites = [...new Set(views.map((view) => view.tool))].map((tool) => {
    const own = views.filter((view) => view.tool === tool)
    return suite(
      tool,
      own.map((view) => testCase({ ...view, name: nameOfSetting(view) })),
    )
  })
  const all = findings.length > 0 ? [...suites, suite('server', [testCase({ tool: 'server', name: 'views', findings })])] : suites
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="portcall apps test">\n${all.join('')}</testsuites>\n`
}

function suite(name: string, cases: readonly string[]): string {
  const failures = cases.filter((text) => text.includes('<failure')).length
  return `  <testsuite name="${escaped(name)}" tests="${cases.length}" failures="${failures}">\n${cases.join('')}  </testsuite>\n`
}

interface TestCase {
  readonly tool: string
  readonly name: string
  readonly findings: TestedSetting['findings']
  readonly paintedMs?: number
}

function testCase({ tool, name, findings, paintedMs: ms = 0 }: TestCase): string {
  const failures = findings
    .filter(({ level }) => level === 'error')
    .map(
      ({ rule, message, advice }) => `      <failure type="${rule}" message="${escaped(message)}">${escaped(advice)}</failure>\n`,
    )
  const warnings = findings.filter(({ level }) => level === 'warning').map(({ rule, message }) => `${rule}: ${message}`)
  const output = warnings.length > 0 ? `      <system-out>${escaped(warnings.join('\n'))}</system-out>\n` : ''
  const start = `    <testcase classname="${escaped(tool)}" name="${escaped(name)}" time="${(ms / 1000).toFixed(3)}"`
  return failures.length === 0 && output === '' ? `${start}/>\n` : `${start}>\n${failures.join('')}${output}    </testcase>\n`
}
