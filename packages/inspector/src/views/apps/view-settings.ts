import { APP_HOSTS, type AppHostName, type AppHostProfile } from '../../../../portcall/src/apps/host/profiles.ts'
import type { DisplayMode } from '../../../../portcall/src/apps/view/types.ts'
import { draft } from '../../state/drafts.ts'
import type { ViewSettings as Settings } from '../../state/protocol.ts'

/** How views are shown, in all respects. */
export interface ViewSettings extends Required<Settings> {
  readonly profile: AppHostName | ''
}

/** The names and the profiles of the hosts. */
export const HOSTS = Object.entries(APP_HOSTS) as readonly (readonly [AppHostName, AppHostProfile])[]

/** The widths to choose from, px. */
export const WIDTHS: readonly number[] = [0, 320, 480, 600, 768]

/** The modes of a host. */
export const modesOf = (profile: AppHostName | ''): readonly DisplayMode[] =>
  profile === '' ? ['inline', 'fullscreen', 'pip'] : APP_HOSTS[profile].displayModes

/** The settings, for all views. */
export const viewSettings = draft<ViewSettings>('view settings', () => ({
  profile: '',
  theme: document.documentElement.dataset['theme'] === 'dark' ? 'dark' : 'light',
  width: 0,
  locale: navigator.language,
  mode: 'inline',
}))

/** Returns the width of a frame for CSS: the chosen one, or that of the host. */
export function widthOf({ profile, width }: ViewSettings): string {
  const { width: usual, maxWidth } = profile === '' ? {} : APP_HOSTS[profile].container
  const px = width || usual || maxWidth
  return px === undefined ? '100%' : `${px}px`
}
