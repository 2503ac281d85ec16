import { KINDS } from '../../compose/kinds.ts'
import { isObject, isSuccess, type JsonObject } from '../../jsonrpc/message.ts'
import { ALL_CAPABILITIES } from '../../protocol/all-capabilities.ts'
import { UNAVAILABLE_META } from '../../protocol/meta.ts'
import { clientMeta } from '../../protocol/probes.ts'
import type { KeyValueStore } from '../../stores/store.ts'
import { type GatewayOptions, type GatewayServers, serverOptionsOf } from '../api/options.ts'
import { createGateway, type Gateway } from '../gateway.ts'
import { type ChangeSelection, type DefinitionPinsOptions, definitionPins } from '../policy/definition-pins.ts'
import type { DefinitionChange } from '../policy/describe-change.ts'
import { type PinnedServers, parseLock } from '../policy/pin-lock.ts'
import { openPinStorage } from '../policy/pin-storage.ts'

/** Options of `acceptPins`. */
export interface AcceptPinsOptions
  extends Pick<GatewayOptions, 'credentials'>,
    Pick<DefinitionPinsOptions, 'kinds'>,
    ChangeSelection {
  /** The servers of the gateway. */
  readonly servers: GatewayServers
  /** The lock file or store of `definitionPins`. */
  readonly lock: string | KeyValueStore
  /** Returns whether to accept the changes that were found. Default: they are accepted. */
  readonly confirm?: (changes: readonly DefinitionChange[]) => boolean | Promise<boolean>
  /** With `pin`, the first items of a kind of a server that has pins of another kind are no changes: they are pinned when they are first listed. Default: `withhold`. */
  readonly firstUse?: DefinitionPinsOptions['firstUse']
  /** Timeout for each server, in milliseconds. Default: 60,000. */
  readonly timeoutMs?: number
}

/** The outcome of `acceptPins`. */
export interface AcceptedPins {
  /** The changes that are pinned now. */
  readonly accepted: readonly DefinitionChange[]
  /** The servers whose pins are as they were because they could not be reached, and why. */
  readonly unavailable: { readonly [server: string]: string }
}

/**
 * Connects to the servers, compares what they offer with the pins, and pins what has changed. Items that a server no longer offers keep their
 * pins.
 *
 * @throws Error if the pins cannot be read or written.
 */
export async function acceptPins(options: AcceptPinsOptions): Promise<AcceptedPins> {
  const {
    servers,
    lock,
    credentials,
    firstUse = 'withhold',
    kinds,
    server: onlyServer,
    name,
    confirm = () => true,
    timeoutMs = 60_000,
  } = options
  const selected = [...serverOptionsOf(servers)].filter(([server]) => onlyServer === undefined || server === onlyServer)
  const errors: unknown[] = []
  const pins = definitionPins({
    lock,
    mode: 'warn',
    firstUse: 'withhold',
    onError: (error) => errors.push(error),
    ...(kinds && { kinds }),
  })
  const gateway = createGateway({
    servers: Object.fromEntries(selected.map(([server, each]) => [server, { ...each, listTimeoutMs: timeoutMs }])),
    policy: pins,
    ...(credentials && { credentials }),
  })
  const requests = LISTS.map((method) => requestList(gateway, method))
  const results = await Promise.all(requests).finally(() => gateway.close())
  if (errors.length > 0) throw errors[0]
  const selection = name === undefined ? {} : { name }
  const pinned = firstUse === 'pin' ? parseLock(await openPinStorage(lock).read()) : undefined
  const changes = pins
    .changes()
    .filter((change) => (name === undefined || change.name === name) && !isFirstOfKind(change, pinned))
  const accepted = changes.length > 0 && (await confirm(changes)) ? await pins.accept(selection) : []
  return { accepted, unavailable: Object.assign({}, ...results) as { [server: string]: string } }
}

/** The requests whose results are pinned. Each is preceded by `server/discover`. */
const LISTS = [...Object.values(KINDS).map(({ method }) => method), 'skills/list']

/** Fetches a list. Returns the servers that are missing in it, and why. */
async function requestList({ exchange, status }: Gateway, method: string): Promise<{ [server: string]: string }> {
  const _meta = clientMeta({ name: 'portcall-pins', version: '0' }, ALL_CAPABILITIES)
  const context = { signal: new AbortController().signal, notify: () => {} }
  const response = await exchange({ jsonrpc: '2.0', id: method, method, params: { _meta } }, context)
  if (!isSuccess(response)) throw new Error(`${method}: ${response.error.message}`)
  const meta: JsonObject = isObject(response.result._meta) ? response.result._meta : {}
  const { [UNAVAILABLE_META]: missing } = meta
  const { servers } = status()
  return Object.fromEntries(
    Object.entries(isObject(missing) ? missing : {}).map(([server, reason]) => [
      server,
      servers[server]?.error ?? String(reason),
    ]),
  )
}

/** Reports whether a server has pins, but none of this kind. */
function isFirstOfKind({ server, kind }: DefinitionChange, pinned: PinnedServers | undefined): boolean {
  const kinds = pinned?.[server]
  return kinds !== undefined && kinds[kind] === undefined
}
