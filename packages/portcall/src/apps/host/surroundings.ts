/** The surroundings of a view, as the page that shows it has them. */
import type { HostContext } from '../view/types.ts'
import type { AppHostProfile } from './profiles.ts'

/** The context that a page tells its views, and a function that stops to watch it. */
export interface Surroundings {
  readonly context: HostContext
  stop(): void
}

/** Reads theme, language, time zone, devices and width, and reports when theme or width change. */
export function watchSurroundings(
  element: HTMLElement,
  profile: AppHostProfile | undefined,
  report: (change: HostContext) => void,
): Surroundings {
  const dark = matchMedia('(prefers-color-scheme: dark)')
  const theme = (): HostContext => ({ theme: dark.matches ? 'dark' : 'light' })
  const size = (): HostContext => ({ containerDimensions: { ...profile?.container, ...widthOf(element, profile) } })
  const changeTheme = (): void => report(theme())
  dark.addEventListener('change', changeTheme)
  const resizes = new ResizeObserver(() => report(size()))
  resizes.observe(element)
  const language = { locale: navigator.language, timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone }
  const device = { touch: navigator.maxTouchPoints > 0, hover: matchMedia('(hover: hover)').matches }
  return {
    context: { ...theme(), ...size(), ...language, platform: 'web', deviceCapabilities: device },
    stop() {
      dark.removeEventListener('change', changeTheme)
      resizes.disconnect()
    },
  }
}

/** The width that the frame has on the page, also if it is not the usual one of the profile. */
function widthOf({ clientWidth }: HTMLElement, profile: AppHostProfile | undefined): HostContext['containerDimensions'] {
  if (clientWidth === 0) return {}
  return profile?.container.maxWidth === undefined ? { width: clientWidth } : { maxWidth: clientWidth }
}
