import type { Io } from './io.ts'

/** Opens a link in the browser of the user. Says so if that fails. */
export async function openLink(link: string, io: Io): Promise<void> {
  const { openBrowser } = await import('portcall/auth/client')
  await openBrowser(new URL(link)).catch(() => io.log('The browser could not be opened: open the link yourself.'))
}
