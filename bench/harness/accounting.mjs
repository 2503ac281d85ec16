/** The resource usage of processes, as the operating system reports it. */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

const TICKS_PER_SECOND = 100
const KIB = 1024
const SECONDS_PER_DAY = 86_400

/** Reads a file of /proc. Undefined when the process or thread has exited. */
function readProc(path) {
  try {
    return readFileSync(`/proc/${path}`, 'latin1')
  } catch {
    return undefined
  }
}

/** Returns the fields of /proc/PID/stat after the program name: state, parent … */
function statOf(pid) {
  const text = readProc(`${pid}/stat`)
  return text?.slice(text.lastIndexOf(')') + 2).split(' ')
}

const PARENT = 1
const CHILDREN_USER_TICKS = 13
const CHILDREN_SYSTEM_TICKS = 14

/** Returns a process and all its descendants. */
export function familyOf(pid) {
  const parents = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => ({ pid: Number(name), parent: Number(statOf(name)?.[PARENT]) }))
  const family = [pid]
  for (const member of family) family.push(...parents.filter(({ parent }) => parent === member).map((child) => child.pid))
  return family
}

/** Returns the CPU seconds of all exited children of this process, including their descendants. Undefined where the system does not report them. */
export function cpuSecondsOfChildren() {
  const stat = statOf('self')
  return stat && (Number(stat[CHILDREN_USER_TICKS]) + Number(stat[CHILDREN_SYSTEM_TICKS])) / TICKS_PER_SECOND
}

const NANOSECONDS_PER_SECOND = 1e9

function cpuSecondsOfOne(pid) {
  if (process.platform !== 'linux') return cpuSecondsOfPs(pid)
  const threads = readdirSync(`/proc/${pid}/task`)
  const spent = threads.map((thread) => Number(readProc(`${pid}/task/${thread}/schedstat`)?.split(' ')[0] ?? 0))
  return spent.reduce((sum, one) => sum + one, 0) / NANOSECONDS_PER_SECOND
}

/** Returns the CPU seconds that the current threads of a process have used so far and, with `descendants`, those of its descendants. */
export function cpuSeconds(pid, descendants = false) {
  const pids = descendants ? familyOf(pid) : [pid]
  return pids.reduce((sum, one) => sum + cpuSecondsOfOne(one), 0)
}

/** Parses the format of `ps`: `[[DD-]HH:]MM:SS[.ss]`. */
function cpuSecondsOfPs(pid) {
  const time = execFileSync('ps', ['-o', 'time=', '-p', String(pid)], { encoding: 'utf8' }).trim()
  const [clock, days = '0'] = time.split('-').reverse()
  return clock.split(':').reduce((seconds, part) => seconds * 60 + Number(part), 0) + Number(days) * SECONDS_PER_DAY
}

/** Returns the current and the peak resident memory of a process in bytes. */
export function memoryOf(pid) {
  if (process.platform !== 'linux') {
    const resident = KIB * Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' }))
    return { resident, peak: resident }
  }
  const status = readFileSync(`/proc/${pid}/status`, 'latin1')
  const bytes = (name) => KIB * Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1])
  return { resident: bytes('VmRSS'), peak: bytes('VmHWM') }
}
