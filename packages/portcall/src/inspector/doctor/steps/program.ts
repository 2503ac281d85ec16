import { ConnectionLostError, SpawnError, type StdioTarget } from '../../../entrypoints/client.ts'
import { errorMessage } from '../../../util/errors.ts'
import { adviceForOutput } from '../../../util/served-url.ts'
import { connectOnce } from '../connection.ts'
import type { ConnectionOutcome, DiagnosisState, StepOutcome } from '../facts.ts'
import { errorProblem, evidenceOf, stepOutcome, warningProblem } from '../outcome.ts'
import type { DiagnosisProblem, Evidence } from '../types.ts'

const ADVICE = {
  spawn: 'Check the spelling of the program, that it is installed, and that it is in PATH.',
  exit: 'Run the command in a terminal and read what it prints. Programs often lack an argument, a variable (--env) or a package.',
  strayOutput: 'Print to stderr, for example with console.error: stdout is for messages only.',
}

/** Starts the program, and checks that it stays alive and writes only messages to stdout. */
export async function checkProgram(state: DiagnosisState): Promise<StepOutcome> {
  const { command } = state.target as StdioTarget
  const outcome = await connectOnce(state)
  const problem = problemOf(outcome, command)
  return stepOutcome(`${command} runs`, { evidence: showOutput(outcome), problems: problem ? [problem] : [] })
}

function problemOf({ error, stderr, strayOutput }: ConnectionOutcome, command: string): DiagnosisProblem | undefined {
  if (error instanceof SpawnError) return errorProblem('program-not-found', errorMessage(error), ADVICE.spawn)
  if (error instanceof ConnectionLostError && error.exit) {
    const { code, signal } = error.exit
    const reason = code === null ? (signal === null ? 'closed its output' : `was ended by ${signal}`) : `exited with code ${code}`
    const cause = findCause(error.exit.stderr || stderr)
    return errorProblem('program-exited', `${command} ${reason}${cause === '' ? '' : `: ${cause}`}`, ADVICE.exit)
  }
  const served = error === undefined ? '' : adviceForOutput(`${strayOutput}\n${stderr}`)
  if (served !== '') return errorProblem('serves-http', `${command} does not respond over stdio`, `${served}.`)
  if (strayOutput === '') return undefined
  const [line = ''] = strayOutput.split('\n')
  const message = `${command} writes text to stdout that is not a message: ${JSON.stringify(line.slice(0, 100))}`
  return error === undefined
    ? warningProblem('stray-output', message, ADVICE.strayOutput)
    : errorProblem('stray-output', message, ADVICE.strayOutput)
}

/** Returns the line that says why a program exited: the last one that names an error, or else the last one. */
function findCause(stderr: string): string {
  const lines = stderr.trim().split('\n')
  return lines.findLast((line) => /^\S*(?:Error|Exception)\b/.test(line) && line.includes(': ')) ?? lines.at(-1) ?? ''
}

function showOutput({ error, stderr, strayOutput }: ConnectionOutcome): Evidence[] {
  const exit = error instanceof ConnectionLostError ? error.exit : undefined
  return evidenceOf({
    'exit code': exit?.code ?? undefined,
    signal: exit?.signal ?? undefined,
    stderr: (exit?.stderr || stderr).trim(),
    stdout: strayOutput.trim(),
  })
}
