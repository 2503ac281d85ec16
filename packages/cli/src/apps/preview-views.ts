/** `portcall apps preview`: a local page that shows the views. */
import type { Client } from 'portcall/client'
import { readPortFlag } from '../command-line/flag-values.ts'
import type { ExitReason } from '../exit-codes.ts'
import { guardStdout, type Io } from '../io.ts'
import type { AppsFlags } from './flags.ts'

/** Serves the page until Ctrl-C. */
export async function previewViews(client: Client, flags: AppsFlags, io: Io): Promise<ExitReason> {
  const port = readPortFlag('port', flags.port ?? '0')
  const { servePreview } = await import('portcall/apps/testing')
  const preview = await servePreview({ client: client as never, port })
  if (io.json) io.value({ url: preview.url })
  else io.data(`Preview: ${preview.url}`)
  guardStdout()
  if (!flags['no-open'] && io.interactive) await openPage(preview.url, io)
  await new Promise<void>((resolve) => {
    io.signal.addEventListener('abort', () => resolve(), { once: true })
    process.once('SIGTERM', () => resolve())
  })
  await preview.close()
  return 'success'
}

async function openPage(url: string, io: Io): Promise<void> {
  const { openBrowser } = await import('portcall/auth/client')
  await openBrowser(new URL(url)).catch(() => io.log('The browser could not be opened: open the link yourself.'))
}
