/** Makes a listener whose failure disturbs nothing: what it throws goes to `onError`, or nowhere. */
export function harmless<T>(
  listener: ((value: T) => void) | undefined,
  onError: (error: unknown) => void = () => {},
): (value: T) => void {
  return (value) => {
    try {
      listener?.(value)
    } catch (error) {
      onError(error)
    }
  }
}
