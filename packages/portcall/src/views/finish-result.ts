import { errorMessage } from '../../../util/src/errors.ts'
import type { CallToolResult } from '../protocol/types.ts'
import { MAX_RESULT_CHARACTERS } from './limits.ts'

/** The structured content that a view can show. */
export interface ViewData {
  /** @throws TypeError if the view cannot show it. */
  check(data: unknown): void
  /** Returns it as text. @throws TypeError if the view cannot show it. */
  textOf(data: unknown): string
}

/** Reports whether a result has only the text that the server adds to structured content: its JSON. */
function isAutomatic({ content, structuredContent }: Pick<CallToolResult, 'content' | 'structuredContent'>): boolean {
  const [first, ...others] = content
  if (!first || others.length > 0) return !first
  return first.type === 'text' && first.text === JSON.stringify(structuredContent)
}

/**
 * Creates the function that completes the results of a tool with a view: hosts without views, and models, read the text, so there is always one.
 * Warns once of a result that is too large for views, and of one without text.
 */
export function createResultFinisher(
  tool: string,
  reportWarning: (message: string) => void,
  data?: ViewData,
): (result: CallToolResult) => CallToolResult {
  const warned = new Set<string>()
  const warnOnce = (kind: string, message: string): void => {
    if (warned.has(kind)) return
    warned.add(kind)
    reportWarning(message)
  }
  /** Checks the data, and returns them as text where the result has none. */
  const textOf = ({ content, structuredContent }: CallToolResult): string | undefined => {
    try {
      if (data && isAutomatic({ content, structuredContent })) return data.textOf(structuredContent)
      data?.check(structuredContent)
    } catch (error) {
      warnOnce('data', `The view of the tool "${tool}" cannot show its result: ${errorMessage(error)}`)
    }
    return undefined
  }
  const checkSize = (result: CallToolResult): CallToolResult => {
    const length = warned.has('size') ? 0 : JSON.stringify(result).length
    if (length > MAX_RESULT_CHARACTERS)
      warnOnce(
        'size',
        `The tool "${tool}" returned ${length} characters. Some hosts pass no more than ${MAX_RESULT_CHARACTERS} to its view: return less, and let the view call a tool for the rest`,
      )
    return result
  }
  const complete = (result: CallToolResult): CallToolResult => {
    const { content, structuredContent, isError } = result
    const text = isError ? undefined : textOf(result)
    if (text !== undefined) return { ...result, content: [{ type: 'text', text }] }
    if (content.length > 0) return result
    if (structuredContent !== undefined)
      return { ...result, content: [{ type: 'text', text: JSON.stringify(structuredContent) }] }
    warnOnce(
      'text',
      `The tool "${tool}" has a view and returned no content: return a text for models and for hosts without views`,
    )
    return { ...result, content: [{ type: 'text', text: `The tool ${tool} has finished.` }] }
  }
  return (result) => checkSize(complete(result))
}
