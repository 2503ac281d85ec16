import type { CallToolResult, ContentBlock } from '../protocol/types.ts'

/** Returns a result as one text. Images and audio are described, because text cannot contain them. */
export function resultText({ content, structuredContent }: CallToolResult): string {
  if (content.length === 0 && structuredContent !== undefined) return JSON.stringify(structuredContent)
  return content.map(blockText).join('\n')
}

/** Returns a content block as text. */
export function blockText(block: ContentBlock): string {
  if (block.type === 'text') return block.text
  if (block.type === 'resource_link') return `${block.title ?? block.name}: ${block.uri}`
  if (block.type === 'resource') return 'text' in block.resource ? String(block.resource.text) : `[file ${block.resource.uri}]`
  return `[${block.type} ${block.mimeType}]`
}
