import { checkOptions, type OptionNames } from '../../../util/src/check-options.ts'
import { describe } from '../../../util/src/describe.ts'
import { CSP_LISTS, OPENAI_CSP_LISTS, VIEW_PERMISSIONS, type ViewCsp, type ViewPermissions } from '../protocol/apps.ts'
import { cspSourceHint, isCspSource } from '../protocol/csp-source.ts'
import type { CacheHint } from '../protocol/types.ts'

/** How clients authenticate for a tool, as ChatGPT reads it. */
export type ChatgptSecurityScheme =
  | {
      /** Anybody may call the tool. */
      readonly type: 'noauth'
    }
  | {
      /** Callers need an access token. */
      readonly type: 'oauth2'
      /** The scopes of the token. */
      readonly scopes?: readonly string[]
    }

/** Settings that only ChatGPT reads, with `hosts: ['chatgpt']`. */
export interface ChatgptOptions {
  /** A summary of the view for the model. */
  readonly description?: string
  /** Shown while the tool runs, at most 64 characters. */
  readonly invoking?: string
  /** Shown when the tool has finished, at most 64 characters. */
  readonly invoked?: string
  /** The arguments of the tool that are files. */
  readonly fileParams?: readonly string[]
  /** Origins that links of the view may lead to without a warning. */
  readonly redirectDomains?: readonly string[]
  /** How clients authenticate for the tool. Default: `oauth2` with the tool's `scopes`, if it has any. */
  readonly securitySchemes?: readonly ChatgptSecurityScheme[]
}

/** Options of `view`. */
export interface ViewOptions {
  /** The name of the view in its URI. Default: the name of the file, or of the tool. */
  readonly name?: string
  /** The name for display in `resources/list`. */
  readonly title?: string
  /** The content of the view. */
  readonly description?: string
  /** The URL of the module that a relative file starts at: `import.meta.url`. Default: the module that calls `view`. */
  readonly from?: string | URL
  /** True if the view reads the text of results, so that its tool needs no output schema. Default: false. */
  readonly text?: boolean
  /** The origins that the view may use. Default: none. */
  readonly csp?: ViewCsp
  /** The browser features that the view asks for. Default: none. */
  readonly permissions?: readonly (keyof ViewPermissions)[]
  /**
   * The origin on which the host shows the view, in the form of this host. `'auto'` computes it for each client of a host that needs one: Claude
   * and ChatGPT. Default: none.
   */
  readonly domain?: string
  /** The URL of the server as its users enter it, for `domain: 'auto'`. Default: from the request. */
  readonly url?: string | URL
  /** True if the host should draw a border. Default: the host decides. */
  readonly border?: boolean
  /** True if `resources/list` shows the view. Default: true. */
  readonly listed?: boolean
  /** How long clients may cache the page. Default: a day under its current URI, not at all under another one. */
  readonly cache?: CacheHint
  /** Hosts that read keys of their own besides the standard ones. Default: none. */
  readonly hosts?: readonly 'chatgpt'[]
  /** Settings that only ChatGPT reads. */
  readonly chatgpt?: ChatgptOptions
}

const NAMES: OptionNames<ViewOptions> = {
  name: 'nonempty',
  title: 'text',
  description: 'text',
  from: 'url',
  text: 'boolean',
  csp: 'object',
  permissions: 'texts',
  domain: 'nonempty',
  url: 'url',
  border: 'boolean',
  listed: 'boolean',
  cache: 'object',
  hosts: 'texts',
  chatgpt: 'object',
}
const ADVICE = { prefersBorder: 'Use "border"', widgetDomain: 'Use "domain"', baseUrl: 'Use "from"' }

const CSP_NAMES: OptionNames<ViewCsp> = {
  connectDomains: 'texts',
  resourceDomains: 'texts',
  frameDomains: 'texts',
  baseUriDomains: 'texts',
}
const CSP_ADVICE = {
  ...Object.fromEntries(Object.entries(OPENAI_CSP_LISTS).map(([list, name]) => [name, `Use "${list}"`])),
  redirect_domains: 'Use "redirectDomains" of "chatgpt"',
}

const CHATGPT_NAMES: OptionNames<ChatgptOptions> = {
  description: 'text',
  invoking: 'text',
  invoked: 'text',
  fileParams: 'texts',
  redirectDomains: 'texts',
  securitySchemes: 'array',
}

/** The longest status text that ChatGPT accepts. */
const MAX_STATUS = 64

/** Checks the options of a view. @throws TypeError. */
export function checkViewOptions(where: string, options: ViewOptions): void {
  checkOptions(where, options, { names: NAMES, advice: ADVICE })
  const { csp = {}, permissions = [], hosts = [], chatgpt = {} } = options
  checkOptions(`${where}: csp`, csp, { names: CSP_NAMES, advice: CSP_ADVICE })
  for (const list of CSP_LISTS) checkOrigins(`${where}: csp.${list}`, csp[list])
  checkNames(`${where}: permissions`, permissions, VIEW_PERMISSIONS)
  checkNames(`${where}: hosts`, hosts, ['chatgpt'])
  checkOptions(`${where}: chatgpt`, chatgpt, { names: CHATGPT_NAMES })
  checkOrigins(`${where}: chatgpt.redirectDomains`, chatgpt.redirectDomains)
  for (const status of ['invoking', 'invoked'] as const)
    if ((chatgpt[status]?.length ?? 0) > MAX_STATUS)
      throw new TypeError(`${where}: chatgpt.${status} has more than ${MAX_STATUS} characters`)
}

function checkNames(where: string, given: readonly string[], known: readonly string[]): void {
  const unknown = given.find((name) => !known.includes(name))
  if (unknown !== undefined) throw new TypeError(`${where}: ${describe(unknown)} is not one of ${known.join(', ')}`)
}

function checkOrigins(where: string, origins: readonly string[] = []): void {
  const wrong = origins.find((origin) => !isCspSource(origin))
  if (wrong !== undefined) throw new TypeError(`${where}: ${describe(wrong)} is not an origin. ${cspSourceHint(wrong)}`)
}
