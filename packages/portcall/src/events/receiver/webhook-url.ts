import { isLoopbackHost } from '../../../../util/src/loopback-host.ts'
import { isStrictUrl } from '../../../../util/src/strict-url.ts'

/** Returns what is wrong with the URL of a webhook. Servers send events only to https URLs; one may allow itself an address of this machine. */
export function webhookUrlProblem(url: string): string | undefined {
  if (!isStrictUrl(url)) return 'must be an http or https URL without user name, password and fragment'
  const { protocol, hostname } = new URL(url)
  if (protocol === 'https:' || isLoopbackHost(hostname)) return undefined
  return 'must be an https URL. Only an address of this machine may have http'
}
