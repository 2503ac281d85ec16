import { layOver } from './faults.ts'
import { type Ground, random, secondsOf } from './ground.ts'
import { Refusal } from './request.ts'

/** What a token stands for. */
export interface Granted {
  readonly subject: string
  readonly clientId: string
  readonly scope: string
  readonly resources: readonly string[]
  /** The thumbprint of the key that it is bound to. */
  readonly jkt?: string
  /** All that came from one consent has one. */
  readonly family: string
}

/** A token that was given out. */
export interface Issued {
  readonly kind: 'access' | 'refresh'
  readonly granted: Granted
  /** Seconds since 1970. */
  readonly issued: number
  readonly expires: number
  readonly claims: Readonly<Record<string, unknown>>
  used: boolean
}

/** The tokens of a server. */
export interface Tokens {
  /** Makes an access token, good for so many seconds. */
  access(granted: Granted, more?: { lifetime?: number; claims?: Readonly<Record<string, unknown>> }): Promise<string>
  refresh(granted: Granted): string
  /** A token that was given out and is still good. */
  find(token: string): Issued | undefined
  /** Uses a refresh token. One that was used before ends its family. */
  use(token: string): Granted
  /** Ends a token; with a refresh token, all that came from the same consent. */
  revoke(token: string): void
  endFamily(family: string): void
}

/** Makes the tokens of a server. */
export function createTokens(ground: Ground): Tokens {
  const { options, issuer, keys } = ground
  const issued = new Map<string, Issued>()

  const endFamily = (family: string): void => {
    for (const [token, { granted }] of issued) if (granted.family === family) issued.delete(token)
  }
  const find = (token: string): Issued | undefined => {
    const found = issued.get(token)
    return found && found.expires > secondsOf(ground) ? found : undefined
  }
  const remember = (token: string, entry: Omit<Issued, 'used'>): string => {
    issued.set(token, { ...entry, used: false })
    return token
  }

  return {
    endFamily,
    find: (token) => (issued.get(token)?.used ? undefined : find(token)),
    async access(granted, { lifetime = ground.lifetimes.access, claims: more = {} } = {}) {
      const now = secondsOf(ground)
      const claims = layOver<unknown>(
        { ...claimsOf(granted, issuer), jti: random(), iat: now, exp: now + lifetime },
        { ...ground.faults().claims, ...more },
      )
      const token = options.tokens === 'opaque' ? random() : await keys.sign(claims, { typ: 'at+jwt' })
      return remember(token, { kind: 'access', granted, issued: now, expires: now + lifetime, claims })
    },
    refresh(granted) {
      const now = secondsOf(ground)
      const expires = now + ground.lifetimes.refresh
      return remember(random(), { kind: 'refresh', granted, issued: now, expires, claims: claimsOf(granted, issuer) })
    },
    use(token) {
      const found = find(token)
      if (found?.kind !== 'refresh') throw new Refusal('invalid_grant', 'The refresh token is not known')
      if (found.used) {
        endFamily(found.granted.family)
        throw new Refusal('invalid_grant', 'The refresh token was used before')
      }
      found.used = options.rotation !== false
      return found.granted
    },
    revoke(token) {
      const found = issued.get(token)
      if (found?.kind === 'refresh') endFamily(found.granted.family)
      issued.delete(token)
    },
  }
}

/** The claims that say what was granted ([RFC 9068 §2.2](https://www.rfc-editor.org/rfc/rfc9068#section-2.2)). */
function claimsOf({ subject, clientId, scope, resources, jkt }: Granted, issuer: string): Record<string, unknown> {
  const [audience = issuer] = resources
  return {
    iss: issuer,
    sub: subject,
    aud: resources.length > 1 ? resources : audience,
    client_id: clientId,
    ...(scope !== '' && { scope }),
    ...(jkt !== undefined && { cnf: { jkt } }),
  }
}
