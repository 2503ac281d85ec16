import { type EncodedTexts, findEncoded } from '../../../../util/src/encoded-forms.ts'
import { createNumberedMask } from '../../../../util/src/mask-secrets.ts'
import { isUrl, parseUrl } from '../../../../util/src/parse-url.ts'
import { isSecretParameter } from '../../../../util/src/secret-names.ts'
import { BULLETS, replaceSecrets } from '../../../../util/src/secrets.ts'
import { isObject } from '../../jsonrpc/message.ts'
import type { AuthExchange } from './types.ts'

/** Replaces the secrets of a flow by placeholders, and knows what they stand for. */
export interface SecretMask {
  /** Remembers a secret. */
  add(secret: string | undefined): void
  /** Returns an exchange without secrets. Equal secrets have the same placeholder. */
  mask(exchange: AuthExchange): AuthExchange
  /** Returns a text without the secrets that are known. */
  maskText(text: string): string
  /** Returns the secret behind a placeholder. */
  reveal(placeholder: string): string | undefined
  /** Forgets all secrets. */
  clear(): void
}

const MIN_LENGTH = 4
/** Secrets that are looked for wherever they are. Further ones are found by their names and their form only. */
const MAX_SECRETS = 200

interface KnownSecret {
  readonly secret: string
  readonly encoded: EncodedTexts
}

/** Creates the mask of one flow. */
export function createSecretMask(): SecretMask {
  const numbered = createNumberedMask((number) => `${BULLETS}${number}`)
  /** The secrets by their placeholders. */
  const secrets = new Map<string, KnownSecret>()
  const placeholderOf = (secret: string): string => {
    const placeholder = numbered.mask(secret)
    if (!secrets.has(placeholder)) secrets.set(placeholder, { secret, encoded: findEncoded([secret]) })
    return placeholder
  }
  const add = (secret: string | undefined): void => {
    if (secret !== undefined && secret.length >= MIN_LENGTH && secrets.size < MAX_SECRETS) placeholderOf(secret)
  }
  /** Longer secrets first, because one may contain another. */
  const maskText = (text: string): string => {
    const known = [...secrets].slice(0, MAX_SECRETS).sort(([, left], [, right]) => right.secret.length - left.secret.length)
    const masked = known.reduce((rest, [placeholder, { encoded }]) => encoded.replaceIn(rest, placeholder), text)
    return replaceSecrets(masked, placeholderOf, { random: false })
  }
  const maskValues = (values: Readonly<Record<string, string>>): Record<string, string> =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, maskText(value)]))
  return {
    add,
    maskText,
    mask(exchange) {
      for (const secret of secretsOf(exchange)) add(secret)
      const { url, headers, body, response, error } = exchange
      return {
        ...exchange,
        url: maskText(url),
        headers: maskValues(headers),
        ...(body !== undefined && { body: maskText(body) }),
        ...(error !== undefined && { error: maskText(error) }),
        ...(response && { response: { ...response, headers: maskValues(response.headers), body: maskText(response.body) } }),
      }
    },
    reveal: (placeholder) => secrets.get(placeholder)?.secret,
    clear() {
      numbered.clear()
      secrets.clear()
    },
  }
}

function secretsOf({ url, headers, body, response }: AuthExchange): string[] {
  return [
    ...fromHeaders(headers),
    ...fromHeaders(response?.headers ?? {}),
    ...fromParameters(parseUrl(url)?.searchParams ?? new URLSearchParams()),
    ...fromBody(body),
    ...fromBody(response?.body),
  ]
}

function fromHeaders(headers: Readonly<Record<string, string>>): string[] {
  return Object.entries(headers).flatMap(([name, value]) => {
    if (name === 'location' && isUrl(value)) return fromParameters(new URL(value).searchParams)
    if (name === 'authorization') return [value.replace(/^\S+\s+/, '')]
    return isSecretParameter(name) ? [value] : []
  })
}

function fromBody(body: string | undefined): string[] {
  if (body === undefined) return []
  try {
    return fromJson(JSON.parse(body))
  } catch {
    return /^[\w.~%+-]+=/.test(body) ? fromParameters(new URLSearchParams(body)) : []
  }
}

function fromParameters(parameters: URLSearchParams): string[] {
  return [...parameters].flatMap(([name, value]) => (isSecretParameter(name) ? [value] : []))
}

function fromJson(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(fromJson)
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([name, member]) =>
    typeof member === 'string' && isSecretParameter(name) ? [member] : fromJson(member),
  )
}
