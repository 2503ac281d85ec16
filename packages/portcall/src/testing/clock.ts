/** A clock that stands still until it is told to go on. */
export interface Clock {
  /** The time, in milliseconds. */
  readonly now: () => number
  readonly setTimeout: SetTimer
  readonly setInterval: SetTimer
  readonly clearTimeout: (timer: unknown) => void
  readonly clearInterval: (timer: unknown) => void
  /** How many timers wait. */
  readonly pending: number
  /**
   * Lets time pass: runs every timer that is due, in order, those that are set meanwhile too; between two of them what they have
   * set in motion goes on as far as it does without time.
   */
  advance(ms: number): Promise<void>
  /**
   * Takes the place of `setTimeout`, `setInterval`, their opposites, `Date.now` and `performance.now` everywhere, until the function
   * that it returns is called. `new Date()`, `setImmediate` and `AbortSignal.timeout` stay as they are.
   */
  install(): Installed
}

/** Sets a timer. */
export type SetTimer = <Args extends unknown[]>(callback: (...args: Args) => void, ms?: number, ...args: Args) => ClockTimer

/** Puts the real clock back: `using installed = clock.install()`, or call it. */
export type Installed = (() => void) & Disposable

/** What `setTimeout` gives, as Node's does. */
export interface ClockTimer {
  ref(): ClockTimer
  unref(): ClockTimer
  hasRef(): boolean
  refresh(): ClockTimer
  [Symbol.toPrimitive](): number
}

interface Timer {
  readonly id: number
  readonly run: () => void
  readonly ms: number
  readonly repeats: boolean
  at: number
  /** Breaks ties: timers of one time run in the order in which they were set. */
  order: number
}

const real = { setTimeout: globalThis.setTimeout }

/** Makes a clock that begins at `now`. */
export function createClock({ now: start = 0 }: { readonly now?: number } = {}): Clock {
  const timers = new Map<number, Timer>()
  let time = start
  let lastId = 0
  let lastOrder = 0

  const arm = (timer: Timer): void => {
    timer.at = time + timer.ms
    timer.order = ++lastOrder
    timers.set(timer.id, timer)
  }
  const set =
    (repeats: boolean): SetTimer =>
    (callback, ms = 0, ...args) => {
      const wanted = Number.isFinite(ms) ? Math.max(ms, 0) : 0
      const timer: Timer = {
        id: ++lastId,
        run: () => callback(...args),
        ms: repeats ? Math.max(wanted, 1) : wanted,
        repeats,
        at: 0,
        order: 0,
      }
      arm(timer)
      return handleOf(timer, arm)
    }
  const clear = (timer: unknown): void => {
    if (timer != null) timers.delete(Number(timer))
  }
  const due = (until: number): Timer | undefined => {
    const [next] = [...timers.values()].sort((a, b) => a.at - b.at || a.order - b.order)
    return next && next.at <= until ? next : undefined
  }
  const advance = async (ms: number): Promise<void> => {
    const until = time + ms
    await settle()
    for (let timer = due(until); timer; timer = due(until)) {
      time = Math.max(time, timer.at)
      if (timer.repeats) arm(timer)
      else timers.delete(timer.id)
      timer.run()
      await settle()
    }
    time = until
  }
  const clock: Clock = {
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

function handleOf(timer: Timer, arm: (timer: Timer) => void): ClockTimer {
  let referenced = true
  const handle: ClockTimer = {
    ref() {
      referenced = true
      return handle
    },
    unref() {
      referenced = false
      return handle
    },
    hasRef: () => referenced,
    refresh() {
      arm(timer)
      return handle
    },
    [Symbol.toPrimitive]: () => timer.id,
  }
  return handle
}

/** Lets everything go on that waits for nothing but its turn. */
async function settle(): Promise<void> {
  for (let turns = 0; turns < 3; turns++) await new Promise<void>((resolve) => void real.setTimeout(resolve, 0))
}

function replaceTimers(clock: Clock): Installed {
  const { setTimeout, setInterval, clearTimeout, clearInterval, now } = clock
  const before = [
    replace(globalThis, { setTimeout, setInterval, clearTimeout, clearInterval }),
    replace(Date, { now }),
    replace(performance, { now }),
  ]
  const restore = (): void => {
    for (const undo of before.splice(0)) undo()
  }
  return Object.assign(restore, { [Symbol.dispose]: restore })
}

/** Puts members in the place of others, and gives what takes that back. */
function replace(object: object, members: object): () => void {
  const before = Object.keys(members).map((name) => [name, Object.getOwnPropertyDescriptor(object, name)] as const)
  for (const [name, value] of Object.entries(members))
    Object.defineProperty(object, name, { value, configurable: true, writable: true, enumerable: true })
  return () => {
    for (const [name, descriptor] of before) {
      if (descriptor) Object.defineProperty(object, name, descriptor)
      else Reflect.deleteProperty(object, name)
    }
  }
}
