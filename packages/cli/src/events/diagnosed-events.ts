import type { DiagnosedEvents, ReceivedEventDelivery } from 'portcall/diagnostics'
import { isObject, type JsonObject } from 'portcall/jsonrpc'
import { readInput } from '../arguments.ts'
import { usageError } from '../cli-error.ts'

/** The flags of `doctor` about events. */
export interface DiagnosedEventFlags {
  readonly event?: string | undefined
  readonly arguments?: string | undefined
  readonly cursor?: string | undefined
  readonly webhook?: string | undefined
  readonly secret?: string | undefined
  readonly delivery?: string | undefined
  readonly profile?: string | undefined
}

/** Reads what the doctor is to find out about events. */
export async function readDiagnosedEvents(flags: DiagnosedEventFlags): Promise<DiagnosedEvents> {
  const { event, cursor, webhook, secret, profile = 'spec' } = flags
  if (profile !== 'spec' && profile !== 'chatgpt') throw usageError('--profile must be spec or chatgpt')
  if ((webhook === undefined) !== (secret === undefined)) throw usageError('--webhook and --secret belong together')
  if (flags.delivery !== undefined && webhook === undefined) throw usageError('--delivery needs --webhook and --secret')
  return {
    ...(event !== undefined && { name: event }),
    profile,
    ...(flags.arguments !== undefined && { arguments: parseObject(flags.arguments, '--arguments') }),
    ...(cursor !== undefined && { cursor }),
    ...(webhook !== undefined && secret !== undefined && { webhook: { url: webhook, secret: await readSecretFlag(secret) } }),
    ...(flags.delivery !== undefined && { delivery: readDelivery(await readInput(flags.delivery)) }),
  }
}

/** Returns a secret, or that of the file that `@FILE` names. */
export async function readSecretFlag(text: string): Promise<string> {
  return text.startsWith('@') ? (await readInput(text.slice(1))).trim() : text
}

function parseObject(text: string, flag: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text)
    if (isObject(value)) return value
  } catch {
    // The error below says what is wrong.
  }
  throw usageError(`${flag} must be a JSON object`)
}

function readDelivery(text: string): ReceivedEventDelivery {
  const { headers, body } = parseObject(text, '--delivery')
  if (!isObject(headers) || typeof body !== 'string') throw usageError('--delivery must have headers, and the body as a text')
  return {
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)])),
    body,
  }
}
