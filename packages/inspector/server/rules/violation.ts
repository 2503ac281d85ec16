import type { RuleViolation } from '../protocol/timeline.ts'

/** Where a rule is written: a section of the specification, or the whole address of another document. */
export interface RuleSource {
  readonly rule: string
  readonly section: string
  readonly level?: RuleViolation['level']
}

const SPECIFICATION = 'https://modelcontextprotocol.io/specification'

/** Creates a violation. The link leads to the revision that is in use. */
export function violation(
  { rule, section, level = 'error' }: RuleSource,
  message: string,
  { revision, pointer }: { readonly revision?: string | undefined; readonly pointer?: string } = {},
): RuleViolation {
  const link = section.startsWith('https:') ? section : `${SPECIFICATION}/${revision ?? 'latest'}/${section}`
  return { rule, level, message, link, ...(pointer !== undefined && { pointer }) }
}

/** Sections of JSON-RPC 2.0. */
export const JSON_RPC = {
  request: 'https://www.jsonrpc.org/specification#request_object',
  notification: 'https://www.jsonrpc.org/specification#notification',
  response: 'https://www.jsonrpc.org/specification#response_object',
  error: 'https://www.jsonrpc.org/specification#error_object',
  batch: 'https://www.jsonrpc.org/specification#batch',
} as const
