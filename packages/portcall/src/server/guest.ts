import { checkMethod, demandExtension, letIn, settingsOf } from '../protocol/extensions.ts'
import type { CallContext } from './call.ts'
import type { Handler } from './dispatch.ts'
import type { ExtensionHost, ServerExtension, ServerGuest } from './extension.ts'
import { createMethod } from './extension-method.ts'
import { page } from './paging.ts'
import type { Seams } from './seams.ts'
import type { Server } from './surface.ts'

/**
 * Makes an extension of what its author writes. One may be given to any number of servers.
 *
 * @example
 * const shout = extension({
 *   id: 'com.example/shout',
 *   name: 'shout',
 *   serve(host) {
 *     host.method('shout/say', { params: z.object({ text: z.string() }) }, ({ text }) => ({ said: `${text}!` }))
 *   },
 * })
 * const server = createServer({ name: 'loud', version: '1.0.0' }, { extensions: [shout] })
 */
export function extension<const Name extends string, Api>(guest: ServerGuest<Name, Api>): ServerExtension<Name, Api> {
  return {
    ...guest,
    settings: settingsOf(guest),
    join: (server, seams) =>
      letIn(guest, { target: server, ids: seams.ids }, () => guest.serve(createHost(guest.id, server, seams))),
  }
}

function createHost(id: string, server: Server, seams: Seams): ExtensionHost {
  const { subscriptions, store, bus, sealer, pageSize: size, dispatch } = seams
  const demand: ExtensionHost['demand'] = (call) => demandExtension(id, call.client.capabilities)
  const demanding =
    (serve: Handler): Handler =>
    (call) => {
      demand(call)
      return serve(call)
    }
  return {
    server,
    store,
    bus,
    method(name, definition, handler) {
      checkMethod(id, name, seams.handlers)
      const { nameParam, mayAsk, longLived, cache } = definition
      seams.methods.set(name, {
        extension: id,
        ...(nameParam !== undefined && { nameParam }),
        ...(mayAsk && { mayAsk }),
        ...(longLived && { longLived }),
        ...(cache && { cacheable: true }),
      })
      const serve = createMethod(definition, handler)
      seams.handlers.set(name, definition.open ? serve : demanding(serve))
    },
    aroundTool: (around) => void seams.around.push(around),
    describeTool: (describe) => void seams.describing.push(describe),
    listen(key, admit) {
      if (seams.filters.has(key)) throw new TypeError(`The extension ${id} cannot have the filter ${key}: it is taken`)
      seams.filters.set(key, (asked, call) => {
        demand(call)
        return admit(asked, call)
      })
    },
    publish: subscriptions.publish,
    declaredBy: (call) => call.client.capabilities.extensions?.[id],
    demand,
    page: (items, { request, auth }, keyOf) =>
      page(items, { cursor: request.params?.cursor, size, keyOf, list: request.method, principal: auth?.principal }, sealer),
    run: dispatch,
    stateOf: (call) => (call as CallContext).rounds.remembered(),
    onClose: (listener) => void seams.closing.push(listener),
    report: server.report,
  }
}
