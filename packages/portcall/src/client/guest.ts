import type { JsonObject } from '../jsonrpc/message.ts'
import { checkMethod, letIn, settingsOf } from '../protocol/extensions.ts'
import { ExtensionMissing } from './errors.ts'
import type { ClientExtension, ClientGuest, ClientHost } from './extension.ts'
import type { ClientSeams } from './seams.ts'
import type { Client } from './surface.ts'

/**
 * Makes an extension of what its author writes. One may be given to any number of clients.
 *
 * @example
 * const shout = extension({
 *   id: 'com.example/shout',
 *   name: 'shout',
 *   connect: (host) => ({ say: async (text: string) => (await host.request('shout/say', { text })).said }),
 * })
 * const client = await connect(url, { extensions: [shout] })
 * await client.shout.say('hello')
 */
export function extension<const Name extends string, Api>(guest: ClientGuest<Name, Api>): ClientExtension<Name, Api> {
  return {
    ...guest,
    settings: settingsOf(guest),
    join: (client, seams) =>
      letIn(guest, { target: client, ids: seams.ids }, () => guest.connect(createHost(guest.id, client, seams))),
  }
}

function createHost(id: string, client: Client, seams: ClientSeams): ClientHost {
  const { methods, finishers, closing, answer, onEvent, request, list, listen } = seams
  let discovered: Promise<JsonObject | undefined> | undefined
  const declared = (): Promise<JsonObject | undefined> => {
    discovered ??= client.discover().then(({ capabilities }) => capabilities?.extensions?.[id])
    discovered.catch(() => {
      discovered = undefined
    })
    return discovered
  }
  return {
    client,
    method(name, about) {
      checkMethod(id, name, methods)
      methods.set(name, about)
    },
    result(method, resultType, finish) {
      const finishing = finishers.get(method) ?? new Map()
      if (finishing.has(resultType)) throw new TypeError(`The extension ${id} cannot finish ${resultType}: another one does`)
      finishers.set(method, finishing.set(resultType, finish))
    },
    request,
    list,
    declared,
    async demand() {
      const settings = await declared()
      if (!settings) throw new ExtensionMissing(id)
      return settings
    },
    listen,
    answer,
    onClose: (listener) => void closing.push(listener),
    warn: (message) => onEvent({ type: 'warning', message }),
  }
}
