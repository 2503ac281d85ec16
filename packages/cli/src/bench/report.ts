import { pluralize } from '../../../util/src/pluralize.ts'
import type { LoadMeasurement } from './run-load.ts'

/** The subject of a measurement. */
export interface BenchSubject {
  /** The method and, for a tool, its name. */
  readonly call: string
  readonly protocolVersion: string
  readonly connections: number
  readonly perSecond: number | undefined
}

const PERCENTILES = [50, 75, 90, 95, 99, 99.9] as const
const NANOSECONDS = 1e6
const round = (value: number, digits: number): number => Number(value.toFixed(digits))
/** Returns how many calls succeeded each second. A measurement that is interrupted before it starts takes no time. */
const perSecondOf = ({ calls, failures, seconds }: LoadMeasurement): number =>
  seconds > 0 ? round((calls - [...failures.values()].reduce((sum, count) => sum + count, 0)) / seconds, 1) : 0
const inMs = (nanoseconds: number): number => round(nanoseconds / NANOSECONDS, 3)

/** Returns the result of a measurement as JSON. Latencies are in milliseconds. They and the rate do not include failed calls. */
export function toBenchJson(subject: BenchSubject, measurement: LoadMeasurement): object {
  const { seconds, calls, failures, latency, unsent, pending, longestWaitMs } = measurement
  const hasLatency = latency.count > 0
  const percentiles = PERCENTILES.map((at) => [`p${String(at).replace('.', '_')}`, inMs(latency.percentile(at))])
  return {
    ...subject,
    loop: subject.perSecond === undefined ? 'closed' : 'open',
    seconds: round(seconds, 3),
    calls,
    callsPerSecond: perSecondOf(measurement),
    errors: Object.fromEntries(failures),
    ...(subject.perSecond !== undefined && { unsent }),
    pending,
    longestWaitMs: round(longestWaitMs, 3),
    ...(hasLatency && {
      latencyMs: {
        min: inMs(latency.min),
        mean: inMs(latency.mean),
        ...Object.fromEntries(percentiles),
        max: inMs(latency.max),
      },
    }),
  }
}

/** Returns the result of a measurement as lines of text. */
export function formatBench(subject: BenchSubject, measurement: LoadMeasurement): string[] {
  const { seconds, calls, failures, latency, unsent, pending, longestWaitMs } = measurement
  const { call, protocolVersion, connections, perSecond } = subject
  const rate = perSecond === undefined ? 'as fast as possible' : `${number(perSecond)} calls per second`
  const errors = [...failures].map(([kind, count]) => `${number(count)} × ${kind}`)
  const latencies = PERCENTILES.map((at) => `p${at} ${ms(latency.percentile(at))}`)
  return [
    `${call}, ${protocolVersion}, ${pluralize(connections, 'connection')}, ${rate}`,
    `calls    ${number(calls)} in ${round(seconds, 1)} s: ${number(perSecondOf(measurement))} per second${failures.size > 0 ? ' without errors' : ''}`,
    `errors   ${errors.length > 0 ? errors.join(', ') : 'none'}`,
    ...(latency.count > 0 ? [`latency  ${latencies.join('  ')}  max ${ms(latency.max)}  mean ${ms(latency.mean)}`] : []),
    ...(unsent > 0 ? [`unsent   ${number(unsent)} calls were due, but all connections were in use`] : []),
    ...(longestWaitMs * NANOSECONDS > latency.max
      ? [`pending  ${number(pending)} without a response at the end, for up to ${round(longestWaitMs / 1000, 1)} s`]
      : []),
  ]
}

const number = (value: number): string => value.toLocaleString('en-US')

function ms(nanoseconds: number): string {
  const value = nanoseconds / NANOSECONDS
  return `${value < 100 ? value.toPrecision(3) : Math.round(value)} ms`
}
