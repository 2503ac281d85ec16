import { parseUrl } from '../../../../../util/src/parse-url.ts'
import { OpenaiViewKey } from '../../../protocol/apps.ts'
import { CLAUDE_DOMAIN, claudeDomain } from '../../../protocol/view-domain.ts'
import { declaredMeta, itemMetaOf } from './declared.ts'
import type { LintedPage } from './linted-view.ts'
import { isLoopback } from './origins.ts'

/** The hosts that show nothing under a domain that is not theirs. */
export const CLAUDE_HOSTS: readonly string[] = ['claude.ai', 'Claude Desktop']

/** Returns why Claude does not show a view under its domain. `url` is that of the server as its users enter it. */
export async function faultsOfDomain({ contents, listed }: LintedPage, url: string | undefined): Promise<string[]> {
  const { domain } = declaredMeta(contents, listed)
  const { [OpenaiViewKey.domain]: openai } = itemMetaOf(contents)
  const foreign =
    typeof openai === 'string' && openai.endsWith(CLAUDE_DOMAIN)
      ? [`${OpenaiViewKey.domain} is ${openai}, which is the form of Claude`]
      : []
  const fault = domain === undefined ? undefined : await faultOf(domain, url)
  return fault === undefined ? foreign : [`ui.domain is ${domain}, ${fault}`, ...foreign]
}

async function faultOf(domain: string, url: string | undefined): Promise<string | undefined> {
  if (!/^[0-9a-f]{32}\./.test(domain) || !domain.endsWith(CLAUDE_DOMAIN))
    return `but Claude shows a view only under its own form, HASH${CLAUDE_DOMAIN}, or without a domain`
  const parsed = url === undefined ? undefined : parseUrl(url)
  if (url === undefined || !parsed || isLoopback(parsed)) return undefined
  const expected = await claudeDomain(url)
  return domain === expected ? undefined : `but for ${url} Claude expects ${expected}`
}
