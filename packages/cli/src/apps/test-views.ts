/** `portcall apps test`: shows each view in each host, and checks it. */
import { writeFileSync } from 'node:fs'
import { checkView, type ShowViewOptions, type ViewFinding } from 'portcall/apps/testing'
import type { CallToolResult, Client, Tool } from 'portcall/client'
import type { Finding } from 'portcall/diagnostics'
import { isObject } from 'portcall/jsonrpc'
import { isUrl } from '../../../util/src/parse-url.ts'
import { readPublished } from '../check/views.ts'
import type { ExitReason } from '../exit-codes.ts'
import { toJunit } from './junit.ts'
import { printReport } from './print-report.ts'
import type { AppsReport, AppsRun, TestedSetting } from './report.ts'
import { readSettings, readViewCalls, type Setting, showOptionsOf, type ViewCall } from './views.ts'

/** The width at which every view must be usable. */
const NARROW = 320

/** Tests the views, prints the report, and writes the JUnit file. */
export async function testViews(run: AppsRun): Promise<ExitReason> {
  const { flags, client, io } = run
  const calls = await readViewCalls(flags, client)
  const settings = await readSettings(flags, ['light'])
  const views: TestedSetting[] = []
  const skipped = new Set<string>()
  const results: { [tool: string]: CallToolResult } = {}
  for (const call of calls) {
    const outcome = call.missing.length > 0 ? undefined : await callOnce(client, call)
    if (outcome && 'result' in outcome) results[call.tool] = outcome.result
    const problem = problemOf(call, outcome)
    const [first] = settings
    const narrow = first && flags.width.length === 0 ? [{ ...first, width: NARROW }] : []
    for (const setting of [...settings, ...narrow]) views.push(await testOne(run, { call, setting, problem, skipped }))
  }
  const findings = await staticFindings(run, results, views)
  const report: AppsReport = { views, findings, skipped: [...skipped], browser: run.host.browser }
  if (io.json) io.value(report)
  else printReport(report, io)
  if (flags.junit !== undefined) writeFileSync(flags.junit, toJunit(report))
  const all = [...findings, ...views.flatMap((view) => view.findings)]
  return all.some(({ level }) => level === 'error' || flags.strict) ? 'failed' : 'success'
}

type CallOutcome = { readonly result: CallToolResult } | { readonly error: string }

async function callOnce(client: Client, { tool, args }: ViewCall): Promise<CallOutcome> {
  try {
    return { result: (await client.callTool(tool, args)) as CallToolResult }
  } catch (error) {
    return { error: (error as Error).message }
  }
}

/** Returns why the view has nothing to show. */
function problemOf({ tool, missing }: ViewCall, outcome: CallOutcome | undefined): ViewFinding | undefined {
  const fault = (message: string, advice: string): ViewFinding => ({ level: 'error', rule: 'view-call', message, advice })
  if (missing.length > 0)
    return fault(
      `the tool needs ${missing.join(', ')}, and its schema has no example`,
      `Pass the arguments: --call '${tool} ${missing.map((name) => `${name}=…`).join(' ')}'`,
    )
  const advice = `Correct the tool, or pass other arguments: --call '${tool} name=value'`
  if (outcome && 'error' in outcome) return fault(`the call failed: ${outcome.error}`, advice)
  if (outcome?.result.isError) {
    const [first] = outcome.result.content
    return fault(`the call returned an error: ${first?.type === 'text' ? first.text : 'without a text'}`, advice)
  }
  return undefined
}

interface OneTest {
  readonly call: ViewCall
  readonly setting: Setting
  readonly problem: ViewFinding | undefined
  readonly skipped: Set<string>
}

async function testOne({ flags, host }: AppsRun, { call, setting, problem, skipped }: OneTest): Promise<TestedSetting> {
  const options: ShowViewOptions = { ...showOptionsOf(call, setting, flags), handshakeTimeoutMs: 5000 }
  const test = async () => {
    const view = await host.show(options)
    try {
      const { findings, skipped: left } = await checkView(view, flags.text === undefined ? {} : { text: flags.text })
      for (const reason of left) skipped.add(reason)
      const { readyMs, paintedMs, size } = view
      return { findings, size, ...(readyMs !== undefined && { readyMs }), ...(paintedMs !== undefined && { paintedMs }) }
    } finally {
      await view.close()
    }
  }
  const first = await test()
  // The first view of a browser waits for its processes.
  const outcome = first.findings.some(({ rule }) => rule === 'view-slow') ? await test() : first
  return { tool: call.tool, ...setting, ...outcome, findings: [...(problem ? [problem] : []), ...outcome.findings] }
}

/** Returns the findings of `portcall check` about the views. A rule that failed in the browser too is not reported twice. */
async function staticFindings(
  { flags, client, server }: AppsRun,
  results: { readonly [tool: string]: CallToolResult },
  views: readonly TestedSetting[],
): Promise<Finding[]> {
  const { lint, readInventory } = await import('portcall/diagnostics')
  const { inventory } = await readInventory(client)
  const since = flags.since === undefined ? undefined : await readPublished(flags.since)
  const location = 'location' in server ? server.location : ''
  const { findings } = await lint(inventory, { results, ...(since && { since }), ...(isUrl(location) && { url: location }) })
  const shown = placesOf(inventory.tools, flags.tool)
  const inBrowser = new Set(views.flatMap((view) => view.findings.map(({ rule }) => rule)))
  return findings.filter(
    ({ rule, where }) => rule.startsWith('view-') && !inBrowser.has(rule) && (flags.tool === undefined || shown.has(where)),
  )
}

/** Returns where the findings about a tool and its view are. */
function placesOf(tools: readonly Tool[], name: string | undefined): ReadonlySet<string> {
  const { ui, ...meta } = (tools.find((one) => one.name === name)?._meta ?? {}) as { readonly [key: string]: unknown }
  const uri = isObject(ui) ? ui.resourceUri : meta['ui/resourceUri']
  return new Set([`tool ${name}`, `resource ${uri}`])
}
