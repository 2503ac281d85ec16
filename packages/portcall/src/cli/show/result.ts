import type { CallToolResult } from '../../index.ts'
import type { Ending } from '../exit.ts'
import type { Io } from '../io.ts'
import { showBlocks } from './blocks.ts'

/** Shows what a tool gave: its content; its structured content where there is no text to read. */
export async function showResult(
  { content, structuredContent }: CallToolResult,
  io: Io,
  folder: string | undefined,
): Promise<void> {
  for (const line of await showBlocks(content, folder)) io.data(line)
  const hasText = content.some(({ type }) => type === 'text')
  if (structuredContent !== undefined && !hasText) io.data(JSON.stringify(structuredContent, null, 2))
}

/** Tells what a call gave, and how the command ends by that. */
export async function tellResult(result: CallToolResult, io: Io, folder: string | undefined): Promise<Ending> {
  if (io.json) io.value(result)
  else await showResult(result, io, folder)
  return result.isError === true ? 'failed' : 'done'
}
