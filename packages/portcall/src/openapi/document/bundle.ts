/** Loaded only for descriptions that consist of several documents. */
import { $RefParser } from '@apidevtools/json-schema-ref-parser'
import type { JsonObject } from '../../jsonrpc/message.ts'
import { OpenApiError } from '../errors.ts'

/**
 * Returns a copy of a description in which references to other documents have become references to parts of it. `read` returns the parsed
 * document at a URL.
 *
 * @throws OpenApiError when a document cannot be read or a reference has no target.
 */
export async function bundleDocuments(
  root: JsonObject,
  base: string | undefined,
  read: (url: string) => Promise<unknown>,
): Promise<JsonObject> {
  const parser = new $RefParser()
  let failure: unknown
  const readAndRemember = ({ url }: { url: string }): Promise<unknown> =>
    read(url).catch((error: unknown) => {
      failure = error
      throw error
    })
  const reader = { order: 1, canRead: true, read: readAndRemember }
  const everything = { order: 1, canParse: true, allowEmpty: true, parse: ({ data }: { data: unknown }) => data }
  const none = { json: false, yaml: false, text: false, binary: false } as const
  try {
    const bundled = await parser.bundle(base ?? 'memory:/openapi', structuredClone(root), {
      continueOnError: false,
      resolve: { file: false, http: false, reader },
      parse: { ...none, everything },
    })
    return bundled as JsonObject
  } catch (cause) {
    if (failure instanceof OpenApiError) throw failure
    throw new OpenApiError(
      `A reference of the description cannot be followed: ${cause instanceof Error ? cause.message : cause}`,
      { cause },
    )
  }
}
