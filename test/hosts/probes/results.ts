import type { CallToolResult } from 'portcall'
import { rulerText } from './probe-tool.ts'

const IMAGE = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const SOUND = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA='
const BLOB = 'cHJvYmUtYmxvYg=='

const text = { type: 'text', text: 'probe-text' } as const
const image = { type: 'image', data: IMAGE, mimeType: 'image/png' } as const
const structuredContent = { value: 'probe-structured' }

/** A result of a tool that shows which of its parts reach the model. */
export interface ResultProbe {
  /** The name of the tool. */
  readonly name: string
  /** The parts that the result has. */
  readonly parts: readonly ResultPart[]
  readonly result: CallToolResult
}

/** A part of a result. */
export type ResultPart = keyof typeof SIGNS

/** How a part looks in a request to the model. */
const SIGNS = {
  text: /probe-text/,
  structured: /probe-structured/,
  image: /"type":"(image|input_image|image_url)"|"inlineData":\{[^}]*image\//,
  audio: new RegExp(`${SOUND.slice(0, 24)}|"type":"(audio|input_audio)"`),
  'text for the user': /probe-for-user/,
  'text for the assistant': /probe-for-assistant/,
  link: /probe:\/\/link/,
  file: /probe-file/,
  blob: new RegExp(BLOB),
} as const

const probe = (name: string, parts: readonly ResultPart[], result: CallToolResult): ResultProbe => ({ name, parts, result })

export const RESULT_PROBES: readonly ResultProbe[] = [
  probe('text', ['text'], { content: [text] }),
  probe('text_and_structured', ['text', 'structured'], { content: [text], structuredContent }),
  probe('only_structured', ['structured'], { content: [], structuredContent }),
  probe('image', ['text', 'image'], { content: [text, image] }),
  probe('image_and_structured', ['text', 'image', 'structured'], { content: [text, image], structuredContent }),
  probe('error', ['text'], { content: [text], isError: true }),
  probe('error_and_structured', ['text', 'structured'], { content: [text], structuredContent, isError: true }),
  probe('audience', ['text for the user', 'text for the assistant'], {
    content: [
      { type: 'text', text: 'probe-for-user', annotations: { audience: ['user'] } },
      { type: 'text', text: 'probe-for-assistant', annotations: { audience: ['assistant'] } },
    ],
  }),
  probe('link', ['text', 'link'], { content: [text, { type: 'resource_link', uri: 'probe://link', name: 'link' }] }),
  probe('audio', ['text', 'audio'], { content: [text, { type: 'audio', data: SOUND, mimeType: 'audio/wav' }] }),
  probe('embedded_text', ['text', 'file'], {
    content: [text, { type: 'resource', resource: { uri: 'probe://file', mimeType: 'text/plain', text: 'probe-file' } }],
  }),
  probe('embedded_blob', ['text', 'blob'], {
    content: [text, { type: 'resource', resource: { uri: 'probe://blob', mimeType: 'application/x-probe', blob: BLOB } }],
  }),
  probe('empty', [], { content: [] }),
]

/** Returns which parts of a result what the host sent to the model contains. */
export function partsIn(sent: readonly unknown[], { parts }: ResultProbe): ResultPart[] {
  const json = JSON.stringify(sent)
  return parts.filter((part) => SIGNS[part].test(json))
}

/** Long texts, to see how much of one result the model gets. */
export const LONG_RESULTS: readonly { readonly name: string; readonly text: string }[] = [
  10_000, 20_000, 30_000, 40_000, 50_000, 100_000, 200_000,
].map((length) => ({ name: `long_${length}`, text: rulerText(length) }))
