/** What the adapters for sampling have in common. */
import { type CreateMessageParams, type CreateMessageResult, RpcError, type SamplingMessage } from '../entrypoints/index.ts'
import { ErrorCode } from '../entrypoints/jsonrpc.ts'

/** Answers sampling requests of servers: pass it as the option `sample` of `connect`. */
export type SampleHandler = (params: CreateMessageParams, context: SampleContext) => Promise<CreateMessageResult>

/** The part of the context that the handlers use. */
export interface SampleContext {
  /** Aborted when the server cancels the request. */
  readonly signal: AbortSignal
}

/** A part of a message that every provider accepts. */
export type SampledPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly data: string; readonly mimeType: string }

/** Returns the parts of a message. @throws RpcError when it contains anything but text and images. */
export function partsOf({ content }: SamplingMessage): SampledPart[] {
  return (Array.isArray(content) ? content : [content]).map((part) => {
    if (part.type === 'text' || part.type === 'image') return part
    throw new RpcError(ErrorCode.invalidParams, `Sampling messages of type ${part.type} are not supported`)
  })
}

/** Returns the result for a text that a model generated. */
export function sampledText(text: string, model: string, stopReason: string): CreateMessageResult {
  return { role: 'assistant', content: { type: 'text', text }, model, stopReason }
}

/** Returns an image as a URL. */
export function dataUrl({ data, mimeType }: { readonly data: string; readonly mimeType: string }): string {
  return `data:${mimeType};base64,${data}`
}
