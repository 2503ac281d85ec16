import type { ContentBlock, ResourceContents } from '../../index.ts'
import { showMedia } from './media.ts'
import { plainLine } from './plain.ts'

/** Content as lines for people: text as it is, media named or saved, links as links. */
export async function showBlocks(blocks: readonly ContentBlock[], folder: string | undefined): Promise<string[]> {
  return Promise.all(blocks.map((block) => showBlock(block, folder)))
}

async function showBlock(block: ContentBlock, folder: string | undefined): Promise<string> {
  switch (block.type) {
    case 'text':
      return block.text
    case 'image':
    case 'audio':
      return showMedia({ kind: block.type, mimeType: block.mimeType, data: block.data }, folder)
    case 'resource_link':
      return `[${plainLine(block.title ?? block.name)}] ${plainLine(block.uri)}`
    case 'resource':
      return showContents(block.resource, folder)
    default:
      return JSON.stringify(block)
  }
}

/** The contents of a resource: text as it is, bytes named or saved. */
export async function showContents(contents: ResourceContents, folder: string | undefined): Promise<string> {
  if ('text' in contents) return contents.text
  const { mimeType = 'application/octet-stream', blob } = contents
  return showMedia({ kind: 'resource', mimeType, data: blob }, folder)
}
