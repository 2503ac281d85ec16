/**
 * The rules of the inspector against the official schemas: the results of the golden transcripts, and samples of what servers send and ask for,
 * with one member removed or replaced.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { createRuleChecker } from '../../packages/inspector/server/rules/rules.ts'
import type { WireRequest } from '../../packages/inspector/server/wire/message-state.ts'
import { classify, isObject, type JsonObject } from '../../packages/portcall/src/jsonrpc/message.ts'
import { revisionOf, SUPPORTED_VERSIONS } from '../../packages/portcall/src/protocol/revisions.ts'
import { hasOracle, oracle } from '../support/oracle.ts'
import { NOTIFICATIONS, REQUESTS } from './server-messages.ts'

const GOLDEN = fileURLToPath(new URL('golden/', import.meta.url))

interface Sample {
  readonly method: string
  readonly result: JsonObject
}

function samplesOf(file: string): Sample[] {
  const lines = readFileSync(GOLDEN + file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const methods = new Map<unknown, string>()
  const samples: Sample[] = []
  for (const { client, server } of lines) {
    if (client?.id !== undefined && client.method) methods.set(client.id, client.method)
    const method = methods.get(server?.id)
    if (method && isObject(server?.result)) samples.push({ method, result: server.result })
  }
  return samples
}

/** Copies of a value with one member removed or replaced, and where. */
function* mutationsOf(value: unknown, path: readonly (string | number)[] = []): Iterable<{ path: string; value: unknown }> {
  if (typeof value !== 'object' || value === null || path.length > 5) return
  for (const [key, member] of Object.entries(value)) {
    const shown = [...path, Array.isArray(value) ? '*' : key].join('/')
    const copyWith = (change: (copy: Record<string, unknown>) => void): unknown => {
      const copy = structuredClone(value) as Record<string, unknown>
      change(copy)
      return copy
    }
    if (!Array.isArray(value)) yield { path: `${shown} removed`, value: copyWith((copy) => delete copy[key]) }
    for (const other of [7, 'text', true, [], {}, null])
      if (kindOf(other) !== kindOf(member))
        yield {
          path: `${shown} ${kindOf(other)}`,
          value: copyWith((copy) => {
            copy[key] = other
          }),
        }
    for (const inner of mutationsOf(member, [...path, Array.isArray(value) ? '*' : key]))
      yield {
        path: inner.path,
        value: copyWith((copy) => {
          copy[key] = inner.value
        }),
      }
  }
}

const kindOf = (value: unknown): string => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value)

/** Reports whether the rules complain about a message, which answers or belongs to a request. */
function isReported(revision: string, message: object, method = 'tools/call'): boolean {
  const params = { _meta: { 'io.modelcontextprotocol/logLevel': 'debug' } }
  const request = { method, params, state: 'pending' } as unknown as WireRequest
  const facts = {
    direction: 'in',
    stream: 'memory',
    classified: classify(message),
    value: message,
    text: '',
    request,
    earlier: undefined,
    lastProgress: undefined,
  } as const
  return createRuleChecker(() => revision).checkMessage(facts).length > 0
}

const response = (result: unknown): object => ({ jsonrpc: '2.0', id: 1, result })

/** Faults that the rules leave to others, or report although the schema of the revision does not: deliberate differences. */
const DIFFERENCES: readonly { readonly place: RegExp; readonly why: string }[] = [
  {
    place: /^tools\/list .*\/(inputSchema|outputSchema)\//,
    why: 'the schemas of tools are JSON Schema, which portcall check compiles',
  },
  { place: /^resources\/read contents\/\*\/text removed$/, why: 'contents without text and blob are empty' },
]

const isDeliberate = (place: string): boolean => DIFFERENCES.some((one) => one.place.test(place))

test.runIf(hasOracle).each(readdirSync(GOLDEN).filter((name) => name.endsWith('.memory.ndjson')))(
  '%s: the rules and the official schema agree',
  (file) => {
    const revision = file.slice(0, 10)
    const differences = new Set<string>()
    let wrong = 0
    for (const { method, result } of samplesOf(file)) {
      if (isReported(revision, response(result), method)) differences.add(`${method} as it is: reported`)
      for (const mutation of mutationsOf(result)) {
        const place = `${method} ${mutation.path}`
        const isWrong = oracle(revision).result(method, mutation.value) !== undefined
        if (isWrong) wrong++
        if (isWrong !== isReported(revision, response(mutation.value), method) && !isDeliberate(place))
          differences.add(`${place}: ${isWrong ? 'missed' : 'reported'}`)
      }
    }
    expect(wrong).toBeGreaterThan(300)
    expect([...differences]).toEqual([])
  },
)

/** Differences in what servers send. */
const SENT_DIFFERENCES: typeof DIFFERENCES = [
  {
    place: /^sampling\/createMessage .*tools\/\*\/inputSchema\//,
    why: 'the schemas of tools are JSON Schema, which portcall check compiles',
  },
  {
    place:
      /^elicitation\/create .*\/(enum|enumNames|oneOf|items|default|format|minLength|maxLength|minimum|maximum|minItems|maxItems)\b/,
    why: 'the official schema accepts a field that fits any of its kinds, whatever its other members',
  },
  { place: /^sampling\/createMessage metadata\/model null/, why: 'the official schema says that null is no JSON value' },
  { place: /^notifications\/progress message/, why: 'members of newer revisions are checked in older ones as well' },
  {
    place: /^notifications\/cancelled requestId removed/,
    why: 'one schema makes it optional, but the text of the specification only for tasks',
  },
]

const isDeliberatelySent = (place: string): boolean => SENT_DIFFERENCES.some((one) => one.place.test(place))

interface Judged {
  /** The name of the sample. */
  readonly name: string
  readonly params: JsonObject | undefined
  isWrong(params: unknown): boolean
  isReported(params: unknown): boolean
}

/** Lists where the rules and the schema disagree, and how many copies the schema refuses. */
function compare(samples: readonly Judged[]): { differences: string[]; wrong: number; valid: number } {
  const differences = new Set<string>()
  let wrong = 0
  const valid = samples.filter(({ params, isWrong }) => !isWrong(params))
  for (const sample of valid) {
    if (sample.isReported(sample.params)) differences.add(`${sample.name} as it is: reported`)
    for (const { path, value } of mutationsOf(sample.params)) {
      const place = `${sample.name} ${path}`
      const isWrong = sample.isWrong(value)
      if (isWrong) wrong++
      if (isWrong !== sample.isReported(value) && !isDeliberatelySent(place))
        differences.add(`${place}: ${isWrong ? 'missed' : 'reported'}`)
    }
  }
  return { differences: [...differences], wrong, valid: valid.length }
}

describe.runIf(hasOracle).each(SUPPORTED_VERSIONS)('%s', (revision) => {
  const official = oracle(revision)
  const known = revisionOf(revision)

  test('notifications', () => {
    const { differences, wrong, valid } = compare(
      NOTIFICATIONS.filter(({ method }) => known?.notifications.includes(method)).map(({ method, params }) => {
        const message = (changed: unknown): object => ({ jsonrpc: '2.0', method, params: changed })
        return {
          name: method,
          params,
          isWrong: (changed) => official.notification(message(changed)) !== undefined,
          isReported: (changed) => isReported(revision, message(changed)),
        }
      }),
    )
    expect(differences).toEqual([])
    expect(valid).toBeGreaterThanOrEqual(6)
    expect(wrong).toBeGreaterThan(30)
  })

  test.runIf(known?.era === 'legacy')('requests', () => {
    const { differences, wrong, valid } = compare(
      REQUESTS.filter(({ method }) => known?.serverRequests.includes(method)).map(({ method, params }) => {
        const message = (changed: unknown): object => ({ jsonrpc: '2.0', id: 1, method, params: changed })
        return {
          name: method,
          params,
          isWrong: (changed) => official.request(message(changed)) !== undefined,
          isReported: (changed) => isReported(revision, message(changed)),
        }
      }),
    )
    expect(differences).toEqual([])
    expect(valid).toBeGreaterThanOrEqual(3)
    expect(wrong).toBeGreaterThan(60)
  })

  test.runIf(known?.era === 'modern')('input requests', () => {
    const { differences, wrong, valid } = compare(
      REQUESTS.filter(({ method }) => known?.serverRequests.includes(method)).map(({ method, params }) => {
        const result = (changed: unknown): JsonObject => ({
          resultType: 'input_required',
          inputRequests: { ask: { method, ...(changed !== undefined && { params: changed }) } } as JsonObject,
          requestState: 'state',
        })
        return {
          name: method,
          params,
          isWrong: (changed) => official.result('tools/call', result(changed)) !== undefined,
          isReported: (changed) => isReported(revision, response(result(changed))),
        }
      }),
    )
    expect(differences).toEqual([])
    expect(valid).toBeGreaterThanOrEqual(6)
    expect(wrong).toBeGreaterThan(100)
  })
})
