/** The page of the host, in the browser. Tests call `window.tested`. */
import { type AppClient, type AppEvent, type ShowAppOptions, type ShownApp, showApp } from 'portcall/apps/host'

interface ShownView {
  readonly app: ShownApp
  readonly events: AppEvent[]
  readonly calls: { readonly [name: string]: unknown }[]
}

declare global {
  interface Window {
    /** Sends a request to a server of the test, in Node. */
    mcp(server: string, method: string, args: unknown[]): Promise<unknown>
    tested: typeof tested
  }
}

const views = new Map<string, ShownView>()

function clientOf(server: string): AppClient {
  const send = (method: string, ...args: unknown[]): Promise<never> => window.mcp(server, method, args) as Promise<never>
  return {
    tools: () => ({ toArray: () => send('tools') }),
    callTool: (name, args, options) => send('callTool', name, args, options?.meta),
    request: (method, params) => send('request', method, params),
  }
}

/** The options that a test passes: what can cross the border of the page. */
export type TestedOptions = Partial<Omit<ShowAppOptions, 'tool' | 'sandbox'>> & {
  readonly tool: ShowAppOptions['tool']
  readonly sandbox: string
  readonly args?: object
  readonly grants?: ShowAppOptions['tokens'] | readonly string[]
}

const tested = {
  /** Shows a view with all functions of a host. Resolves when it is connected. */
  async show(id: string, server: string, { args, grants, ...options }: TestedOptions): Promise<void> {
    const element = document.createElement('div')
    element.id = id
    element.style.width = '600px'
    document.body.append(element)
    const events: AppEvent[] = []
    const calls: { [name: string]: unknown }[] = []
    const client = clientOf(server)
    const record =
      (name: string) =>
      (value: unknown): void =>
        void calls.push({ [name]: value })
    const result = args
      ? client.callTool(typeof options.tool === 'string' ? options.tool : options.tool.name, args as never)
      : undefined
    const app = showApp({
      element,
      client,
      ...(result && { input: args as never, result }),
      onOpenLink: record('link'),
      onMessage: record('message'),
      onModelContext: record('context'),
      onDownload: record('files'),
      onLog: record('log'),
      onDisplayMode: (mode) => mode,
      onEvent: (event) => void events.push(event),
      ...(grants && { grant: () => grants as never }),
      ...options,
    })
    views.set(id, { app, events, calls })
    await app.ready
  },
  /** Returns the events of a view, as JSON. */
  events: (id: string): AppEvent[] =>
    JSON.parse(
      JSON.stringify(views.get(id)?.events ?? [], (_, value) => (value instanceof Error ? { error: value.message } : value)),
    ),
  calls: (id: string) => views.get(id)?.calls ?? [],
  update: (id: string, update: Parameters<ShownApp['update']>[0]): void => views.get(id)?.app.update(update),
  async close(id: string): Promise<void> {
    await views.get(id)?.app.close()
    views.delete(id)
    document.getElementById(id)?.remove()
  },
  async closeAll(): Promise<void> {
    await Promise.all([...views.keys()].map((id) => tested.close(id)))
  },
}
window.tested = tested
