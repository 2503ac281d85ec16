/** The rules of the inspector against the official schemas: the results of the golden transcripts, with one member removed or replaced. */
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { createRuleChecker } from '../../packages/portcall/src/inspector/rules/rules.ts'
import type { WireRequest } from '../../packages/portcall/src/inspector/wire/message-state.ts'
import { classify, isObject, type JsonObject } from '../../packages/portcall/src/jsonrpc/message.ts'
import { hasOracle, oracle } from '../support/oracle.ts'

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

function isReported(revision: string, method: string, result: unknown): boolean {
  const message = { jsonrpc: '2.0', id: 1, result }
  const request = { method, params: {}, state: 'pending' } as unknown as WireRequest
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

/** What the rules leave to others, or say although the schema of the revision does not: deliberate differences. */
const DIFFERENCES: readonly { readonly place: RegExp; readonly why: string }[] = [
  {
    place: /^tools\/list .*\/(inputSchema|outputSchema)\//,
    why: 'the schemas of tools are JSON Schema, which portcall check compiles',
  },
  { place: /^tools\/call (inputRequests|requestState)/, why: 'the params of input requests have a rule of their own' },
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
      if (isReported(revision, method, result)) differences.add(`${method} as it is: reported`)
      for (const mutation of mutationsOf(result)) {
        const place = `${method} ${mutation.path}`
        const isWrong = oracle(revision).result(method, mutation.value) !== undefined
        if (isWrong) wrong++
        if (isWrong !== isReported(revision, method, mutation.value) && !isDeliberate(place))
          differences.add(`${place}: ${isWrong ? 'missed' : 'reported'}`)
      }
    }
    expect(wrong).toBeGreaterThan(300)
    expect([...differences]).toEqual([])
  },
)
