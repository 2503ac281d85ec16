import { errorMessage } from '../../../../../util/src/errors.ts'
import type { Client } from '../../../client/types.ts'
import { checkSignature } from '../../../events/signature.ts'
import { RpcError } from '../../../jsonrpc/errors.ts'
import { isObject, type JsonObject } from '../../../jsonrpc/message.ts'
import {
  EVENT_DELIVERY_MODES,
  EVENTS_CAPABILITY,
  EVENTS_EXTENSION,
  type EventErrorName,
  EventMethod,
  endpointErrorOf,
  eventErrorName,
} from '../../../protocol/events.ts'
import { followPages } from '../../../protocol/pages.ts'
import { MODERN_VERSIONS } from '../../../protocol/revisions.ts'
import { adviceOf } from '../../quality/advice.ts'
import type { DiagnosisState, StepOutcome } from '../facts.ts'
import { errorProblem, evidenceOf, skipped, stepOutcome, warningProblem } from '../outcome.ts'
import type { DiagnosedEvents, DiagnosisProblem } from '../types.ts'
import { withinTime } from '../within-time.ts'

const error = (code: string, message: string): DiagnosisProblem => errorProblem(code, message, adviceOf(code))
const warning = (code: string, message: string): DiagnosisProblem => warningProblem(code, message, adviceOf(code))

/** The parts of one check. */
interface EventCheck {
  readonly client: Client
  readonly events: DiagnosedEvents
  /** Sends a request, within the time of a step. */
  readonly ask: (method: string, params: JsonObject) => Promise<JsonObject>
}

/** Finds out why a host receives no events: in the order in which a subscription is made, up to the first reason. */
export async function checkEvents(state: DiagnosisState): Promise<StepOutcome> {
  const { stepTimeoutMs, signal } = state
  const { client } = state.known.connection ?? {}
  const { events = {} } = state.options
  if (!client) return skipped('There is no connection')
  const ask: EventCheck['ask'] = (method, params) => withinTime(client.request(method, params), stepTimeoutMs, signal)
  const check = { client, events, ask }
  const received = await checkReceived(events)
  const problems = received.length > 0 ? received : await checkSubscription(check)
  const { name, modes } = events
  return stepOutcome(name === undefined ? 'Event types are visible' : `Events of ${name} can be received`, {
    evidence: evidenceOf({ revision: client.protocolVersion, event: name, modes: modes?.join(', ') }),
    problems,
  })
}

async function checkSubscription(check: EventCheck): Promise<DiagnosisProblem[]> {
  const undeclared = await checkDeclared(check)
  if (undeclared) return [undeclared]
  const found = await findType(check)
  if ('problem' in found) return [found.problem]
  const { name, webhook, refreshBefore } = check.events
  if (name === undefined) return []
  const mode = checkModes(check.events, found.type)
  if (mode) return [mode]
  const expired =
    typeof refreshBefore === 'string' && Date.parse(refreshBefore) < Date.now()
      ? [error('webhook-expired', `The subscription was to be refreshed before ${refreshBefore}, and may be gone`)]
      : []
  return [...expired, ...(await (webhook ? subscribe(check, webhook) : poll(check, found.type)))]
}

/** Looks for the declaration that the host looks for. */
async function checkDeclared({ client, events, ask }: EventCheck): Promise<DiagnosisProblem | undefined> {
  const { capabilities } = await client.discover()
  const extension = capabilities.extensions?.[EVENTS_EXTENSION]
  const isChatGpt = events.profile === 'chatgpt'
  const isDeclared = isChatGpt ? isObject((capabilities as JsonObject)[EVENTS_CAPABILITY]) : isObject(extension)
  const looked = isChatGpt ? `the capability ${EVENTS_CAPABILITY}` : `the extension ${EVENTS_EXTENSION}`
  const version = client.protocolVersion
  if (!isChatGpt && version !== undefined && !MODERN_VERSIONS.includes(version))
    return error('events-revision', `The connection uses ${version}, which has no events`)
  if (isDeclared) return undefined
  const answers = await ask(EventMethod.list, {}).then(
    () => true,
    () => false,
  )
  return error(
    'events-not-declared',
    `The server does not declare ${looked}, so the host does not ask for events${answers ? ', although it answers events/list' : ''}`,
  )
}

type TypeLookup = { readonly type: JsonObject } | { readonly problem: DiagnosisProblem }

async function findType({ events, ask }: EventCheck): Promise<TypeLookup> {
  const types: JsonObject[] = []
  try {
    const fetch = (cursor: string | undefined): Promise<JsonObject> =>
      ask(EventMethod.list, cursor === undefined ? {} : { cursor })
    for await (const page of followPages({ method: EventMethod.list, key: 'events', fetch }))
      if (Array.isArray(page.events)) types.push(...page.events.filter(isObject))
  } catch (reason) {
    return { problem: error('events-list', `events/list fails: ${errorMessage(reason)}`) }
  }
  if (types.length === 0) return { problem: error('events-none-visible', 'The server lists no event types for this user') }
  const { name } = events
  const found = types.find((type) => type.name === name)
  if (found || name === undefined) return { type: found ?? {} }
  const names = types.map((type) => String(type.name)).slice(0, 20)
  return { problem: error('events-unknown-type', `The server does not list ${name} for this user, but ${names.join(', ')}`) }
}

function checkModes(
  { modes = EVENT_DELIVERY_MODES, webhook }: DiagnosedEvents,
  { delivery }: JsonObject,
): DiagnosisProblem | undefined {
  const offered: readonly unknown[] = Array.isArray(delivery) ? delivery : []
  const usable = webhook ? modes.filter((mode) => mode === 'webhook') : modes
  if (usable.some((mode) => offered.includes(mode))) return undefined
  return error('events-mode', `The type is delivered by ${offered.join(', ')}, and the host receives by ${usable.join(', ')}`)
}

/** The problem of each error of a subscription. */
const REFUSALS: { readonly [name in EventErrorName]?: string } = {
  InvalidParams: 'events-refused',
  NotFound: 'events-unknown-type',
  Forbidden: 'events-refused',
  ResourceExhausted: 'events-limit',
  Unsupported: 'events-mode',
}

function refusal(reason: unknown, method: string): DiagnosisProblem {
  if (isObject(reason) && reason.status === 403) return error('events-scope', `${method} fails: ${errorMessage(reason)}`)
  const code = (reason instanceof RpcError && REFUSALS[eventErrorName(reason) ?? 'InvalidParams']) || 'events-list'
  return error(code, `${method} fails: ${errorMessage(reason)}`)
}

/** Makes or refreshes the subscription of the host. */
async function subscribe(
  { events, ask }: EventCheck,
  webhook: NonNullable<DiagnosedEvents['webhook']>,
): Promise<DiagnosisProblem[]> {
  const { name = '', arguments: args = {}, cursor = null } = events
  const delivery = { mode: 'webhook', ...webhook }
  try {
    const result = await ask(EventMethod.subscribe, { name, arguments: args, delivery, cursor })
    return [...statusProblems(result.deliveryStatus), ...truncation(result)]
  } catch (reason) {
    return [webhookRefusal(reason)]
  }
}

function webhookRefusal(reason: unknown): DiagnosisProblem {
  if (!(reason instanceof RpcError)) return refusal(reason, EventMethod.subscribe)
  const name = eventErrorName(reason)
  const kind = endpointErrorOf(reason)
  if (name === 'CallbackEndpointError') {
    if (kind === 'challenge_failed') return error('webhook-challenge', 'The URL was reached, but did not return the challenge')
    return error('webhook-unreachable', `The server cannot reach the URL${kind ? `: ${kind}` : ''}`)
  }
  if (name === 'Forbidden') return error('events-principal', `events/subscribe fails: ${reason.message}`)
  // The error names the param that is wrong.
  if (name === 'InvalidParams' && reason.message.includes('delivery.url'))
    return error('webhook-forbidden', `The server refuses the URL: ${reason.message}`)
  return refusal(reason, EventMethod.subscribe)
}

function statusProblems(status: unknown): DiagnosisProblem[] {
  if (!isObject(status)) return []
  const { active, lastError, failedSince } = status
  const since = typeof failedSince === 'string' ? ` since ${failedSince}` : ''
  if (active === false) return [error('webhook-suspended', `The deliveries were suspended${since}: ${String(lastError)}`)]
  return lastError === null || lastError === undefined
    ? []
    : [warning('webhook-failing', `Deliveries fail${since}: ${String(lastError)}`)]
}

async function poll({ events, ask }: EventCheck, type: JsonObject): Promise<DiagnosisProblem[]> {
  const { name = '', arguments: args = {}, cursor = null } = events
  if (!Array.isArray(type.delivery) || !type.delivery.includes('poll')) return []
  try {
    return truncation(await ask(EventMethod.poll, { name, arguments: args, cursor, maxEvents: 1 }))
  } catch (reason) {
    return [refusal(reason, EventMethod.poll)]
  }
}

function truncation({ truncated }: JsonObject): DiagnosisProblem[] {
  if (truncated !== true) return []
  return [warning('events-truncated', 'Events after the saved cursor are gone, and will not arrive')]
}

/** The problem of each verdict on a signature. */
const SIGNATURES: { readonly [verdict: string]: readonly [code: string, message: string] } = {
  mismatch: ['webhook-signature', 'No signature of the delivery fits the secret'],
  malformed: ['webhook-headers', 'webhook-id, webhook-timestamp or webhook-signature is missing, or cannot be read'],
}

/** Checks a delivery that the receiver has refused. */
async function checkReceived({ delivery, webhook }: DiagnosedEvents): Promise<DiagnosisProblem[]> {
  if (!delivery || !webhook) return []
  const { headers, body, receivedAt = Date.now() } = delivery
  const timestamp = headers['webhook-timestamp']
  const signed = { id: headers['webhook-id'], timestamp, signature: headers['webhook-signature'] }
  const { type } = await checkSignature(signed, body, { secrets: webhook.secret, now: () => receivedAt })
  const offS = Math.round(receivedAt / 1000 - Number(timestamp))
  if (type === 'expired')
    return [
      error('webhook-clock', `The delivery was signed ${Math.abs(offS)} seconds ${offS > 0 ? 'before' : 'after'} it arrived`),
    ]
  const [code, message] = SIGNATURES[type] ?? []
  return code === undefined || message === undefined ? [] : [error(code, message)]
}
