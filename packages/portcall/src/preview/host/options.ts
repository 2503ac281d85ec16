/** The options of test hosts, and of the views that they show. */
import type { OptionNames } from '../../../../util/src/check-options.ts'
import type { AppHostName, AppHostProfile } from '../../apps/host/profiles.ts'
import type { AppClient } from '../../apps/host/types.ts'
import type { AppPage } from '../../apps/host/view-source.ts'
import type { DisplayMode, HostContext } from '../../apps/view/types.ts'
import type { ConnectTarget } from '../../connect/target.ts'
import type { JsonObject } from '../../jsonrpc/message.ts'
import type { ViewMeta } from '../../protocol/apps.ts'
import type { CallToolResult } from '../../protocol/types.ts'

/** Options of `testHost`. */
export interface TestHostOptions {
  /** The server of the views: a server of this process, a URL, a program, or an open connection. Default: none, for pages without a server. */
  readonly server?: ConnectTarget | AppClient
  /** The path of Chromium. Default: the variable `PORTCALL_BROWSER`, that of Playwright, or one that is installed. */
  readonly browser?: string
  /** The folder from which Playwright is found. Default: the working directory. */
  readonly folder?: string
}

/** The names of the options of `testHost`. */
export const TEST_HOST_OPTIONS: OptionNames<TestHostOptions> = { server: true, browser: 'nonempty', folder: 'nonempty' }

/** The view to show, and what surrounds it. */
export interface ShowViewOptions {
  /** The tool to call. Its view gets the arguments and the result. */
  readonly tool?: string
  /** The arguments of the call. Default: `{}`. */
  readonly args?: JsonObject
  /** The page, instead of that of a tool. */
  readonly html?: string
  /** The declarations of the resource of `html`: origins, browser features. */
  readonly meta?: ViewMeta
  /** The result that the view gets, instead of that of a call; `null` for none. */
  readonly result?: CallToolResult | null
  /** The host that is emulated. Default: a host that follows the specification. */
  readonly profile?: AppHostName | AppHostProfile
  /** The theme of the host. Default: `light`. */
  readonly theme?: 'light' | 'dark'
  /** The width of the view, px. Default: that of the profile, or 720. */
  readonly width?: number
  /** The height of the window, px: the height of the view in fullscreen. Default: 800. */
  readonly height?: number
  /** The language, such as `fr-CA`. Default: `en-US`. */
  readonly locale?: string
  /** The IANA name of a time zone. Default: `UTC`. */
  readonly timeZone?: string
  /** The display mode. Default: the first one of the profile, or `inline`. */
  readonly displayMode?: DisplayMode
  /** Further members of the context of the host. */
  readonly context?: HostContext
  /** The pixels of the screen per px. Default: 1. */
  readonly scale?: number
  /** The time that the view reads, which then does not pass. Default: the real time. Also makes `Math.random` the same each time. */
  readonly now?: Date
  /** How long a view may take to connect. Default: 10,000 (milliseconds). */
  readonly handshakeTimeoutMs?: number
}

/** The names of the options of a view. */
export const SHOW_VIEW_OPTIONS: OptionNames<ShowViewOptions> = {
  tool: 'nonempty',
  args: 'object',
  html: 'text',
  meta: 'object',
  result: true,
  profile: true,
  theme: true,
  width: 'count',
  height: 'count',
  locale: 'nonempty',
  timeZone: 'nonempty',
  displayMode: true,
  context: 'object',
  scale: 'number',
  now: 'object',
  handshakeTimeoutMs: 1,
}

/** The page of a view without a server, as `showApp` takes it. */
export const ownPageOf = ({ html, meta }: ShowViewOptions): AppPage | undefined =>
  html === undefined ? undefined : { html, ...(meta && { meta }) }
