import { MODERN_VERSION } from '../../../protocol/revisions.ts'
import type { RuleSection } from '../types.ts'

/** Returns a section of an RFC. */
export function rfc(number: number, section: string): RuleSection {
  return { name: `RFC ${number} §${section}`, url: `https://www.rfc-editor.org/rfc/rfc${number}#section-${section}` }
}

/** Returns a section of the authorization chapter of the newest revision. */
export function mcp(title: string): RuleSection {
  const anchor = title.toLowerCase().replace(/[^a-z0-9]+/g, '-')
  return {
    name: `MCP ${MODERN_VERSION}, ${title}`,
    url: `https://modelcontextprotocol.io/specification/${MODERN_VERSION}/basic/authorization#${anchor}`,
  }
}
