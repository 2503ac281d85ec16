/** The hosts that people use, as data. Each profile has a source and a date: hosts change without notice. */
import type { ViewCsp } from '../../protocol/apps.ts'
import type { DisplayMode, HostCapabilities, HostContext } from '../view/types.ts'
import type { HostCspRules } from './csp.ts'
import type { PermissionName } from './frame.ts'
import { CLAUDE_VARIABLES } from './variables/claude.ts'
import { GOOSE_VARIABLES } from './variables/goose.ts'
import { MISTRAL_VARIABLES } from './variables/mistral.ts'

/** A host as it was observed: what it offers to views, and where it deviates from the specification. */
export interface AppHostProfile {
  /** The name for display. */
  readonly title: string
  /** Where the values come from. */
  readonly source: string
  /** When they were observed: a year and a month. */
  readonly date: string
  /** The `clientInfo.name` that servers see. Absent if it is not known. */
  readonly clientName?: string
  /** The `hostInfo` that views see. An unknown version is `unknown`. */
  readonly hostInfo: {
    /** The name. */
    readonly name: string
    /** The version. */
    readonly version: string
  }
  /** The capabilities that views see. */
  readonly capabilities: HostCapabilities
  /** Capabilities that the host has without declaring them. */
  readonly undeclared?: HostCapabilities
  /** The display modes, the first one first. */
  readonly displayModes: readonly DisplayMode[]
  /** The size of the frame, px. */
  readonly container: NonNullable<HostContext['containerDimensions']>
  /** Px that the host covers at the edges in fullscreen. Absent if it is not known. */
  readonly fullscreenInsets?: NonNullable<HostContext['safeAreaInsets']>
  /** The news that views get besides input and result. */
  readonly tells: {
    /** Arguments before they are complete. */
    readonly partialInput: boolean
    /** Cancelled calls. */
    readonly cancelled: boolean
    /** Changes of the context. */
    readonly context: boolean
    /** That the view is removed. */
    readonly teardown: boolean
    /** The tool, in the context. */
    readonly toolInfo: boolean
  }
  /** True if the host removes a view that asks for it. */
  readonly closesOnRequest: boolean
  /** True if the host sets style variables. */
  readonly styleVariables: boolean
  /** The style variables that views get. Absent if they are not known: views then get none. */
  readonly variables?: {
    /** Where the values come from. */
    readonly source: string
    /** When they were observed: a year and a month. */
    readonly date: string
    /** The values, by name. */
    readonly values: Readonly<Record<string, string>>
  }
  /** The deviations of its content security policy. */
  readonly csp: HostCspRules
  /** The browser features that it can allow. */
  readonly permissions: readonly PermissionName[]
  /** Further facts, one sentence each. */
  readonly notes: readonly string[]
}

const UNKNOWN_VARIABLES = 'The values of its style variables are not known, so none are emulated.'
const CATALOG = 'host catalog of MCPJam, sunpeak 0.20.79, public issues'
const DATE = '2026-08'
const ALL_LISTS: readonly (keyof ViewCsp)[] = ['connectDomains', 'resourceDomains', 'frameDomains', 'baseUriDomains']
const EVERYTHING = { partialInput: true, cancelled: true, context: true, teardown: true, toolInfo: true } as const
const NOTHING = { partialInput: false, cancelled: false, context: false, teardown: false, toolInfo: true } as const
const INLINE = ['inline'] as const
const INLINE_AND_FULLSCREEN = ['inline', 'fullscreen'] as const
const ALL_MODES = ['inline', 'fullscreen', 'pip'] as const
const NO_INSETS = { top: 0, right: 0, bottom: 0, left: 0 } as const
const ANY_SERVER = { openLinks: {}, serverTools: {}, serverResources: {}, logging: {} } as const
const LISTENING_SERVER = { ...ANY_SERVER, serverTools: { listChanged: true } } as const

/** The name of a host with a profile. */
export type AppHostName =
  | 'chatgpt'
  | 'claude'
  | 'vscode'
  | 'cursor'
  | 'goose'
  | 'm365'
  | 'mcpjam'
  | 'slackbot'
  | 'mistral'
  | 'codex'

/** The profiles. They are emulations, as of their dates. */
export const APP_HOSTS: { readonly [name in AppHostName]: AppHostProfile } = {
  chatgpt: {
    title: 'ChatGPT',
    source: CATALOG,
    date: DATE,
    clientName: 'openai-mcp',
    hostInfo: { name: 'chatgpt', version: '0.0.1' },
    capabilities: { ...ANY_SERVER, message: {}, updateModelContext: {} },
    displayModes: ALL_MODES,
    container: { height: 400, maxWidth: 768 },
    fullscreenInsets: { ...NO_INSETS, bottom: 92 },
    tells: EVERYTHING,
    closesOnRequest: false,
    styleVariables: true,
    csp: { lists: ['connectDomains', 'frameDomains', 'baseUriDomains'], add: ['https://cdn.jsdelivr.net', 'https://unpkg.com'] },
    permissions: ['microphone', 'clipboardWrite'],
    notes: [
      'Views also have window.openai.',
      'On mobile devices, pip becomes fullscreen.',
      'The arguments of a call that the user has to approve come late.',
      'Views are cached by URI.',
      UNKNOWN_VARIABLES,
    ],
  },
  claude: {
    title: 'Claude',
    source: CATALOG,
    date: DATE,
    clientName: 'claude-ai',
    hostInfo: { name: 'Claude', version: '1.0.0' },
    capabilities: { ...LISTENING_SERVER, message: { text: {} }, updateModelContext: { text: {}, image: {} }, downloadFile: {} },
    displayModes: INLINE_AND_FULLSCREEN,
    container: { width: 720, maxHeight: 5000 },
    fullscreenInsets: { top: 16, right: 16, bottom: 138, left: 16 },
    tells: EVERYTHING,
    closesOnRequest: false,
    styleVariables: true,
    variables: { source: 'sunpeak, observed in production', date: '2026-03', values: CLAUDE_VARIABLES },
    csp: { lists: ['connectDomains', 'resourceDomains'], add: ['https://esm.sh', 'https://assets.claude.ai'], eval: true },
    permissions: ['clipboardWrite'],
    notes: [
      'The frame is hidden until ui/notifications/initialized.',
      'Results of more than 150,000 characters do not reach the view.',
      'Some builds need the key ui/resourceUri of the tool.',
      'Views inline should be at most 500 px high.',
      'Loads a font of its own, which is not emulated.',
    ],
  },
  vscode: {
    title: 'VS Code',
    source: CATALOG,
    date: DATE,
    clientName: 'Visual Studio Code',
    hostInfo: { name: 'Visual Studio Code', version: '1.130' },
    capabilities: {
      ...LISTENING_SERVER,
      updateModelContext: { image: {}, audio: {}, resource: {}, resourceLink: {}, structuredContent: {} },
      downloadFile: {},
    },
    displayModes: INLINE,
    container: { width: 494, maxHeight: 720 },
    tells: { ...EVERYTHING, toolInfo: false },
    closesOnRequest: true,
    styleVariables: true,
    csp: { lists: ALL_LISTS },
    permissions: ['clipboardWrite'],
    notes: ['Style variables refer to variables of its own, --vscode-….', UNKNOWN_VARIABLES],
  },
  cursor: {
    title: 'Cursor',
    source: CATALOG,
    date: DATE,
    clientName: 'cursor-vscode',
    hostInfo: { name: 'Cursor', version: '3.14' },
    capabilities: { ...ANY_SERVER, downloadFile: {} },
    displayModes: INLINE,
    container: { width: 649, maxHeight: 800 },
    tells: EVERYTHING,
    closesOnRequest: false,
    styleVariables: false,
    csp: { lists: ALL_LISTS },
    permissions: ['clipboardWrite'],
    notes: ['Calls only tools that it has listed.'],
  },
  goose: {
    title: 'goose',
    source: CATALOG,
    date: DATE,
    clientName: 'goose-desktop',
    hostInfo: { name: 'MCP-UI Host', version: '1.0.0' },
    capabilities: { openLinks: {} },
    undeclared: { serverTools: {} },
    displayModes: ALL_MODES,
    container: {},
    fullscreenInsets: NO_INSETS,
    tells: NOTHING,
    closesOnRequest: false,
    styleVariables: true,
    variables: { source: 'host catalog of MCPJam, observed in goose 1.38.0', date: '2026-06', values: GOOSE_VARIABLES },
    csp: { lists: [] },
    permissions: [],
    notes: [
      'Calls tools for views, but does not declare it.',
      'Ignores the width that views report.',
      'Shows views in windows too.',
      'Loads a font of its own, which is not emulated.',
    ],
  },
  m365: {
    title: 'Microsoft 365 Copilot',
    source: CATALOG,
    date: DATE,
    clientName: 'ms-copilot',
    hostInfo: { name: 'Copilot', version: 'unknown' },
    capabilities: { openLinks: {}, serverTools: {}, message: {}, updateModelContext: {} },
    displayModes: INLINE_AND_FULLSCREEN,
    container: { maxHeight: 400, maxWidth: 768 },
    fullscreenInsets: NO_INSETS,
    tells: EVERYTHING,
    closesOnRequest: false,
    styleVariables: false,
    csp: { lists: ['connectDomains', 'resourceDomains'] },
    permissions: [],
    notes: ['Views also have parts of window.openai.', 'Servers need OAuth 2.1 or Entra ID.'],
  },
  mcpjam: {
    title: 'MCPJam',
    source: CATALOG,
    date: DATE,
    clientName: 'mcpjam-inspector',
    hostInfo: { name: 'MCPJam', version: 'unknown' },
    capabilities: { ...ANY_SERVER, message: {}, updateModelContext: {}, downloadFile: {} },
    displayModes: ALL_MODES,
    container: { width: 720, maxHeight: 5000 },
    fullscreenInsets: NO_INSETS,
    tells: EVERYTHING,
    closesOnRequest: true,
    styleVariables: true,
    csp: { lists: ALL_LISTS },
    permissions: ['camera', 'microphone', 'geolocation', 'clipboardWrite'],
    notes: ['Views also have window.openai.', UNKNOWN_VARIABLES],
  },
  slackbot: partial('Slackbot', {
    displayModes: INLINE_AND_FULLSCREEN,
    container: { width: 598 },
    notes: ['Takes no messages and no model context.'],
  }),
  mistral: partial('Mistral', {
    displayModes: ['fullscreen', 'inline'],
    styleVariables: true,
    variables: { source: 'host catalog of MCPJam, observed in production', date: '2026-09', values: MISTRAL_VARIABLES },
    notes: ['Shows views in fullscreen first.'],
  }),
  codex: partial('Codex desktop', {
    notes: ['Ignores the height that views report.', 'Views also have parts of window.openai.'],
  }),
}

/** A profile of which only some values are known. The others are those of the specification, without what needs a capability beyond the server. */
function partial(title: string, known: Partial<AppHostProfile>): AppHostProfile {
  return {
    title,
    source: CATALOG,
    date: DATE,
    hostInfo: { name: title, version: 'unknown' },
    capabilities: ANY_SERVER,
    displayModes: INLINE,
    container: {},
    tells: EVERYTHING,
    closesOnRequest: false,
    styleVariables: false,
    csp: {},
    permissions: [],
    ...known,
    notes: ['Only some values of this profile are known.', ...(known.notes ?? [])],
  }
}
