/** Serves the operations of a description as tools, and compares them with what it says. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import { connect } from 'portcall/client'
import { fromOpenAPI, type OpenApiIssue, type OpenApiServer } from 'portcall/openapi'
import { expect } from 'vitest'
import {
  countOperations,
  readDescriptionText,
  readParsedDescription,
  sampleOperations,
  withoutResponseBodies,
} from './descriptions.ts'
import { startMockApi } from './mock-api.ts'
import { sampleArguments } from './sample-arguments.ts'

/** A tool, as far as the tests look into it. */
interface ListedTool {
  readonly name: string
  readonly inputSchema: object
  readonly outputSchema?: object
}

/** Serves a description, and expects one tool with valid schemas for each of its operations. */
export async function expectTools(api: string): Promise<{ server: OpenApiServer; tools: ListedTool[] }> {
  const server = await fromOpenAPI(readDescriptionText(api), { baseUrl: 'http://127.0.0.1:1' })
  const client = await connect(server)
  const tools = await client.tools().toArray()
  await client.close()
  expect(tools).toHaveLength(countOperations(readParsedDescription(api)))
  expect(server.openapi.operations.map(({ servedAs }) => servedAs).sort()).toEqual(tools.map(({ name }) => name).sort())
  for (const { name } of tools) expect(name).toMatch(/^[A-Za-z0-9_-]{1,60}$/)
  const invalid = tools.flatMap(({ name, inputSchema, outputSchema }) =>
    [inputSchema, outputSchema].flatMap((schema) => (schema ? faultsOf(schema).map((fault) => `${name}: ${fault}`) : [])),
  )
  expect(invalid).toEqual([])
  return { server, tools }
}

const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false })

/** Returns why a schema is not valid in JSON Schema 2020-12, or refers to something that it does not contain. */
function faultsOf(schema: { $defs?: object }): string[] {
  if (!ajv.validateSchema(schema)) return [ajv.errorsText()]
  const names = Object.keys(schema.$defs ?? {}).map((name) => `#/$defs/${name}`)
  const references = [...JSON.stringify(schema).matchAll(/"\$ref":"([^"]*)"/g)].map(([, reference = '']) => reference)
  return references.filter((reference) => !names.includes(reference)).map((reference) => `${reference} has no target`)
}

/** Returns the kinds of issues with their numbers. */
export function describeIssues(issues: readonly OpenApiIssue[]): string {
  const kinds = issues.map(({ problem }) => problem.replace(/^the pattern .* is/, 'a pattern is').split(';')[0] ?? '')
  return countEach(kinds) || '–'
}

/** Returns values with how often they occur. */
export function countEach(values: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts].map(([value, count]) => `${count} × ${value}`).join('; ')
}

/** The options of `failedCalls`. */
export interface CallsOptions {
  /** How many operations to call, spread evenly. */
  readonly count: number
  /** Operations that are not called. */
  readonly except: (tool: string) => boolean
  /** Removes the schemas of responses, which Prism takes minutes to expand for some APIs. */
  readonly requestsOnly: boolean
}

/** Calls operations of a description at a mock server that Prism makes from it. Returns the calls that it refused. */
export async function failedCalls(api: string, { count, except, requestsOnly }: CallsOptions): Promise<string[]> {
  const sample = sampleOperations(readParsedDescription(api), count)
  const description = requestsOnly ? withoutResponseBodies(sample) : sample
  const mock = await startMockApi(structuredClone(description))
  // Some descriptions have credentials as parameters, which are no arguments.
  const server = await fromOpenAPI(description, { baseUrl: mock.url, headers: { authorization: 'Bearer made-up' } })
  const client = await connect(server)
  const failures: string[] = []
  const tools = await client.tools().toArray()
  const step = Math.max(1, Math.floor(tools.length / count))
  for (const { name, inputSchema } of tools.filter((_, index) => index % step === 0)) {
    if (except(name)) continue
    const args = sampleArguments(inputSchema as object)
    const result = await client.callTool(name, args)
    if (result.isError && !isDescribedFailure(name))
      failures.push(`${name} ${JSON.stringify(args).slice(0, 300)}: ${JSON.stringify(result.content).slice(0, 500)}`)
  }
  await client.close()
  await mock.close()
  return failures

  /** Reports whether an operation has no successful response, so that the mock answers with an error. */
  function isDescribedFailure(name: string): boolean {
    const operation = server.openapi.operations.find(({ servedAs }) => servedAs === name)
    const { responses = {} } = description.paths[operation?.path ?? '']?.[operation?.method.toLowerCase() ?? ''] ?? {}
    return !Object.keys(responses).some((status) => /^2|default/.test(status))
  }
}
