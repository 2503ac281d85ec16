import { isUrl } from '../../../../../util/src/parse-url.ts'
import { isObject } from '../../../jsonrpc/message.ts'
import type { DiagnosisState, StepOutcome } from '../facts.ts'
import { errorProblem, stepOutcome } from '../outcome.ts'
import type { DiagnosisProblem } from '../types.ts'

/** Checks what the target is, before anything is sent or started. */
export async function checkTarget({ target, known }: DiagnosisState): Promise<StepOutcome> {
  if (typeof target === 'string' || target instanceof URL) {
    const problem = urlProblem(String(target))
    if (problem) return stepOutcome('', { problems: [problem] })
    known.url = new URL(target)
    return stepOutcome(`The URL is valid: ${known.url.href}`)
  }
  if (isObject(target) && 'command' in target) {
    const { command, args = [] } = target as { command: string; args?: readonly string[] }
    if (command.trim() === '')
      return stepOutcome('', {
        problems: [errorProblem('no-command', 'The command is empty', 'Pass the name or the path of a program.')],
      })
    return stepOutcome(`The target is a program: ${[command, ...args].join(' ')}`)
  }
  return stepOutcome('The server runs in this process')
}

function urlProblem(text: string): DiagnosisProblem | undefined {
  if (!isUrl(text))
    return errorProblem(
      'invalid-url',
      `${JSON.stringify(text)} is not a URL`,
      'Write a complete URL, such as https://example.com/mcp.',
    )
  const { protocol, username, password } = new URL(text)
  if (protocol !== 'http:' && protocol !== 'https:')
    return errorProblem('invalid-scheme', `The URL uses ${protocol}`, 'Use a URL with https:, or with http: on this machine.')
  if (username || password)
    return errorProblem(
      'credentials-in-url',
      'The URL contains a user name or a password, which clients refuse',
      'Send credentials in a header, such as Authorization.',
    )
  return undefined
}
