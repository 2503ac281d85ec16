/** The views of a server in the inspector, on this machine. */
import { checkOptions, type OptionNames } from '../../../util/src/check-options.ts'
import type { AppHostName } from '../apps/host/profiles.ts'
import type { DisplayMode } from '../apps/view/types.ts'
import type { JsonObject } from '../jsonrpc/message.ts'

/** Options of `servePreview`. */
export interface ServePreviewOptions {
  /** The server of the views: a server of this process, its URL, or a program. */
  readonly server: object | string
  /** The tool whose view is shown first. Default: the first one with a view. */
  readonly tool?: string
  /** The arguments of its call. Default: those that its form starts with. */
  readonly args?: JsonObject
  /** The host that is emulated. Default: none. */
  readonly profile?: AppHostName
  /** The theme. Default: that of the page. */
  readonly theme?: 'light' | 'dark'
  /** The width of the view, px. Default: that of the host. */
  readonly width?: number
  /** The language of the host. Default: that of the browser. */
  readonly locale?: string
  /** The display mode that views start in, if the host has it. Default: the first one of the host. */
  readonly displayMode?: DisplayMode
  /** The port of the page. Default: any free port. */
  readonly port?: number
}

const NAMES: OptionNames<ServePreviewOptions> = {
  server: true,
  tool: 'nonempty',
  args: 'object',
  profile: true,
  theme: ['light', 'dark'],
  width: 'number',
  locale: 'nonempty',
  displayMode: ['inline', 'fullscreen', 'pip'],
  port: 'number',
}

/** A preview that is served. */
export interface Preview {
  /** The link of the page, which opens it once: the page can call the tools of the server. */
  readonly url: string
  /** Stops to serve. */
  close(): Promise<void>
}

/** The part of `portcall/inspector` that is used here. It is loaded when it is needed. */
interface InspectorModule {
  serveInspector(options: object): Promise<{
    readonly backend: {
      readonly servers: { add(server: object): Promise<{ readonly id: string; connect(confirm: true): Promise<void> }> }
      showFirst(view: object): void
    }
    newLink(): string
    close(): Promise<void>
  }>
}

/**
 * Opens the inspector at the view of a tool, as `portcall apps preview` does: in any host, theme, width and language, with all messages. It calls the tool.
 *
 * @throws TypeError if an option is invalid.
 */
export async function servePreview(options: ServePreviewOptions): Promise<Preview> {
  checkOptions('servePreview()', options, {
    names: NAMES,
    required: { server: 'Pass the server, its URL or its program' },
    advice: { client: 'Use "server"' },
  })
  const { server, tool, args, displayMode: mode, port = 0, profile, theme, width, locale } = options
  const { serveInspector } = (await import('portcall/inspector' as string)) as InspectorModule
  const inspector = await serveInspector({
    info: { name: 'portcall-preview', version: '1.0.0' },
    port,
    loaders: { embedded: server },
  })
  const added = await inspector.backend.servers.add({ target: targetOf(server) })
  const given = { profile, theme, width, locale, mode }
  const settings = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
  inspector.backend.showFirst({
    serverId: added.id,
    settings,
    ...(tool !== undefined && { tool }),
    ...(args && { arguments: args }),
  })
  await added.connect(true)
  return { url: inspector.newLink(), close: () => inspector.close() }
}

/** Returns the server as the inspector names it. */
function targetOf(server: object | string): object {
  if (typeof server === 'string' || server instanceof URL) return { kind: 'url', url: String(server) }
  if (!('command' in server)) return { kind: 'embedded' }
  const { command, args = [] } = server as { command: string; args?: readonly string[] }
  return { kind: 'program', command, args }
}
