import { systemCodeOf } from '../../../../../util/src/connection-faults.ts'
import { errorMessage } from '../../../../../util/src/errors.ts'
import { adviceForOutput } from '../../../../../util/src/served-url.ts'
import type { StdioTarget } from '../../../connect/target.ts'
import { ConnectionLostError } from '../../../jsonrpc/errors.ts'
import { SpawnError } from '../../../transports/stdio/spawn-error.ts'
import { connectOnce } from '../connection.ts'
import { explainExit } from '../exit-causes.ts'
import type { ConnectionOutcome, DiagnosisState, StepOutcome } from '../facts.ts'
import { errorProblem, evidenceOf, stepOutcome, warningProblem } from '../outcome.ts'
import type { DiagnosisProblem, Evidence } from '../types.ts'

const STRAY_OUTPUT = 'Print to stderr, for example with console.error: stdout is for messages only.'
const SLOW_START =
  'Hosts give up on programs that start slowly. Install the package instead of downloading it at each start (npx, uvx), or load later what takes long.'

/** Starts the program, and checks that it stays alive and writes only messages to stdout. */
export async function checkProgram(state: DiagnosisState): Promise<StepOutcome> {
  const { command } = state.target as StdioTarget
  const outcome = await connectOnce(state)
  const problem = problemOf(outcome, command) ?? slowStart(outcome, state)
  return stepOutcome(`${command} runs`, { evidence: showOutput(outcome), problems: problem ? [problem] : [] })
}

function problemOf({ error, stderr, strayOutput }: ConnectionOutcome, command: string): DiagnosisProblem | undefined {
  if (error instanceof SpawnError) return errorProblem('program-not-found', errorMessage(error), adviceForSpawn(error))
  if (error instanceof ConnectionLostError && error.exit) {
    const { code, signal } = error.exit
    const reason = code === null ? (signal === null ? 'closed its output' : `was ended by ${signal}`) : `exited with code ${code}`
    const { cause, advice } = explainExit(error.exit.stderr || stderr, code)
    return errorProblem('program-exited', `${command} ${reason}${cause === '' ? '' : `: ${cause}`}`, advice)
  }
  const served = error === undefined ? '' : adviceForOutput(`${strayOutput}\n${stderr}`)
  if (served !== '') return errorProblem('serves-http', `${command} does not respond over stdio`, `${served}.`)
  if (strayOutput === '') return undefined
  const [line = ''] = strayOutput.split('\n')
  const message = `${command} writes text to stdout that is not a message: ${JSON.stringify(line.slice(0, 100))}`
  return error === undefined
    ? warningProblem('stray-output', message, STRAY_OUTPUT)
    : errorProblem('stray-output', message, STRAY_OUTPUT)
}

/** The message says more than this where the cause is known. */
function adviceForSpawn({ cause, problem }: SpawnError): string {
  if (systemCodeOf(cause) === 'EACCES') return 'Make the file executable (chmod +x), or start it with its interpreter.'
  if (problem === 'command-line') return 'Correct the command. Hosts start it without a shell.'
  return 'Check the spelling of the program, that it is installed, and that it is in PATH.'
}

function slowStart(
  { client, openedAfterMs }: ConnectionOutcome,
  { target, stepTimeoutMs }: DiagnosisState,
): DiagnosisProblem | undefined {
  if (!client || openedAfterMs <= stepTimeoutMs) return undefined
  const { command } = target as StdioTarget
  return warningProblem('slow-start', `${command} answers only after ${(openedAfterMs / 1000).toFixed(1)} s`, SLOW_START)
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
