/** The style variables that Mistral sets: only colors. */
import { type HostVariables, hostVariables } from './host-variables.ts'

/** The variables by name. */
export const MISTRAL_VARIABLES: HostVariables = hostVariables({
  'background-primary': ['#fff', '#101013'],
  'background-secondary': ['#fbfbf8', '#1a1a1e'],
  'background-tertiary': ['#f5f4ef', '#27272b'],
  'background-inverse': ['#1a1a1e', '#fff'],
  'text-primary': ['#201f1c', '#fff'],
  'text-secondary': ['#615f57', '#ccccd1'],
  'text-tertiary': ['#928f86', '#a1a1aa'],
  'text-inverse': ['#fff', '#101013'],
  'text-info': ['#0082e6', '#55b3fb'],
  'text-danger': ['#e51300', '#f66c60'],
  'text-success': ['#3aa475', '#44ba82'],
  'text-warning': ['#de4408', '#ff6529'],
  'border-primary': ['#0000001a', '#ffffff1a'],
  'border-secondary': ['#00000026', '#ffffff26'],
  'border-tertiary': ['#00000040', '#ffffff40'],
})
