/** Notices that a view does not react any more. No browser tells a page that the process of a frame in it has crashed. */

/** Watches whether a view reacts. */
export interface ReactionWatch {
  /** Starts to ask the view, which is connected. */
  start(): void
  /** Called for each answer of the view. */
  beat(): void
  /** Stops to ask. */
  end(): void
}

/** The listeners of a watch. */
export interface ReactionListeners {
  /** Asks the view for an answer. */
  ask(): void
  /** The view has not answered for so long. */
  onSilence(): void
  /** The view answers again. */
  onReturn(): void
}

/** How often a view is asked within the time that it has. */
const ASKED = 3

/**
 * Asks a view regularly whether it reacts, and reports that it has not answered for `timeoutMs`. Views of older proxy pages, which never answer, are left
 * alone, and so are pages that nobody sees: browsers may stop those.
 */
export function createReactionWatch(timeoutMs: number, { ask, onSilence, onReturn }: ReactionListeners): ReactionWatch {
  let [isKnown, isSilent, missed] = [false, false, 0]
  let timer: ReturnType<typeof setInterval> | undefined
  const check = (): void => {
    if (document.hidden) missed = 0
    else if (isKnown && !isSilent && ++missed > ASKED) {
      isSilent = true
      onSilence()
    }
    ask()
  }
  const end = (): void => clearInterval(timer)
  return {
    start() {
      end()
      ;[isKnown, isSilent, missed] = [false, false, 0]
      timer = setInterval(check, timeoutMs / ASKED)
      ask()
    },
    beat() {
      isKnown = true
      missed = 0
      if (!isSilent) return
      isSilent = false
      onReturn()
    },
    end,
  }
}
