import type { CallToolResult } from '../protocol/types.ts'
import { MAX_RESULT_CHARACTERS } from './limits.ts'

/**
 * Creates the function that completes the results of a tool with a view: hosts without views, and models, read the text, so there is always one.
 * Warns once of a result that is too large for views, and of one without text.
 */
export function createResultFinisher(
  tool: string,
  reportWarning: (message: string) => void,
): (result: CallToolResult) => CallToolResult {
  const warned = new Set<string>()
  const warnOnce = (kind: string, message: string): void => {
    if (warned.has(kind)) return
    warned.add(kind)
    reportWarning(message)
  }
  return (result) => {
    const { content, structuredContent } = result
    const length = warned.has('size') ? 0 : JSON.stringify(result).length
    if (length > MAX_RESULT_CHARACTERS)
      warnOnce(
        'size',
        `The tool "${tool}" returned ${length} characters. Some hosts pass no more than ${MAX_RESULT_CHARACTERS} to its view: return less, and let the view call a tool for the rest`,
      )
    if (content.length > 0) return result
    if (structuredContent !== undefined)
      return { ...result, content: [{ type: 'text', text: JSON.stringify(structuredContent) }] }
    warnOnce(
      'text',
      `The tool "${tool}" has a view and returned no content: return a text for models and for hosts without views`,
    )
    return { ...result, content: [{ type: 'text', text: `The tool ${tool} has finished.` }] }
  }
}
