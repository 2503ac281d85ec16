/** The options of the host's side of a view, and the state that its parts share. */
import type { OptionNames } from '../../../../util/src/check-options.ts'
import type { JsonObject, Message } from '../../jsonrpc/message.ts'
import type { Implementation, Tool } from '../../protocol/types.ts'
import type { HostContext } from '../view/types.ts'
import type { ViewState } from './methods.ts'
import { APP_HOSTS, type AppHostName, type AppHostProfile } from './profiles.ts'
import type { AppClient, AppHandlers, ConnectedApp } from './types.ts'

/** Options of `createHostBridge`. */
export interface HostBridgeOptions extends AppHandlers {
  /** Sends a message to the view. */
  readonly post: (message: Message) => void
  /** The connection to the server of the view. Default: views cannot call tools or read resources. */
  readonly client?: AppClient
  /** The tool whose call opened the view. */
  readonly tool?: Tool
  /** The URI of the view. */
  readonly uri?: string
  /** The host that is emulated, by name or as data. Default: a host that offers what its functions can do. */
  readonly profile?: AppHostName | AppHostProfile
  /** The name and version of the host. Default: those of the profile. */
  readonly info?: Implementation
  /** The surroundings: theme, language, size. */
  readonly context?: HostContext
  /** The policy and features that the frame of the view has. They are part of the capabilities. */
  readonly sandbox?: JsonObject
  /** How long to wait for a view that is told that it will be removed. Default: 1,000 (milliseconds). */
  readonly teardownTimeoutMs?: number
  /** Receives the wish of the view to be removed. */
  readonly onCloseRequest?: () => void
}

/** The names of the functions of a host. */
export const HANDLER_NAMES: OptionNames<AppHandlers> = {
  onOpenLink: 1,
  onMessage: 1,
  onModelContext: 1,
  onDownload: 1,
  onDisplayMode: 1,
  onSample: 1,
  onLog: 1,
  approve: 'function',
  onEvent: 1,
}

/** The names of the options of `createHostBridge`. */
export const BRIDGE_OPTIONS: OptionNames<HostBridgeOptions> = {
  ...HANDLER_NAMES,
  post: 'function',
  client: 'object',
  tool: 'object',
  uri: 'text',
  profile: true,
  info: 'object',
  context: 'object',
  sandbox: 'object',
  teardownTimeoutMs: 1,
  onCloseRequest: 1,
}

/** The state that the parts of a bridge share. Its owner is the bridge. */
export interface BridgeState {
  name: ViewState
  context: HostContext
  app: ConnectedApp | undefined
}

/** Returns a profile by its name. @throws TypeError for an unknown name. */
export function appHostOf(profile: AppHostName | AppHostProfile | undefined): AppHostProfile | undefined {
  if (typeof profile !== 'string') return profile
  if (Object.hasOwn(APP_HOSTS, profile)) return APP_HOSTS[profile]
  throw new TypeError(`profile must be one of ${Object.keys(APP_HOSTS).join(', ')}, not ${JSON.stringify(profile)}`)
}
