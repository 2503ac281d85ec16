/** The options of `showApp`. */
import type { OptionNames } from '../../../../util/src/check-options.ts'
import type { JsonObject } from '../../jsonrpc/message.ts'
import type { CallToolResult, Implementation, Tool } from '../../protocol/types.ts'
import type { HostContext } from '../view/types.ts'
import { HANDLER_NAMES } from './bridge-options.ts'
import type { PermissionName, SandboxToken } from './frame.ts'
import type { AppHostName, AppHostProfile } from './profiles.ts'
import type { AppClient, AppHandlers } from './types.ts'
import type { AppPage } from './view-source.ts'

/** Options of `showApp`. */
export interface ShowAppOptions extends AppHandlers {
  /** The element that gets the frame. A view that it shows already is closed. */
  readonly element: HTMLElement
  /**
   * The URL of the proxy page, which `sandboxHandler` serves, on another origin than this page. `*` as the first part of the host name, as in
   * `https://*.views.example.com`, stands for a name that is different for each server and policy: its views then have an origin of their own, with storage.
   */
  readonly sandbox: string | URL
  /** The connection to the server of the tool. */
  readonly client: AppClient
  /** The tool whose view is shown: its name, or as `tools()` returns it. */
  readonly tool: string | Tool
  /** The arguments of the call. Default: `update` passes them. */
  readonly input?: JsonObject
  /** The result of the call, or a promise of it. A promise that fails counts as a cancelled call. Default: `update` passes it. */
  readonly result?: CallToolResult | Promise<CallToolResult>
  /** The page, if it is not to be read from the server. */
  readonly view?: AppPage
  /** Identifies the server, for the `*` of `sandbox`. Default: each view has an origin of its own, without lasting storage. */
  readonly server?: string
  /** The host that is emulated, by name or as data. Default: none. */
  readonly profile?: AppHostName | AppHostProfile
  /** The name and version of the host. */
  readonly info?: Implementation
  /** The surroundings that the view is told: theme, styles, language. Default: those of the page. */
  readonly context?: HostContext
  /** Asks the user which browser features a view may use, of those it asks for. Default: none. */
  readonly grant?: (asked: readonly PermissionName[]) => readonly PermissionName[] | Promise<readonly PermissionName[]>
  /** Further tokens of the `sandbox` of the view. `allow-same-origin` has an effect only with `*` in `sandbox`. Default: scripts and forms. */
  readonly tokens?: readonly SandboxToken[]
  /**
   * True if `reload` keeps what a person has done in the view: fields, scroll positions, opened details, the focus. For programs that show a view while it is
   * written. Default: false.
   */
  readonly keepState?: boolean
  /** How long a view may take to connect. Default: 10,000 (milliseconds). */
  readonly handshakeTimeoutMs?: number
  /** How long a connected view may not react, such as after a crash, before the element says so. Default: 15,000 (milliseconds). */
  readonly responseTimeoutMs?: number
  /** How long to wait for a view that is told that it will be removed. Default: 1,000 (milliseconds). */
  readonly teardownTimeoutMs?: number
  /** Receives the wish of the view to be removed. Default: it is removed. */
  readonly onCloseRequest?: () => void
}

/** The names of the options of `showApp`. */
export const SHOW_OPTIONS: OptionNames<ShowAppOptions> = {
  ...HANDLER_NAMES,
  element: 'object',
  sandbox: true,
  client: 'object',
  tool: true,
  input: 'object',
  result: 'object',
  view: 'object',
  server: 'nonempty',
  profile: true,
  info: 'object',
  context: 'object',
  grant: 'function',
  tokens: 'texts',
  keepState: 'boolean',
  handshakeTimeoutMs: 1,
  responseTimeoutMs: 1,
  teardownTimeoutMs: 1,
  onCloseRequest: 1,
}
/** The advice for options that must not be missing. */
export const REQUIRED_TO_SHOW: { readonly [name: string]: string } = {
  element: 'Pass the element that gets the frame',
  sandbox: 'Pass the URL of the page that sandboxHandler() serves, on another origin',
  client: 'Pass the connection to the server: await connect(url)',
  tool: 'Pass the tool, or its name',
}
