/** Decodes the bodies of responses. */
import type { ApiResponse } from '../requests/send.ts'

/** Returns the body of a response as text, in the charset that its headers name. Default: UTF-8. */
export function bodyText({ headers, bytes }: Pick<ApiResponse, 'headers' | 'bytes'>): string {
  const [, charset = 'utf-8'] = /;\s*charset="?([\w-]{1,40})/i.exec(headers.get('content-type') ?? '') ?? []
  return decoderOf(charset).decode(bytes)
}

function decoderOf(charset: string): TextDecoder {
  try {
    return new TextDecoder(charset)
  } catch {
    return new TextDecoder()
  }
}
