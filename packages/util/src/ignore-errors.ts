/** Returns a listener that ignores what the user's listener throws. Without a listener, it does nothing. */
export function ignoreErrors<E>(listener: ((event: E) => void) | undefined): (event: E) => void {
  return (event) => {
    try {
      listener?.(event)
    } catch {}
  }
}
