import type { ComponentChildren, JSX } from 'preact'
import { Icon } from './icon.tsx'
import { Untrusted } from './untrusted.tsx'

/** Returns an address in its normal form if it is one of the web, and `undefined` for `javascript:`, `data:`, `file:` and others. */
export function webAddress(url: string): string | undefined {
  try {
    const { protocol, href } = new URL(url)
    return protocol === 'https:' || protocol === 'http:' ? href : undefined
  } catch {
    return undefined
  }
}

/** A link that leaves the inspector when someone clicks it. Its whole address is its tooltip. Other kinds of addresses are text. */
export function ExternalLink({ url, children }: { url: string; children?: ComponentChildren }): JSX.Element {
  const address = webAddress(url)
  const text = children ?? <Untrusted text={url} />
  if (address === undefined) return <span class="mono">{text}</span>
  return (
    <a class="external" href={address} target="_blank" rel="noopener noreferrer" title={address}>
      {text}
      <Icon name="external" class="small" />
    </a>
  )
}
