import type { AuthProvider } from 'portcall/auth/client'
import type { DiagnosisEvent, StepResult } from 'portcall/diagnostics'
import { withoutUndefined } from '../../../util/src/without-undefined.ts'
import type { CoreParts } from '../core-parts.ts'
import type { DoctorRun, DoctorStep } from '../protocol/diagnosis.ts'
import type { ManagedServer } from '../servers/managed-server.ts'
import { resolveServer } from '../servers/resolver.ts'
import { createRuns } from '../state/runs.ts'

/** The runs of the connection doctor: the last of each server. */
export interface Doctor {
  readonly all: readonly DoctorRun[]
  /** Starts a run and returns its id. */
  start(server: ManagedServer, auth: AuthProvider | undefined): string
  /** Stops a run. @throws InspectorCommandError if it is not running */
  cancel(runId: string): void
  close(): void
}

/** Creates the doctor of a back end. */
export function createDoctor({ hub, options: { loaders = {} } }: CoreParts): Doctor {
  const runs = new Map<string, DoctorRun>()
  const running = createRuns('doctor')
  const put = (run: DoctorRun): DoctorRun => {
    runs.set(run.serverId, run)
    hub.publish({ type: 'doctor', run })
    return run
  }
  const examine = async (
    server: ManagedServer,
    first: DoctorRun,
    { auth, signal }: { readonly auth: AuthProvider | undefined; readonly signal: AbortSignal },
  ): Promise<void> => {
    const { diagnose } = await import('portcall/diagnostics')
    const { target, headers } = await resolveServer(server.target, server.settings, { loaders, load: true })
    const { revision } = server.settings
    let run = first
    const options = { headers, signal, ...withoutUndefined({ auth, protocolVersion: revision }) }
    for await (const event of diagnose('server' in target ? target.server : target, options)) run = put(withEvent(run, event))
  }
  return {
    get all() {
      return [...runs.values()]
    },
    start(server, auth) {
      const previous = runs.get(server.id)
      if (previous) running.stop(previous.id, 'A newer run replaces this one')
      return running.start(
        (id, signal) => examine(server, put({ id, serverId: server.id, steps: [], status: 'running' }), { auth, signal }),
        (id, ending) => {
          const last = runs.get(server.id)
          if (last?.id === id) put({ ...last, ...ending })
        },
      )
    },
    cancel: running.cancel,
    close: running.close,
  }
}

function withEvent(run: DoctorRun, event: DiagnosisEvent): DoctorRun {
  if (event.type === 'step-started')
    return { ...run, steps: [...run.steps, { id: event.step, title: event.title, status: 'running' }] }
  if (event.type === 'step-finished') {
    const step = toStep(event.result)
    return { ...run, steps: [...run.steps.filter(({ id }) => id !== step.id), step] }
  }
  const { failedStep } = event.diagnosis
  return { ...run, status: 'done', ...(failedStep !== undefined && { firstFailure: failedStep }) }
}

function toStep({ step, title, verdict, summary, evidence, problems, durationMs }: StepResult): DoctorStep {
  const details = problems.map(({ where, message }) => ({ label: where ?? 'problem', value: message }))
  const advice = [...new Set(problems.map((problem) => problem.advice))].join('\n')
  return {
    id: step,
    title,
    status: verdict,
    summary,
    evidence: [...details, ...evidence],
    ...(advice !== '' && { hint: advice }),
    durationMs,
  }
}
