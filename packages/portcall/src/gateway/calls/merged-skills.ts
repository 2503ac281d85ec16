import { onAbort } from '../../../../util/src/abort.ts'
import { withTimeout } from '../../../../util/src/timers.ts'
import { resultOf } from '../../jsonrpc/errors.ts'
import { deriveContext } from '../../jsonrpc/exchange.ts'
import { isObject, isSuccess, type JsonObject, type Response, success } from '../../jsonrpc/message.ts'
import { invalidParams, unknownItem } from '../../protocol/errors.ts'
import { UNAVAILABLE_META } from '../../protocol/meta.ts'
import { followPages } from '../../protocol/pages.ts'
import { describeToCaller } from '../api/errors.ts'
import type { OnGatewayEvent } from '../api/events.ts'
import { SKILLS_EXTENSION } from '../lists/discover.ts'
import { isAtPath, mayKnowServer } from '../lists/known-servers.ts'
import { failIfRequired } from '../lists/list-items.ts'
import type { ListPager } from '../lists/pager.ts'
import type { CurrentTable } from '../routes/table.ts'
import { ListTimeoutError } from '../upstreams/cached-fetch.ts'
import type { GatewayUpstream } from '../upstreams/upstream.ts'
import type { CallerRequest } from './item-call.ts'
import { proxyRequest } from './proxy.ts'
import type { Router } from './router.ts'

export interface MergedSkillsOptions {
  readonly registry: CurrentTable
  readonly router: Router
  readonly pager: ListPager
  readonly onEvent: OnGatewayEvent
}

/** The skills of several servers. Their URIs have the mark of their server, which `resources/read` understands too. */
export interface MergedSkills {
  /** Answers `skills/list` with a page of the skills of the servers that respond. @throws RpcError -32602 if the cursor is not valid. */
  list(call: CallerRequest): Promise<Response>
  /** Answers `skills/get`. @throws RpcError -32602 if there is no such skill. */
  get(call: CallerRequest): Promise<Response>
  /** Answers `resources/directory/read`. @throws RpcError -32602 if there is no such directory. */
  directory(call: CallerRequest): Promise<Response>
}

export function createMergedSkills({ registry, router, pager, onEvent }: MergedSkillsOptions): MergedSkills {
  const expose = (server: string, entry: JsonObject): JsonObject =>
    markUris(entry, (uri) => registry.table.uris.mark(server, uri))
  /** Returns the skills of a server. @throws why it does not list them. */
  const listOf = async (upstream: GatewayUpstream, call: CallerRequest): Promise<JsonObject[]> => {
    const { caller } = call
    const { value, error } = await upstream.catalogue.discover(caller, upstream.listWaitMs)
    if (!value) throw error
    if (!value.capabilities.extensions?.[SKILLS_EXTENSION]) return []
    const { name: server, listWaitMs } = upstream
    const onWarning = (message: string): void => onEvent({ type: 'warning', server, message })
    const entries = await inTime(call, listWaitMs, (limited) => fetchEntries(upstream, limited, onWarning))
    return [...new Map(entries.map((entry) => [entry.uri, entry])).values()]
      .filter(({ uri }) => caller.policies.isVisible({ server, kind: 'resource', name: String(uri) }, caller))
      .map((entry) => expose(server, entry))
  }
  /** Asks the server of a skill or directory. */
  const ask = async (call: CallerRequest, kind: 'skill' | 'directory'): Promise<{ server: string; response: Response }> => {
    const { request, caller } = call
    const uri = request.params?.uri
    if (typeof uri !== 'string') throw invalidParams('uri must be a string')
    const route = await router.find({ kind: 'resource', name: uri }, caller)
    if (!route)
      throw kind === 'skill' ? unknownItem('skill', uri) : invalidParams(`${uri.slice(0, 256)} is not a directory of a skill`)
    const { upstream, server, name } = route
    const response = await proxyRequest(upstream, { ...call, request: { ...request, params: { ...request.params, uri: name } } })
    return { server, response }
  }
  return {
    async list(call) {
      const upstreams = registry.table.upstreams.filter((upstream) => isAtPath(upstream, call.caller))
      const lists = await Promise.allSettled(upstreams.map((upstream) => listOf(upstream, call)))
      const errors = new Map(
        lists.flatMap((list, at) => (list.status === 'rejected' ? [[upstreams[at]?.name ?? '', list.reason] as const] : [])),
      )
      const missing = upstreams
        .filter(({ name }) => errors.has(name))
        .filter((one) => mayKnowServer(one, call.caller, ['resource']))
      failIfRequired({ missing: errors }, missing)
      const { request, context } = call
      const { page, nextCursor } = await pager({
        items: lists.flatMap((list) => (list.status === 'fulfilled' ? list.value : [])),
        id: 'uri',
        cursor: request.params?.cursor,
        binding: { auth: context.auth, method: request.method },
      })
      const unavailable = Object.fromEntries(missing.map(({ name }) => [name, describeToCaller(errors.get(name))]))
      return success(request.id, {
        resultType: 'complete',
        skills: page,
        ...(nextCursor !== undefined && { nextCursor }),
        ttlMs: 0,
        cacheScope: 'private',
        ...(missing.length > 0 && { _meta: { [UNAVAILABLE_META]: unavailable } }),
      })
    },
    async get(call) {
      const { server, response } = await ask(call, 'skill')
      const skill = isSuccess(response) ? response.result.skill : undefined
      if (!isSuccess(response) || !isObject(skill)) return response
      return success(call.request.id, { ...response.result, skill: expose(server, skill) })
    },
    async directory(call) {
      const { server, response } = await ask(call, 'directory')
      if (!isSuccess(response) || !Array.isArray(response.result.resources)) return response
      return success(call.request.id, expose(server, response.result))
    },
  }
}

/** Runs a task with a call that is cancelled after some time. @throws ListTimeoutError */
async function inTime<T>(call: CallerRequest, ms: number, task: (call: CallerRequest) => Promise<T>): Promise<T> {
  if (ms === Infinity) return task(call)
  const controller = new AbortController()
  const unsubscribe = onAbort(call.context, (reason) => controller.abort(reason))
  const { signal } = controller
  const limited = { ...call, context: deriveContext(call.context, { signal, onAbort: undefined }) }
  const late = new ListTimeoutError(`No response within ${ms} ms`)
  try {
    return await withTimeout(task(limited), ms, () => late)
  } finally {
    unsubscribe()
    controller.abort(late)
  }
}

/** Fetches all pages of the list of a server. @throws RpcError if the server refuses one; the error of the connection. */
async function fetchEntries(
  upstream: GatewayUpstream,
  call: CallerRequest,
  onWarning: (message: string) => void,
): Promise<JsonObject[]> {
  const { cursor: _own, ...others } = call.request.params ?? {}
  const fetch = async (cursor: string | undefined): Promise<JsonObject> => {
    const params = { ...others, ...(cursor !== undefined && { cursor }) }
    const response = await proxyRequest(upstream, { ...call, request: { ...call.request, params } })
    return resultOf(response, call.request.method)
  }
  const entries: JsonObject[] = []
  for await (const { skills } of followPages({ method: 'skills/list', key: 'skills', fetch, onWarning }))
    if (Array.isArray(skills)) entries.push(...skills.filter(isObject))
  return entries
}

/** Changes the URI of an entry, and those of its files, or those of the children of a directory. Everything else stays: digests are of contents. */
function markUris(entry: JsonObject, mark: (uri: string) => string): JsonObject {
  const marked = (value: JsonObject): JsonObject => (typeof value.uri === 'string' ? { ...value, uri: mark(value.uri) } : value)
  const { resources } = entry
  return {
    ...marked(entry),
    ...(Array.isArray(resources) && { resources: resources.map((file) => (isObject(file) ? marked(file) : file)) }),
  }
}
