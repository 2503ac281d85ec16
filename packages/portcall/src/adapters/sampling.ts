/** The parts that the adapters for sampling have in common. */

import { ErrorCode, RpcError } from '../jsonrpc/errors.ts'
import type { CreateMessageParams, CreateMessageResult, SamplingMessage } from '../protocol/input-types.ts'

/** Answers sampling requests of servers: pass it as the option `sample` of `connect`. */
export type SampleHandler = (params: CreateMessageParams, context: SampleContext) => Promise<CreateMessageResult>

/** The part of the context that the handlers use. */
export interface SampleContext {
  /** Aborted when the server cancels the request. */
  readonly signal: AbortSignal
}

interface SampledText {
  readonly type: 'text'
  readonly text: string
}

interface SampledImage {
  readonly type: 'image'
  readonly data: string
  readonly mimeType: string
}

/** A message for a model, with the images in the format of its provider. */
interface ModelMessage<Image> {
  readonly role: SamplingMessage['role']
  readonly content: readonly (SampledText | Image)[]
}

/** Returns the messages of a request. @throws RpcError when they contain anything but text and images. */
export function toMessages<Image>(
  { messages }: CreateMessageParams,
  toImage: (image: SampledImage) => Image,
): ModelMessage<Image>[] {
  return messages.map(({ role, content }) => ({
    role,
    content: (Array.isArray(content) ? content : [content]).map((part) => {
      if (part.type === 'text') return part
      if (part.type === 'image') return toImage(part)
      throw new RpcError(ErrorCode.invalidParams, `Sampling messages of type ${part.type} are not supported`)
    }),
  }))
}

/** Returns the messages of a request in the format of OpenAI's chat API, beginning with the system prompt. @throws RpcError as `toMessages`. */
export function toChatMessages(params: CreateMessageParams): object[] {
  const system = params.systemPrompt === undefined ? [] : [{ role: 'system', content: params.systemPrompt }]
  return [...system, ...toMessages(params, (image) => ({ type: 'image_url', image_url: { url: dataUrl(image) } }))]
}

/** Returns the result for a text that a model generated. */
export function sampledText(text: string, model: string, stopReason: string): CreateMessageResult {
  return { role: 'assistant', content: { type: 'text', text }, model, stopReason }
}

/** Returns an image as a URL. */
export function dataUrl({ data, mimeType }: { readonly data: string; readonly mimeType: string }): string {
  return `data:${mimeType};base64,${data}`
}
