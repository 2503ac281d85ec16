import { APP_HOSTS, type AppHostName, type AppHostProfile } from '../../../../portcall/src/apps/host/profiles.ts'
import type { DisplayMode } from '../../../../portcall/src/apps/view/types.ts'
import { draft } from '../../state/drafts.ts'

/** How views are shown. */
export interface ViewSettings {
  /** The host that is emulated. Empty: none. */
  readonly profile: AppHostName | ''
  readonly theme: 'light' | 'dark'
  /** The width, px. 0: that of the page. */
  readonly width: number
  readonly locale: string
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
}))
