/** A clock whose time changes only when a test advances it. */
export interface FakeClock {
  /** Returns the current time, in milliseconds. */
  readonly now: () => number
  /** Sets a timer that runs once. */
  readonly setTimeout: SetTimer
  /** Sets a timer that runs repeatedly. */
  readonly setInterval: SetTimer
  /** Cancels a timer. */
  readonly clearTimeout: (timer: unknown) => void
  /** Cancels a timer. */
  readonly clearInterval: (timer: unknown) => void
  /** The number of pending timers. */
  readonly pending: number
  /**
   * Advances the time, and runs every timer that becomes due, in order, including timers that are set meanwhile. Waits for promises
   * and I/O callbacks after each timer.
   */
  advance(ms: number): Promise<void>
  /**
   * Replaces the global `setTimeout`, `setInterval`, `clearTimeout`, `clearInterval`, `Date.now` and `performance.now`. Call the
   * returned function to restore them. `new Date()`, `setImmediate` and `AbortSignal.timeout` are not replaced.
   */
  install(): InstalledClock
}

/** The type of `setTimeout` and `setInterval`. */
export type SetTimer = <Args extends unknown[]>(callback: (...args: Args) => void, ms?: number, ...args: Args) => ClockTimer

/** Restores the real clock when called, or at the end of the scope of `using installed = clock.install()`. */
export type InstalledClock = (() => void) & Disposable

/** A timer, with the methods of Node's `Timeout`. */
export interface ClockTimer {
  /** Makes `hasRef` return true. */
  ref(): ClockTimer
  /** Makes `hasRef` return false. */
  unref(): ClockTimer
  /** Returns whether the timer would keep the process running. The timers of a fake clock never do. */
  hasRef(): boolean
  /** Starts the timer again from the current time. */
  refresh(): ClockTimer
  /** Returns the id of the timer. */
  [Symbol.toPrimitive](): number
}

interface Timer {
  readonly id: number
  readonly run: () => void
  readonly ms: number
  readonly repeats: boolean
  dueAt: number
  /** Timers with the same due time run in the order in which they were set. */
  order: number
}

const real = { setTimeout: globalThis.setTimeout }

/** Creates a clock that starts at `now`. */
export function createFakeClock({ now: start = 0 }: { readonly now?: number } = {}): FakeClock {
  const timers = new Map<number, Timer>()
  let time = start
  let lastId = 0
  let lastOrder = 0

  const schedule = (timer: Timer): void => {
    timer.dueAt = time + timer.ms
    timer.order = ++lastOrder
    timers.set(timer.id, timer)
  }
  const set =
    (repeats: boolean): SetTimer =>
    (callback, ms = 0, ...args) => {
      const delayMs = Number.isFinite(ms) ? Math.max(ms, 0) : 0
      const timer: Timer = {
        id: ++lastId,
        run: () => callback(...args),
        ms: repeats ? Math.max(delayMs, 1) : delayMs,
        repeats,
        dueAt: 0,
        order: 0,
      }
      schedule(timer)
      return createHandle(timer, schedule)
    }
  const clear = (timer: unknown): void => {
    if (timer != null) timers.delete(Number(timer))
  }
  const nextDue = (until: number): Timer | undefined => {
    const [next] = [...timers.values()].sort((a, b) => a.dueAt - b.dueAt || a.order - b.order)
    return next && next.dueAt <= until ? next : undefined
  }
  const advance = async (ms: number): Promise<void> => {
    const until = time + ms
    await drainEventLoop()
    for (let timer = nextDue(until); timer; timer = nextDue(until)) {
      time = Math.max(time, timer.dueAt)
      if (timer.repeats) schedule(timer)
      else timers.delete(timer.id)
      timer.run()
      await drainEventLoop()
    }
    time = until
  }
  const clock: FakeClock = {
    now: () => time,
    setTimeout: set(false),
    setInterval: set(true),
    clearTimeout: clear,
    clearInterval: clear,
    get pending() {
      return timers.size
    },
    advance,
    install: () => replaceTimers(clock),
  }
  return clock
}

function createHandle(timer: Timer, schedule: (timer: Timer) => void): ClockTimer {
  let isReferenced = true
  const handle: ClockTimer = {
    ref() {
      isReferenced = true
      return handle
    },
    unref() {
      isReferenced = false
      return handle
    },
    hasRef: () => isReferenced,
    refresh() {
      schedule(timer)
      return handle
    },
    [Symbol.toPrimitive]: () => timer.id,
  }
  return handle
}

/** Waits until pending promises and I/O callbacks have run. */
async function drainEventLoop(): Promise<void> {
  for (let turns = 0; turns < 3; turns++) await new Promise<void>((resolve) => void real.setTimeout(resolve, 0))
}

function replaceTimers(clock: FakeClock): InstalledClock {
  const { setTimeout, setInterval, clearTimeout, clearInterval, now } = clock
  const undos = [
    replace(globalThis, { setTimeout, setInterval, clearTimeout, clearInterval }),
    replace(Date, { now }),
    replace(performance, { now }),
  ]
  const restore = (): void => {
    for (const undo of undos.splice(0)) undo()
  }
  return Object.assign(restore, { [Symbol.dispose]: restore })
}

/** Replaces members of an object. Returns a function that restores them. */
function replace(object: object, members: object): () => void {
  const descriptors = Object.keys(members).map((name) => [name, Object.getOwnPropertyDescriptor(object, name)] as const)
  for (const [name, value] of Object.entries(members))
    Object.defineProperty(object, name, { value, configurable: true, writable: true, enumerable: true })
  return () => {
    for (const [name, descriptor] of descriptors) {
      if (descriptor) Object.defineProperty(object, name, descriptor)
      else Reflect.deleteProperty(object, name)
    }
  }
}
