/** Every operation of real descriptions becomes a tool with valid schemas, and calls are what the descriptions say. */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { DESCRIPTIONS, readParsedDescription } from './support/descriptions.ts'
import { describeIssues, expectTools, failedCalls } from './support/try-description.ts'

const CALLS = Number(process.env.OPENAPI_CALLS ?? 25)
/** APIs whose response schemas take Prism minutes to expand. Their requests are checked. */
const SLOW_IN_PRISM = ['Stripe', 'Kubernetes', 'GitHub', 'Figma', 'Zoom']
/** Operations that cannot be called here, and why. */
const NOT_CALLED = {
  'Box get_authorize': 'the faker makes URLs that Prism does not accept',
  'DigitalOcean apps_create': 'the input schema is larger than the limit, and Prism rejects what the faker makes from the rest',
  'Stripe PostIssuingCards': 'Prism reads an absent field in the style deepObject as an empty object',
  'Figma putWebhook': 'the description requires a property that it does not describe',
}
const PAGE = fileURLToPath(new URL('../../docs/tools/openapi.md', import.meta.url))
const [START, END] = [
  '<!-- table of descriptions: written by `OPENAPI_TABLE=write npm run composition` -->',
  '<!-- end of the table -->',
]
const rows = new Map<string, string>()

test.each(Object.keys(DESCRIPTIONS))('each operation of %s becomes a tool with valid schemas', async (api) => {
  const [heapBefore, start] = [process.memoryUsage().heapUsed, performance.now()]
  const { server, tools } = await expectTools(api)
  const [milliseconds, heap] = [performance.now() - start, process.memoryUsage().heapUsed - heapBefore]
  const { openapi } = readParsedDescription(api)
  const count = tools.length.toLocaleString('en-US')
  rows.set(
    api,
    `| ${api} | ${openapi} | ${count} | ${tools.filter((tool) => tool.outputSchema).length} | ${describeIssues(server.openapi.issues)} |`,
  )
  console.log(`${api}: ${tools.length} operations in ${milliseconds.toFixed(0)} ms, ${(heap / 2 ** 20).toFixed(0)} MB of heap`)
})

test.each(Object.keys(DESCRIPTIONS))('a mock of %s accepts the requests', async (api) => {
  const except = (tool: string): boolean => `${api} ${tool}` in NOT_CALLED
  expect(await failedCalls(api, { count: CALLS, except, requestsOnly: SLOW_IN_PRISM.includes(api) })).toEqual([])
})

afterAll(() => {
  if (rows.size < Object.keys(DESCRIPTIONS).length) return
  const head = ['| API | OpenAPI | Tools | With an output schema | Not supported |', '|---|---|---|---|---|']
  const table = [START, '', ...head, ...Object.keys(DESCRIPTIONS).map((api) => rows.get(api)), '', END].join('\n')
  const page = readFileSync(PAGE, 'utf8')
  const current = page.slice(page.indexOf(START), page.indexOf(END) + END.length)
  if (process.env.OPENAPI_TABLE === 'write')
    writeFileSync(
      PAGE,
      page.replace(current, () => table),
    )
  else expect(current, 'the table in docs/tools/openapi.md; OPENAPI_TABLE=write updates it').toBe(table)
})
