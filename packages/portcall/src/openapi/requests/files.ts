/** Files in arguments of tools: as text, or as bytes in base64. */

import { fromBase64 } from '../../../../util/src/base64.ts'
import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import { ToolError } from '../../server/errors.ts'

/** The argument that stands for a file. */
export interface FileArgument {
  readonly text?: string
  readonly data?: string
  readonly filename?: string
  readonly contentType?: string
}

const MEMBERS: JsonObject = {
  text: { type: 'string', description: 'The content as text.' },
  data: { type: 'string', contentEncoding: 'base64', description: 'The content as bytes in base64.' },
  filename: { type: 'string', description: 'The name of the file.' },
  contentType: { type: 'string', description: 'The media type, such as image/png.' },
}

/** Returns the schema of an argument that stands for a file. */
export function fileSchema(description = 'A file: its content as text, or as data in base64.'): JsonObject {
  return { type: 'object', description, properties: MEMBERS, additionalProperties: false }
}

/** Reports whether a value has the form of a file, where the description does not say what it is. */
export function isFileArgument(value: unknown): value is FileArgument {
  if (!isObject(value) || (typeof value.text !== 'string' && typeof value.data !== 'string')) return false
  return Object.entries(value).every(([name, member]) => Object.hasOwn(MEMBERS, name) && typeof member === 'string')
}

/** A media type, with or without parameters (RFC 9110, section 8.3.1). */
const MEDIA_TYPE = /^[\w!#$&^.+-]{1,127}\/[\w!#$&^.+-]{1,127}(?:\s{0,9};[ \w!#$&'*+.^`|~="/:?-]{0,200})?$/

/** Returns the content of a file, with its media type in lower case. @throws ToolError when it has no content, or data that is not base64. */
export function fileBlob({ text, data, contentType }: FileArgument, mediaType: string): Blob {
  const type = contentType !== undefined && MEDIA_TYPE.test(contentType) ? contentType : mediaType
  if (text !== undefined) return new Blob([text], { type })
  if (data === undefined) throw new ToolError('A file must have its content as "text", or as "data" in base64')
  try {
    return new Blob([fromBase64(data)], { type })
  } catch (cause) {
    throw new ToolError('The data of a file must be base64', { cause })
  }
}
