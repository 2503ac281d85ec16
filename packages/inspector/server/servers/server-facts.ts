import { parseUrl } from '../../../util/src/parse-url.ts'
import { randomId } from '../../../util/src/random.ts'
import type {
  ConnectionSettings,
  InspectorRoot,
  InspectorServer,
  InspectorServerStatus,
  InspectorTarget,
} from '../protocol/servers.ts'
import { InspectorCommandError } from '../state/command-error.ts'
import type { EventHub } from '../state/event-hub.ts'
import { MASK, maskValues, unmask } from '../wire/mask.ts'
import { resolveServer, type TargetLoaders } from './resolver.ts'

/** A description of a new server. */
export interface NewServer {
  readonly target: InspectorTarget
  readonly name?: string | undefined
  readonly settings?: ConnectionSettings | undefined
  readonly saved?: boolean
  /** For a server that shows a recording. */
  readonly status?: InspectorServerStatus
}

/** A change of the settings of a server. */
export interface ServerChange {
  readonly name?: string | undefined
  readonly target?: InspectorTarget | undefined
  readonly settings?: ConnectionSettings | undefined
}

/** The part of a server that the page sees, with members that may be reset. */
export type ServerDetails = { readonly [Name in keyof InspectorServer]?: InspectorServer[Name] | undefined }

/** The settings of the user and the facts about a server. Changes are published. */
export interface ServerFacts {
  readonly id: string
  readonly state: InspectorServer
  readonly settings: ConnectionSettings
  readonly target: InspectorTarget
  readonly roots: readonly InspectorRoot[]
  /** True if it is connected or connecting. */
  readonly isActive: boolean
  /** Checks that a person has seen what will run. Returns what the connection is to. @throws InspectorCommandError */
  confirm(confirmed: string | true | undefined): Promise<string>
  /** Forgets what the previous connection showed. */
  startConnecting(): void
  setStatus(status: InspectorServerStatus, change?: ServerDetails): void
  update(change: ServerChange): Promise<void>
  setRoots(roots: readonly InspectorRoot[]): void
  show(change: ServerDetails): void
  publish(): void
}

/** Creates the facts of a new server. */
export async function createServerFacts(
  init: NewServer,
  { hub, loaders }: { readonly hub: EventHub; readonly loaders: TargetLoaders },
): Promise<ServerFacts> {
  const id = randomId(9)
  let { target, settings = {}, status = 'idle', saved = false } = init
  let given = init.name
  let announced: string | undefined
  let roots: readonly InspectorRoot[] = settings.roots ?? []
  let details: ServerDetails = {}
  let runs = await describeRuns(target, settings, loaders)

  const nameNow = (): string => given ?? announced ?? nameOf(target)
  const stateOf = (): InspectorServer => {
    const name = nameNow()
    const state = { id, name, target, settings: maskSettings(settings), status, runs, saved, roots, ...details }
    return Object.fromEntries(Object.entries(state).filter(([, value]) => value !== undefined)) as unknown as InspectorServer
  }
  const publish = (): void => hub.publish({ type: 'server', server: stateOf() })
  const setStatus = (next: InspectorServerStatus, change: ServerDetails = {}): void => {
    status = next
    details = { ...details, ...change }
    if (target.kind !== 'config' && change.info) announced = change.info.title ?? change.info.name
    publish()
  }
  return {
    id,
    get state() {
      return stateOf()
    },
    get settings() {
      return settings
    },
    get target() {
      return target
    },
    get roots() {
      return roots
    },
    get isActive() {
      return status === 'connected' || status === 'connecting'
    },
    async confirm(confirmed) {
      if (status === 'recording') throw new InspectorCommandError('INVALID_PARAMS', `${nameNow()} is a recording`)
      runs = await describeRuns(target, settings, loaders)
      if (runs !== undefined && confirmed !== true && confirmed !== runs)
        throw new InspectorCommandError('CONFIRMATION_REQUIRED', `Connecting runs this on your machine: ${runs}`)
      return runs ?? ('url' in target ? target.url : nameNow())
    },
    startConnecting() {
      details = {}
      setStatus('connecting')
    },
    setStatus,
    async update(change) {
      if (change.name !== undefined && change.name !== nameNow()) given = change.name
      target = change.target ?? target
      if (change.settings) settings = unmaskSettings(change.settings, settings)
      roots = change.settings?.roots ?? roots
      runs = await describeRuns(target, settings, loaders)
      publish()
    },
    setRoots(next) {
      roots = next
      publish()
    },
    show({ saved: next, ...change }) {
      saved = next ?? saved
      details = { ...details, ...change }
      publish()
    },
    publish,
  }
}

/** Describes the program of a server that runs on this machine; nothing is started to find out. */
async function describeRuns(
  target: InspectorTarget,
  settings: ConnectionSettings,
  loaders: TargetLoaders,
): Promise<string | undefined> {
  return (await resolveServer(target, settings, { loaders, load: false })).runs
}

function nameOf(target: InspectorTarget): string {
  switch (target.kind) {
    case 'url':
      return parseUrl(target.url)?.host ?? target.url
    case 'program':
      return fileName([target.command, ...target.args].find((word) => !isRunner(word)) ?? target.command)
    case 'module':
      return fileName(target.path)
    case 'config':
      return target.name
    case 'embedded':
      return 'server'
  }
}

const fileName = (path: string): string => (path.startsWith('@') ? path : (path.split(/[\\/]/).at(-1) ?? path))

/** Reports whether a word of a command says how a server is run, and not which: a runner, an option, or a program as text. */
const isRunner = (word: string): boolean =>
  /^(node|npx|python3?|uvx|uv|run|deno|bun|docker|-.*|.*\s.*)$/s.test(fileName(word).replace(/\.exe$/, ''))

function maskSettings(settings: ConnectionSettings): ConnectionSettings {
  const { headers, env } = settings
  return { ...settings, ...(headers && { headers: maskValues(headers) }), ...(env && { env: maskValues(env) }) }
}

function unmaskSettings(next: ConnectionSettings, previous: ConnectionSettings): ConnectionSettings {
  const { headers, env } = next
  return {
    ...next,
    ...(headers && { headers: unmask(headers, previous.headers) }),
    ...(env && { env: unmask(env, previous.env) }),
  }
}

/** Returns settings without their secrets, for a file. */
export function withoutSecrets(settings: ConnectionSettings): ConnectionSettings {
  const { headers, env } = maskSettings(settings)
  const keep = (values: Readonly<Record<string, string>>): Record<string, string> =>
    Object.fromEntries(Object.entries(values).filter(([, value]) => !value.includes(MASK)))
  return { ...settings, ...(headers && { headers: keep(headers) }), ...(env && { env: keep(env) }) }
}
