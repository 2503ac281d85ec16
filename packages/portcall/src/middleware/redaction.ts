import { checkOptions, type OptionNames } from '../../../util/src/check-options.ts'
import type { Middleware } from '../jsonrpc/exchange.ts'
import { isObject, isSuccess, type JsonObject } from '../jsonrpc/message.ts'
import { type RedactionOptions, redactSecrets } from '../logging/redact.ts'

/** Options of `redactResults`. */
export interface ResultRedactionOptions extends Omit<RedactionOptions, 'maxTextLength'> {
  /** The methods whose results are redacted. Default: calls, reads and prompts. */
  readonly methods?: readonly string[]
}

const DEFAULT_METHODS = ['tools/call', 'resources/read', 'prompts/get'] as const
/** Members of content that are not text for the model: binary data would look like a secret. */
const KEPT_MEMBERS: ReadonlySet<string> = new Set(['data', 'blob', 'type', 'mimeType', 'uri', 'resultType', 'requestState'])

const NAMES: OptionNames<ResultRedactionOptions> = { methods: 'texts', fields: 'texts', patterns: 'array' }

/**
 * Creates middleware that removes secrets from results: the values of fields such as `password`, and text that looks like a key or a token,
 * become `[redacted]`. Binary data is not changed, and long text is not cut. It is a safety net, not access control.
 */
export function redactResults(options: ResultRedactionOptions = {}): Middleware {
  checkOptions('redactResults()', options, { names: NAMES })
  const { methods = DEFAULT_METHODS, ...redaction } = options
  const selected = new Set<string>(methods)
  const redact = redactSecrets({ ...redaction, maxTextLength: Number.POSITIVE_INFINITY })
  return async (request, context, next) => {
    const response = await next(request, context)
    if (!selected.has(request.method) || !isSuccess(response)) return response
    return { ...response, result: redactMembers(response.result, redact) }
  }
}

/** Redacts the members of an object, except those whose values are not text. */
function redactMembers(value: JsonObject, redact: (value: unknown) => unknown): JsonObject {
  const { structuredContent, _meta, ...members } = value
  const redacted = Object.entries(members).map(([key, member]) => [
    key,
    KEPT_MEMBERS.has(key) ? member : redactParts(member, redact),
  ])
  return {
    ...Object.fromEntries(redacted),
    ...(structuredContent !== undefined && { structuredContent: redact(structuredContent) }),
    ...(_meta !== undefined && { _meta }),
  }
}

function redactParts(value: unknown, redact: (value: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => redactParts(item, redact))
  return isObject(value) ? redactMembers(value, redact) : redact(value)
}
