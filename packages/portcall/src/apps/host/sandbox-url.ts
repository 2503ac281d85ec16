/** The URL of the proxy page of one view. */
import { toHex } from '../../../../util/src/bytes.ts'
import { sha256Hex } from '../../../../util/src/digest.ts'
import { parseUrl } from '../../../../util/src/parse-url.ts'
import { HostError } from './errors.ts'
import { SandboxParam } from './sandbox-page.ts'

/** The URL of a proxy page. */
export interface SandboxUrl {
  /** The URL. */
  readonly href: string
  /** Its origin. */
  readonly origin: string
  /** True if views of other servers have other origins. */
  readonly hasOwnOrigin: boolean
}

interface SandboxUrlParts {
  /** The origin of the host. */
  readonly host: string
  /** The policy of the view. */
  readonly policy: string
  /** The name that stands for `*`. */
  readonly name: string
}

const WILDCARD = /^(https?:\/\/)\*(?=\.)/i

/** Completes the URL of a proxy page. @throws HostError if it has the origin of the host; TypeError if it is none of the web. */
export function sandboxUrl(sandbox: string | URL, { host, policy, name }: SandboxUrlParts): SandboxUrl {
  const text = String(sandbox)
  const url = parseUrl(
    text.replace(WILDCARD, (_, scheme: string) => scheme + name),
    host,
  )
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    throw new TypeError(`showApp(): sandbox must be a URL such as https://views.example.com, not ${JSON.stringify(text)}`)
  if (url.origin === host)
    throw new HostError(
      'SANDBOX_SAME_ORIGIN',
      `sandbox has the origin of this page, ${host}, so views could read everything here. Serve sandboxHandler() on another port or host name`,
    )
  url.searchParams.set(SandboxParam.host, host)
  url.searchParams.set(SandboxParam.policy, policy)
  return { href: url.href, origin: url.origin, hasOwnOrigin: WILDCARD.test(text) }
}

const NAME_LENGTH = 32

/** Returns the name that stands for `*`: the same one for one server, or a new one. */
export async function originName(server: string | undefined): Promise<string> {
  if (server !== undefined) return (await sha256Hex(server)).slice(0, NAME_LENGTH)
  return toHex(crypto.getRandomValues(new Uint8Array(NAME_LENGTH / 2)))
}
