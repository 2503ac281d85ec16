import { onAbort } from '../../../../util/src/abort.ts'
import { describe } from '../../../../util/src/describe.ts'
import { deriveContext, type ExchangeContext, type Middleware } from '../../jsonrpc/exchange.ts'
import { isObject, type JsonObject, notification, type Request, type Response, success } from '../../jsonrpc/message.ts'
import { resourceNotFound, unknownItem } from '../../protocol/errors.ts'
import { MetaKey } from '../../protocol/meta.ts'
import { LIST_CHANGE_KEYS, LIST_CHANGES } from '../../protocol/methods.ts'
import { subrequestContext } from '../../protocol/subrequest.ts'
import { KIND_OF_METHOD } from '../kinds.ts'
import { createChecks, listTransformed, lookUp, lookUpResource, type TransformLookup, type TransformSource } from './apply.ts'
import type { Transform, TransformCaller } from './transform.ts'

interface TransformedRequest extends TransformSource {
  readonly request: Request
  readonly context: ExchangeContext
}

/**
 * Creates middleware that applies transforms, one after another. Use it for a server, for one that is mounted, or for a gateway and its servers.
 *
 * @example
 * server.use(transform(hide('admin_*'), rename({ search_v2: 'search' })))
 */
export function transform(...transforms: readonly Transform[]): Middleware {
  for (const one of transforms as readonly unknown[])
    if (!isObject(one))
      throw new TypeError(
        `transform() needs transforms such as hide(…), not ${describe(one)}${typeof one === 'function' ? '. Pass middleware to use() itself' : ''}`,
      )
  const checks = createChecks(transforms)
  return (request, context, next) => {
    const handler = HANDLERS[request.method] ?? (KIND_OF_METHOD.has(request.method) ? list : undefined)
    return handler ? handler({ request, context, next, transforms, checks }) : next(request, context)
  }
}

async function list(one: TransformedRequest): Promise<Response> {
  const { request, context, next, transforms } = one
  const info = KIND_OF_METHOD.get(request.method)
  if (!info) return next(request, context)
  const { items, rest } = await listTransformed(info.kind, { request, context, auth: context.auth }, one)
  const varies = transforms.some((each) => each.variesByCaller)
  return success(request.id, {
    ...rest,
    ...(varies && { ttlMs: 0, cacheScope: 'private' }),
    [info.key]: [...items.values()].map(({ definition }) => definition),
  })
}

/** Looks up a tool or prompt. */
async function find(kind: 'tool' | 'prompt', name: string, one: TransformedRequest): Promise<TransformLookup> {
  const { request, context, transforms } = one
  const known = await listTransformed(kind, { request, context, auth: context.auth }, one)
  return lookUp(known, name, (other) => transforms.every((each) => each.allows?.(kind, other) ?? true))
}

async function callNamed(kind: 'tool' | 'prompt', one: TransformedRequest): Promise<Response> {
  const { request, context, next } = one
  const params = request.params ?? {}
  const item = await find(kind, String(params.name), one)
  if (item === 'unchanged') return next(request, context)
  if (item === 'hidden') throw unknownItem(kind, params.name)
  const caller: TransformCaller = { request, context, auth: context.auth }
  const args = isObject(params.arguments) ? params.arguments : {}
  const prepared = item.prepareArguments ? { arguments: await item.prepareArguments(args, caller) } : {}
  const own = item.prepareArguments ? subrequestContext(context) : context
  return next({ ...request, params: { ...params, name: item.originalName, ...prepared } }, own)
}

async function findResource(uri: string, one: TransformedRequest): Promise<'unchanged' | 'hidden'> {
  const { request, context, transforms } = one
  const caller: TransformCaller = { request, context, auth: context.auth }
  const [resources, templates] = await Promise.all([
    listTransformed('resource', caller, one),
    listTransformed('template', caller, one),
  ])
  const isAllowed = (other: string): boolean => transforms.every((each) => each.allows?.('resource', other) ?? true)
  return lookUpResource(uri, { resources, templates, isAllowed })
}

async function readResource(one: TransformedRequest): Promise<Response> {
  const uri = String(one.request.params?.uri)
  if ((await findResource(uri, one)) === 'hidden') throw resourceNotFound(uri)
  return one.next(one.request, one.context)
}

async function complete(one: TransformedRequest): Promise<Response> {
  const { request, context, next } = one
  const ref: JsonObject = isObject(request.params?.ref) ? request.params.ref : {}
  if (ref.type === 'ref/prompt') {
    const prompt = await find('prompt', String(ref.name), one)
    if (prompt === 'hidden') throw unknownItem('prompt', ref.name)
    if (prompt === 'unchanged') return next(request, context)
    return next({ ...request, params: { ...request.params, ref: { ...ref, name: prompt.originalName } } }, context)
  }
  const caller: TransformCaller = { request, context, auth: context.auth }
  const templates = await listTransformed('template', caller, one)
  const uri = String(ref.uri)
  const isHidden = templates.originals.has(uri) ? !templates.items.has(uri) : (await findResource(uri, one)) === 'hidden'
  if (isHidden) throw unknownItem('resource template', uri)
  return next(request, context)
}

/** Leaves out hidden resources, and reports changes of the transforms like those of the server. */
async function listen(one: TransformedRequest): Promise<Response> {
  const { request, context, next, transforms } = one
  const requested: JsonObject = isObject(request.params?.notifications) ? request.params.notifications : {}
  const uris: unknown[] = Array.isArray(requested.resourceSubscriptions) ? requested.resourceSubscriptions : []
  const kept: unknown[] = []
  for (const uri of uris) if ((await findResource(String(uri), one)) === 'unchanged') kept.push(uri)
  const notifications = { ...requested, ...(uris.length > 0 && { resourceSubscriptions: kept }) }
  const lists = LIST_CHANGE_KEYS.filter((key) => requested[key] === true)
  let isAcknowledged = false
  const announce = (): void => {
    if (!isAcknowledged) return
    for (const key of lists)
      void context.notify(notification(LIST_CHANGES[key], { _meta: { [MetaKey.subscriptionId]: request.id } }))
  }
  const unsubscribes = transforms.flatMap((each) => each.onChange?.(announce) ?? [])
  const end = (): void => unsubscribes.splice(0).forEach((unsubscribe) => void unsubscribe())
  onAbort(context, end)
  const notify: ExchangeContext['notify'] = (message) => {
    if (message.method === 'notifications/subscriptions/acknowledged') isAcknowledged = true
    return context.notify(message)
  }
  try {
    const params = { ...request.params, notifications }
    return await next({ ...request, params }, deriveContext(context, { notify }))
  } finally {
    end()
  }
}

const HANDLERS: { readonly [method: string]: (one: TransformedRequest) => Promise<Response> } = {
  'tools/call': (one) => callNamed('tool', one),
  'prompts/get': (one) => callNamed('prompt', one),
  'resources/read': readResource,
  'completion/complete': complete,
  'subscriptions/listen': listen,
}
