/** Compares the server card of an endpoint with the server behind it. */
import { errorMessage } from '../../../../util/src/errors.ts'
import { createSafeFetch } from '../../auth/client/http/safe-fetch.ts'
import { describeProblems } from '../../cards/document-problem.ts'
import { isServerCard, validateServerCard } from '../../cards/validate-card.ts'
import type { Client } from '../../client/types.ts'
import { MODERN_VERSIONS } from '../../protocol/revisions.ts'
import { CARD_TYPE, cardUrlOf, type ServerCard } from '../../protocol/server-card.ts'

/** A member of a card, and what the server says about it. */
export interface CardComparison {
  /** The member, such as `version` or `remotes[].url`. */
  readonly member: string
  /** The value in the card; empty if there is none. */
  readonly card: string
  /** The value of the server; empty if there is none. */
  readonly server: string
  /** `error`: clients that believe the card cannot connect, or connect to another server. `warning`: the card is not up to date. */
  readonly verdict: 'same' | 'warning' | 'error'
}

/** A fault of how the card is served. */
export interface CardFault {
  /** `error`: clients cannot read the card. `warning`: some of them cannot. */
  readonly level: 'error' | 'warning'
  /** The fault, and what to change. */
  readonly message: string
}

/** The card of a server, compared with it. */
export interface CardReport {
  /** Where the card was looked for. */
  readonly url: string
  /** The card, if it is valid. */
  readonly card: ServerCard | undefined
  /** The faults of the document and of how it is served. */
  readonly faults: readonly CardFault[]
  /** The members that card and server both have. */
  readonly comparisons: readonly CardComparison[]
}

/** The server that a card describes. */
export interface ExaminedServer {
  /** The URL of the endpoint. */
  readonly url: URL
  /** A client that is connected to it. Without one, only the document is examined. */
  readonly client?: Pick<Client, 'discover' | 'protocolVersion'>
  /** Aborts the examination. */
  readonly signal?: AbortSignal
}

const TIMEOUT_MS = 5000
const FOREIGN_ORIGIN = 'https://portcall.invalid'

/** Reads the card of an endpoint, checks how it is served, and compares it with the server. @throws the reason of the signal. */
export async function examineCard({ url, client, signal }: ExaminedServer): Promise<CardReport> {
  const cardUrl = cardUrlOf(url)
  const { fetch } = createSafeFetch({ trustedUrl: url, timeoutMs: TIMEOUT_MS })
  const get = (headers: Record<string, string>, method = 'GET'): Promise<Response> => fetch(cardUrl, { method, headers, signal })
  const faults: CardFault[] = []
  const report = (level: CardFault['level'], message: string): void => void faults.push({ level, message })
  const fail = (message: string): CardReport => ({
    url: cardUrl.href,
    card: undefined,
    faults: [{ level: 'error', message }],
    comparisons: [],
  })
  try {
    const response = await get({ accept: CARD_TYPE })
    if (response.status !== 200)
      return fail(`there is no card: the server responds with HTTP ${response.status}. Serve it with card: true`)
    const text = await response.text()
    checkHeaders(response, report)
    await checkRequests(get, response, report)
    const card = parse(text)
    const problems = validateServerCard(card)
    if (problems.length > 0) report('error', `the card is not valid: ${describeProblems(problems)}`)
    if (!isServerCard(card)) return { url: cardUrl.href, card: undefined, faults, comparisons: [] }
    return { url: cardUrl.href, card, faults, comparisons: client ? await compare(card, url, client) : [] }
  } catch (error) {
    signal?.throwIfAborted()
    return fail(errorMessage(error))
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

type ReportFault = (level: CardFault['level'], message: string) => void

/** The headers that a card needs. */
function checkHeaders({ headers }: Response, report: ReportFault): void {
  const type = headers.get('content-type') ?? ''
  if (!type.toLowerCase().startsWith(CARD_TYPE))
    report('warning', `the content type is ${JSON.stringify(type)}: send ${CARD_TYPE}`)
  if (!headers.has('etag')) report('warning', 'there is no ETag: clients have to fetch the card again each time')
  if (!/max-age=[1-9]/.test(headers.get('cache-control') ?? ''))
    report('warning', 'the card may not be cached: send Cache-Control: public, max-age=3600')
}

async function checkRequests(
  get: (headers: Record<string, string>, method?: string) => Promise<Response>,
  { headers }: Response,
  report: ReportFault,
): Promise<void> {
  const page = await get({ accept: CARD_TYPE, origin: FOREIGN_ORIGIN })
  if (page.status !== 200 || page.headers.get('access-control-allow-origin') !== '*')
    report('warning', 'pages of other origins cannot read the card: send Access-Control-Allow-Origin: *')
  if ((await get({})).status !== 200) report('warning', 'a request without Accept gets no card')
  if ((await get({}, 'HEAD')).status !== 200) report('warning', 'a HEAD request does not succeed')
  const etag = headers.get('etag')
  if (etag !== null && (await get({ 'if-none-match': etag })).status !== 304)
    report('warning', 'a request with If-None-Match and the ETag of the card does not get 304')
}

async function compare(card: ServerCard, url: URL, client: NonNullable<ExaminedServer['client']>): Promise<CardComparison[]> {
  const { serverInfo, supportedVersions } = await client.discover()
  const rows: CardComparison[] = []
  const add = (
    member: string,
    [inCard = '', inServer = '']: readonly (string | undefined)[],
    worst: 'warning' | 'error',
  ): void => {
    if (inCard !== '' || inServer !== '')
      rows.push({ member, card: inCard, server: inServer, verdict: inCard === inServer ? 'same' : worst })
  }
  const name = card.name.split('/').at(-1)
  add('name', [serverInfo?.name.includes('/') ? card.name : name, serverInfo?.name], 'warning')
  add('version', [card.version, serverInfo?.version], 'warning')
  if (card.title !== undefined || serverInfo?.title !== undefined) add('title', [card.title, serverInfo?.title], 'warning')
  const remotes = card.remotes ?? []
  const remote = remotes.find((one) => isSame(one.url, url))
  const templates = remotes.filter((one) => one.url.includes('{'))
  const urls = remotes.map((one) => one.url).join(', ')
  add('remotes[].url', [remote?.url ?? urls, remote?.url ?? url.href], templates.length > 0 ? 'warning' : 'error')
  const claimed = (remote ?? remotes[0])?.supportedProtocolVersions
  if (claimed) rows.push(compareVersions(claimed, supportedVersions ?? [], client.protocolVersion))
  const required = (remote?.headers ?? []).filter(({ isRequired }) => isRequired).map((header) => header.name)
  if (required.length > 0)
    rows.push({ member: 'remotes[].headers', card: required.join(', '), server: 'as sent by this client', verdict: 'same' })
  return rows
}

/** A version that the server does not have is an error: clients would choose it. One that the card does not list is a warning. */
function compareVersions(claimed: readonly string[], supported: readonly string[], negotiated: string): CardComparison {
  const live = new Set([...supported, negotiated])
  // A server tells its modern versions only; of the older ones, the one that was negotiated is known.
  const wrong = claimed.filter((version) => MODERN_VERSIONS.includes(version) && !live.has(version))
  const missing = [...live].filter((version) => !claimed.includes(version))
  const verdict = wrong.length > 0 ? 'error' : missing.length > 0 ? 'warning' : 'same'
  return { member: 'supportedProtocolVersions', card: claimed.join(', '), server: [...live].join(', '), verdict }
}

function isSame(text: string, url: URL): boolean {
  try {
    return new URL(text).href.replace(/\/$/, '') === url.href.replace(/\/$/, '')
  } catch {
    return false
  }
}
