/** Every operation of real descriptions becomes a tool with valid schemas, and calls are what the descriptions say. */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { connect } from 'portcall/client'
import { fromOpenAPI, type OpenApiIssue } from 'portcall/openapi'
import { afterAll, expect, test } from 'vitest'
import {
  DESCRIPTIONS,
  readDescriptionText,
  readParsedDescription,
  sampleOperations,
  withoutResponseBodies,
} from './support/descriptions.ts'
import { startMockApi } from './support/mock-api.ts'
import { sampleArguments } from './support/sample-arguments.ts'

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

const countOperations = (api: string): number =>
  Object.values(readParsedDescription(api).paths)
    .flatMap(Object.keys)
    .filter((name) => /^(get|put|post|delete|options|head|patch|trace)$/.test(name)).length

test.each(Object.keys(DESCRIPTIONS))('each operation of %s becomes a tool with valid schemas', async (api) => {
  const [heapBefore, start] = [process.memoryUsage().heapUsed, performance.now()]
  const server = await fromOpenAPI(readDescriptionText(api), { baseUrl: 'http://127.0.0.1:1' })
  const [milliseconds, heap] = [performance.now() - start, process.memoryUsage().heapUsed - heapBefore]
  const client = await connect(server)
  const tools = await client.tools().toArray()
  const operations = countOperations(api)
  expect(tools).toHaveLength(operations)
  expect(server.openapi.operations.map(({ servedAs }) => servedAs).sort()).toEqual(tools.map(({ name }) => name).sort())
  for (const { name } of tools) expect(name).toMatch(/^[A-Za-z0-9_-]{1,60}$/)
  const invalid = tools.flatMap(({ name, inputSchema, outputSchema }) =>
    [inputSchema, outputSchema].flatMap((schema) => (schema ? faultsOf(schema).map((fault) => `${name}: ${fault}`) : [])),
  )
  expect(invalid).toEqual([])
  const { openapi } = readParsedDescription(api)
  rows.set(
    api,
    `| ${api} | ${openapi} | ${operations.toLocaleString('en-US')} | ${tools.filter((tool) => tool.outputSchema).length} | ${describeIssues(server.openapi.issues)} |`,
  )
  console.log(`${api}: ${operations} operations in ${milliseconds.toFixed(0)} ms, ${(heap / 2 ** 20).toFixed(0)} MB of heap`)
  await client.close()
})

test.each(Object.keys(DESCRIPTIONS))('a mock of %s accepts the requests', async (api) => {
  const sample = sampleOperations(readParsedDescription(api), CALLS)
  const description = SLOW_IN_PRISM.includes(api) ? withoutResponseBodies(sample) : sample
  const mock = await startMockApi(structuredClone(description))
  const server = await fromOpenAPI(description, { baseUrl: mock.url })
  const client = await connect(server)
  const failures: string[] = []
  const tools = await client.tools().toArray()
  const step = Math.max(1, Math.floor(tools.length / CALLS))
  for (const { name, inputSchema } of tools.filter((_, index) => index % step === 0)) {
    if (`${api} ${name}` in NOT_CALLED) continue
    const args = sampleArguments(inputSchema as object)
    const result = await client.callTool(name, args)
    if (result.isError && !isDescribedFailure(name))
      failures.push(`${name} ${JSON.stringify(args).slice(0, 300)}: ${JSON.stringify(result.content).slice(0, 500)}`)
  }
  await client.close()
  await mock.close()
  expect(failures).toEqual([])

  /** Reports whether an operation has no successful response, so that the mock answers with an error. */
  function isDescribedFailure(name: string): boolean {
    const operation = server.openapi.operations.find(({ servedAs }) => servedAs === name)
    const { responses = {} } = description.paths[operation?.path ?? '']?.[operation?.method.toLowerCase() ?? ''] ?? {}
    return !Object.keys(responses).some((status) => /^2|default/.test(status))
  }
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

const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false })

/** Returns why a schema is not valid in JSON Schema 2020-12, or refers to something that it does not contain. */
function faultsOf(schema: { $defs?: object }): string[] {
  if (!ajv.validateSchema(schema)) return [ajv.errorsText()]
  const names = Object.keys(schema.$defs ?? {}).map((name) => `#/$defs/${name}`)
  const references = [...JSON.stringify(schema).matchAll(/"\$ref":"([^"]*)"/g)].map(([, reference = '']) => reference)
  return references.filter((reference) => !names.includes(reference)).map((reference) => `${reference} has no target`)
}

/** Returns the kinds of issues with their numbers. */
function describeIssues(issues: readonly OpenApiIssue[]): string {
  const counts = new Map<string, number>()
  for (const { problem } of issues) {
    const kind = problem.replace(/^the pattern .* is/, 'a pattern is').split(';')[0] ?? ''
    counts.set(kind, (counts.get(kind) ?? 0) + 1)
  }
  return [...counts].map(([kind, count]) => `${count} × ${kind}`).join('; ') || '–'
}
