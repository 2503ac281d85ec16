/** The requests of views to their host. Each method is refused here if the host does not offer it. */
import type { AppToolTypes } from '../../protocol/apps.ts'
import type { App, AppOptions } from './app.ts'
import type { Bridge } from './bridge.ts'
import { AppError } from './errors.ts'
import type { AppResult, DisplayMode, HostCapabilities, HostContext, Json } from './types.ts'

type Methods<Tools extends AppToolTypes> = Pick<
  App<Tools>,
  | 'call'
  | 'read'
  | 'openLink'
  | 'message'
  | 'updateContext'
  | 'download'
  | 'requestDisplayMode'
  | 'reportSize'
  | 'sample'
  | 'log'
  | 'requestTeardown'
>

/** The host as the handshake described it. */
interface Host {
  readonly capabilities: HostCapabilities
  readonly context: () => HostContext
}

/** Creates the methods of a view. */
export function appMethods<Tools extends AppToolTypes>(
  bridge: Bridge,
  options: AppOptions,
  { capabilities, context }: Host,
): Methods<Tools> {
  const need = (capability: keyof HostCapabilities & string) => {
    if (!capabilities[capability]) throw unsupported(capability)
  }
  const ask = async (capability: keyof HostCapabilities & string, method: string, params: Json) => {
    need(capability)
    const result = (await bridge.request(method, params)) as Json | undefined
    if (result?.isError) throw new AppError('REQUEST_FAILED', `${method}: the host or the user refused`)
  }
  let nextContext: { params: Json; sent: Promise<void> } | undefined

  return {
    async call(name, ...[input = {}, requestOptions]) {
      need('serverTools')
      const result = (await bridge.request('tools/call', { name, arguments: input }, requestOptions)) as object
      return { content: [], ...result } as unknown as AppResult<Tools[typeof name]['output']>
    },
    async read(uri, requestOptions) {
      need('serverResources')
      const result = (await bridge.request('resources/read', { uri }, requestOptions)) as { contents?: Json[] }
      return result.contents ?? []
    },
    openLink: (url) => ask('openLinks', 'ui/open-link', { url }),
    message: (content) => ask('message', 'ui/message', { role: 'user', content: blocks(content) }),
    async updateContext(update) {
      need('updateModelContext')
      const params: Json = typeof update === 'string' ? { content: blocks(update) } : { ...update }
      if (nextContext) {
        nextContext.params = params
        return nextContext.sent
      }
      const next: { params: Json; sent: Promise<void> } = { params, sent: Promise.resolve() }
      nextContext = next
      next.sent = Promise.resolve().then(() => {
        nextContext = undefined
        return ask('updateModelContext', 'ui/update-model-context', next.params)
      })
      return next.sent
    },
    async download(name, data, mimeType) {
      need('downloadFile')
      const resource = { uri: `file:///${encodeURIComponent(name)}`, ...(await contentsOf(data, mimeType)) }
      await ask('downloadFile', 'ui/download-file', { contents: [{ type: 'resource', resource }] })
    },
    async requestDisplayMode(mode) {
      if (!context().availableDisplayModes?.includes(mode)) throw unsupported(`display mode ${mode}`)
      const result = (await bridge.request('ui/request-display-mode', { mode })) as { mode?: DisplayMode }
      return result.mode ?? context().displayMode ?? 'inline'
    },
    reportSize: (size) => bridge.notify('ui/notifications/size-changed', { ...size }),
    async sample(params, requestOptions) {
      if (!options.sampling) throw new AppError('UNSUPPORTED_BY_HOST', 'sample() needs the option sampling: true of connectApp')
      need('sampling')
      return (await bridge.request('sampling/createMessage', params, requestOptions)) as Json
    },
    log(level, data) {
      if (capabilities.logging) bridge.notify('notifications/message', { level, data, logger: options.name })
    },
    requestTeardown: () => bridge.notify('ui/notifications/request-teardown'),
  }
}

function unsupported(feature: string): AppError {
  return new AppError('UNSUPPORTED_BY_HOST', `The host does not offer ${feature}`)
}

const blocks = (content: string | Json[]): Json[] => (typeof content === 'string' ? [{ type: 'text', text: content }] : content)

async function contentsOf(data: string | Blob, mimeType?: string): Promise<Json> {
  if (typeof data === 'string') return { text: data, mimeType: mimeType ?? 'text/plain' }
  let binary = ''
  for (const byte of new Uint8Array(await data.arrayBuffer())) binary += String.fromCharCode(byte)
  return { blob: btoa(binary), mimeType: mimeType ?? (data.type || 'application/octet-stream') }
}
