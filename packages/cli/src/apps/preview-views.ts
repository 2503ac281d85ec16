/** `portcall apps preview`: a local page that shows the views. */
import type { Client } from 'portcall/client'
import { readPortFlag } from '../command-line/flag-values.ts'
import type { ExitReason } from '../exit-codes.ts'
import { guardStdout, type Io } from '../io.ts'
import { openLink } from '../open-link.ts'
import type { AppsFlags } from './flags.ts'

/** Serves the page until Ctrl-C. */
export async function previewViews(client: Client, flags: AppsFlags, io: Io): Promise<ExitReason> {
  const port = readPortFlag('port', flags.port ?? '0')
  const { servePreview } = await import('portcall/apps/testing')
  const preview = await servePreview({ client: client as never, port })
  if (io.json) io.value({ url: preview.url })
  else io.data(`Preview: ${preview.url}`)
  guardStdout()
  if (!flags['no-open'] && io.interactive) await openLink(preview.url, io)
  await new Promise<void>((resolve) => {
    io.signal.addEventListener('abort', () => resolve(), { once: true })
    process.once('SIGTERM', () => resolve())
  })
  await preview.close()
  return 'success'
}
