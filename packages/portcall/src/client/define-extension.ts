import { retryableOnce } from '../../../util/src/async.ts'
import { checkMethod, declaredSettings, installExtension } from '../protocol/extensions.ts'
import { ExtensionUnsupportedError } from './errors.ts'
import type { ClientExtension, ClientExtensionContext, ClientExtensionDefinition, ClientExtensionPoints } from './extension.ts'
import type { Client } from './types.ts'

/**
 * Defines an extension. Any number of clients can use it.
 *
 * @example
 * const shout = defineClientExtension({
 *   id: 'com.example/shout',
 *   name: 'shout',
 *   setup: (context) => ({ shout: async (text: string) => (await context.request('shout/text', { text })).text }),
 * })
 * const client = await connect(url, { extensions: [shout] })
 * await client.shout.shout('hello')
 */
export function defineClientExtension<const Name extends string, Api>(
  definition: ClientExtensionDefinition<Name, Api>,
): ClientExtension<Name, Api> {
  return {
    ...definition,
    settings: declaredSettings(definition),
    install: (client, points) =>
      installExtension(definition, { target: client, ids: points.extensionIds }, () =>
        definition.setup(createContext(definition.id, client, points)),
      ),
  }
}

function createContext(id: string, client: Client, points: ClientExtensionPoints): ClientExtensionContext {
  const { methods, resolvers, closeListeners, handleInputRequest, onEvent, request, list, subscribe } = points
  const capability = retryableOnce(async () => (await client.discover()).capabilities?.extensions?.[id])
  return {
    client,
    method(name, method) {
      checkMethod(id, name, methods)
      methods.set(name, method)
    },
    handleResultType(method, resultType, resolver) {
      const byType = resolvers.get(method) ?? new Map()
      if (byType.has(resultType)) throw new TypeError(`The extension ${id} cannot resolve ${resultType}: another extension does`)
      resolvers.set(method, byType.set(resultType, resolver))
    },
    request,
    list,
    serverCapability: () => capability.run(),
    async requireCapability() {
      const settings = await capability.run()
      if (!settings) throw new ExtensionUnsupportedError(id)
      return settings
    },
    subscribe,
    handleInputRequest,
    onClose: (listener) => void closeListeners.push(listener),
    warn: (message) => onEvent({ type: 'warning', message }),
  }
}
