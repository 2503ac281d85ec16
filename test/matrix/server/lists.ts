import type { Call, Server } from 'portcall'

const ICONS = [{ src: 'https://example.com/icon.png', mimeType: 'image/png', sizes: ['48x48'], theme: 'light' as const }]

/** Items with all optional fields, and items that only some clients may see. */
export function addLists(server: Server): void {
  server.use((request, context, next) => {
    const { clientInfo } = readClient(request.params?._meta)
    if (clientInfo?.name !== 'admin') return next(request, context)
    const { ask, closeStream, readParamHeader, http } = context
    const auth = { principal: 'admin' }
    return next(request, {
      signal: context.signal,
      notify: (message) => context.notify(message),
      ask,
      closeStream,
      readParamHeader,
      http,
      auth,
    })
  })

  server.tool(
    'adorned',
    {
      title: 'Adorned',
      description: 'Has everything',
      icons: ICONS,
      annotations: { title: 'Adorned', readOnlyHint: true, idempotentHint: true, openWorldHint: false },
      _meta: { 'test/mark': true },
      input: {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        type: 'object',
        properties: { size: { type: 'integer' } },
        additionalProperties: false,
      },
      output: { type: 'object', properties: { size: { type: 'integer' } } },
    },
    () => ({ size: 1 }),
  )
  const visible = ({ auth }: Call): boolean => auth?.principal === 'admin'
  server.tool('secret', { visible }, () => 'The cake is a lie')
  server.prompt('secret', { visible }, () => 'The cake is a lie')
  server.resource('memo://secret', { visible }, () => 'The cake is a lie')
  server.resource('secret://{id}', { visible, complete: { id: () => ['cake'] } }, ({ id }) => `The ${id} is a lie`)
}

function readClient(meta: unknown): { clientInfo?: { name?: string } | undefined } {
  const { 'io.modelcontextprotocol/clientInfo': clientInfo } = (meta ?? {}) as {
    'io.modelcontextprotocol/clientInfo'?: { name?: string }
  }
  return { clientInfo }
}
