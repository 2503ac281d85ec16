import process from 'node:process'
import { delay } from '../../../util/src/timers.ts'

/** The parts that are shut down, in this order. */
export interface ShutdownSteps {
  /** Makes the health checks report that the server is not ready. */
  readonly stopReadiness: () => void
  /** Stops the server. Called once. */
  readonly close: () => Promise<void>
}

export interface ShutdownOptions {
  /** How long the server goes on serving between the two steps after a signal. */
  readonly shutdownDelayMs: number
  /** Shuts down and exits on SIGTERM and SIGINT. */
  readonly handleProcessSignals: boolean
}

const SIGNALS = ['SIGTERM', 'SIGINT'] as const

/** Returns a function that shuts down without a delay, and shuts down on the first signal. */
export function createShutdown(
  steps: ShutdownSteps,
  { shutdownDelayMs, handleProcessSignals }: ShutdownOptions,
): () => Promise<void> {
  let closing: Promise<void> | undefined
  const close = (): Promise<void> => {
    removeSignalHandlers()
    steps.stopReadiness()
    return (closing ??= steps.close())
  }
  const closeAndExit = async (): Promise<void> => {
    steps.stopReadiness()
    if (shutdownDelayMs > 0) await delay(shutdownDelayMs)
    await close()
    process.exit()
  }
  const onSignal = (): void => void closeAndExit()
  const removeSignalHandlers = (): void => {
    for (const signal of SIGNALS) process.off(signal, onSignal)
  }
  if (handleProcessSignals) for (const signal of SIGNALS) process.once(signal, onSignal)
  return close
}

/** Leaves it to the supervisor when to shut down: a terminal sends signals to all processes. */
export function ignoreSignals(): void {
  for (const signal of SIGNALS) process.on(signal, () => {})
}
