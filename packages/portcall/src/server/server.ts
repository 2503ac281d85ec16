import { type Exchange, type Middleware, wrap } from '../jsonrpc/exchange.ts'
import { handOut } from '../jsonrpc/kept.ts'
import type { MembersOf } from '../protocol/extensions.ts'
import type { Implementation } from '../protocol/types.ts'
import type { Schema } from '../schema/standard.ts'
import type { PromptHandler } from './define.ts'
import { createDispatch } from './dispatch.ts'
import { reportError } from './events.ts'
import type { ServerExtension } from './extension.ts'
import { createFeatures } from './features.ts'
import type { ServerOptions } from './options.ts'
import { createPrompt } from './prompts.ts'
import { type AnyReadHandler, createResource, createTemplate } from './resources.ts'
import type { Server } from './surface.ts'
import type { AnyToolDefinition, AnyToolHandler } from './tools.ts'

/**
 * Makes a server.
 *
 * @example
 * const server = createServer({ name: 'weather', version: '1.0.0' })
 * server.tool('forecast', { input: z.object({ city: z.string() }) }, ({ city }) => `Sun in ${city}`)
 */
export function createServer<const E extends readonly ServerExtension[] = []>(
  info: Implementation,
  options: ServerOptions<E> = {},
): Server & MembersOf<E> {
  const { offers, seams, dispatch: features } = createFeatures(options)
  const { subscriptions, closing } = seams
  const { tools, resources, templates, prompts } = offers
  const layers: Middleware[] = []
  const dispatch = createDispatch({ info, ...features })
  const { lackingScopes = 'challenge' } = options
  let exchange: Exchange = dispatch

  const server: Server = {
    info,
    exchange: (request, context) => exchange(request, context),
    methodOf: features.methodOf,
    tool(name: string, definition: object, handler: unknown) {
      tools.add(name, offers.makeTool(name, { lackingScopes, ...definition } as AnyToolDefinition, handler as AnyToolHandler))
      return server as never
    },
    resource(uri: string, definition: object, handler: unknown) {
      const whole = { lackingScopes, ...definition }
      if (uri.includes('{')) templates.add(uri, createTemplate(uri, whole, handler as AnyReadHandler))
      else resources.add(uri, createResource(uri, whole, handler as AnyReadHandler))
      return server
    },
    prompt(name: string, definition: object, handler: unknown) {
      prompts.add(name, createPrompt(name, { lackingScopes, ...definition }, handler as PromptHandler<Schema | undefined>))
      return server
    },
    tools: tools.items,
    resources: resources.items,
    templates: templates.items,
    prompts: prompts.items,
    use(middleware) {
      layers.push(middleware)
      exchange = wrap(handOut(dispatch), layers)
      return server
    },
    listChanged: (list) => subscriptions.publish({ list: `${list}ListChanged` }),
    resourceUpdated: (uri) => subscriptions.publish({ updated: uri }),
    report: (error) => void reportError(features.onEvent, error, { method: 'transport' }),
    stores: options.stores,
    mayRepeat: ({ method, params }) =>
      method !== 'tools/call' || tools.get(String(params?.name))?.definition.annotations?.idempotentHint === true,
    close() {
      for (const end of closing.splice(0)) end()
      subscriptions.close()
    },
  }
  for (const extension of options.extensions ?? []) extension.join(server, { ...seams, dispatch })
  return server as Server & MembersOf<E>
}
