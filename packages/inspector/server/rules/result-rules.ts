import { isObject, isSuccess, type JsonObject } from 'portcall/jsonrpc'
import { pointerSegment } from '../../../portcall/src/diagnostics/compare/json-diff.ts'
import { METHODS } from '../../../portcall/src/protocol/methods.ts'
import { type Revision, revisionOf } from '../../../portcall/src/protocol/revisions.ts'
import type { RuleViolation } from '../protocol/timeline.ts'
import type { MessageFacts, MessageRule } from './checker.ts'
import { checkShape } from './shape.ts'
import { INPUT_REQUIRED, paramsShape, RESULT_META, RESULT_SHAPES } from './shapes.ts'
import { violation } from './violation.ts'

/** A rule of the complete results of a revision. */
type ResultRule = (result: JsonObject, context: ResultContext) => ReturnType<MessageRule>

interface ResultContext {
  readonly method: string
  readonly revision: Revision
  readonly version: string
}

/** The results of a modern server: `task` is one of the tasks extension. */
const RESULT_TYPES: ReadonlySet<unknown> = new Set(['complete', 'input_required', 'task'])

const resultType: ResultRule = ({ resultType: type }, { revision, version }) => {
  if (revision.era !== 'modern') return undefined
  if (type === undefined)
    return violation({ rule: 'missing-result-type', section: 'basic#responses' }, 'The result has no resultType', {
      revision: version,
      pointer: '/result',
    })
  if (RESULT_TYPES.has(type)) return undefined
  const source = { rule: 'unknown-result-type', section: 'basic#responses' }
  return violation(source, `The resultType ${JSON.stringify(type)} is unknown`, {
    revision: version,
    pointer: '/result/resultType',
  })
}

const modernOnly: ResultRule = ({ resultType: type }, { revision, version }) =>
  revision.era === 'legacy' && (type === 'input_required' || type === 'task')
    ? violation(
        { rule: 'result-type-of-newer-revision', section: 'basic' },
        `${version} has no results of the type ${String(type)}`,
        {
          revision: version,
          pointer: '/result/resultType',
        },
      )
    : undefined

const caching: ResultRule = ({ ttlMs, cacheScope, resultType: type }, { revision, version, method }) => {
  if (revision.era !== 'modern' || !METHODS.get(method)?.cacheable || type === 'input_required') return undefined
  if (typeof ttlMs === 'number' && ttlMs >= 0 && (cacheScope === 'public' || cacheScope === 'private')) return undefined
  const missing = [ttlMs === undefined && 'ttlMs', cacheScope === undefined && 'cacheScope'].filter(Boolean).join(' and ')
  return violation(
    { rule: 'caching-hints', section: 'server/utilities/caching' },
    missing === '' ? 'ttlMs must be a number from 0 on, and cacheScope public or private' : `The result has no ${missing}`,
    { revision: version, pointer: '/result' },
  )
}

const SECTIONS: { readonly [method: string]: string } = {
  initialize: 'basic/lifecycle',
  'server/discover': 'server/discover',
  'tools/list': 'server/tools',
  'tools/call': 'server/tools',
  'resources/list': 'server/resources',
  'resources/templates/list': 'server/resources',
  'resources/read': 'server/resources',
  'prompts/list': 'server/prompts',
  'prompts/get': 'server/prompts',
  'completion/complete': 'server/utilities/completion',
}

const shape: ResultRule = (result, { method, version }) => {
  const expected = RESULT_SHAPES[method]
  const isPartial = result.resultType === 'input_required' || result.resultType === 'task' || 'task' in result
  const faults = checkShape(result, RESULT_META, '/result')
  if (expected && !isPartial) faults.push(...checkShape(result, expected, '/result'))
  return faults.map(({ pointer, message }) =>
    violation({ rule: 'result-shape', section: SECTIONS[method] ?? 'schema' }, `${pointer} ${message}`, {
      revision: version,
      pointer,
    }),
  )
}

const structured: ResultRule = ({ structuredContent }, { revision, version, method }) => {
  if (method !== 'tools/call' || structuredContent === undefined) return undefined
  const pointer = '/result/structuredContent'
  const source = { rule: 'structured-content', section: 'server/tools#structured-content' }
  if (revision.structuredContent === 'none')
    return violation({ ...source, level: 'warning' }, `${version} has no structured content`, { revision: version, pointer })
  return revision.structuredContent === 'object' && !isObject(structuredContent)
    ? violation(source, `In ${version}, structured content must be an object`, { revision: version, pointer })
    : undefined
}

const contentTypes: ResultRule = (result, { revision, version, method }) => {
  if (method !== 'tools/call' || !Array.isArray(result.content)) return undefined
  const blocks = [...(result.content as unknown[]).entries()]
  return blocks.flatMap(([index, block]) => {
    const type = isObject(block) ? block.type : undefined
    if (typeof type !== 'string' || revision.content.includes(type)) return []
    const source = { rule: 'content-type', section: 'server/tools#tool-result' }
    return [
      violation(source, `${version} has no content of the type ${type}`, {
        revision: version,
        pointer: `/result/content/${index}/type`,
      }),
    ]
  })
}

const RULES: readonly ResultRule[] = [resultType, modernOnly, caching, shape, structured, contentTypes]

/** The rules of results. */
export const resultRules: MessageRule = (facts, version) => {
  const { classified, request } = facts
  if (classified.kind !== 'response' || !isSuccess(classified.message) || !request) return undefined
  const { method } = request
  const { result } = classified.message
  if (version === undefined) return method === 'initialize' ? initializeShape(result) : undefined
  const revision = revisionOf(version)
  return revision && RULES.flatMap((rule) => rule(result, { method, revision, version }) ?? [])
}

function initializeShape(result: JsonObject): ReturnType<MessageRule> {
  const version = typeof result.protocolVersion === 'string' ? result.protocolVersion : ''
  const revision = revisionOf(version)
  return revision && shape(result, { method: 'initialize', revision, version })
}

/** Checks the input requests of a result: methods that the revision does not have, and their params. */
export const inputRequests: MessageRule = ({ classified }: MessageFacts, version) => {
  if (classified.kind !== 'response' || !isSuccess(classified.message) || version === undefined) return undefined
  const revision = revisionOf(version)
  const { result } = classified.message
  if (result.resultType !== 'input_required' || revision?.era !== 'modern') return undefined
  const fault = (pointer: string, message: string): RuleViolation =>
    violation({ rule: 'input-requests', section: 'basic/patterns/mrtr' }, message, { revision: version, pointer })
  if (result.inputRequests === undefined && result.requestState === undefined)
    return fault('/result', 'input_required needs inputRequests or requestState')
  const faults = checkShape(result, INPUT_REQUIRED, '/result')
  for (const [key, request] of Object.entries(isObject(result.inputRequests) ? result.inputRequests : {})) {
    const pointer = `/result/inputRequests/${pointerSegment(key)}`
    const { method, params = {} } = isObject(request) ? request : {}
    if (typeof method !== 'string') continue
    const shape = revision.serverRequests.includes(method) ? paramsShape(method, revision) : undefined
    if (shape) faults.push(...checkShape(params, shape, `${pointer}/params`))
    else faults.push({ pointer: `${pointer}/method`, message: `names an unknown method: ${method}` })
  }
  return faults.map(({ pointer, message }) => fault(pointer, `${pointer} ${message}`))
}
