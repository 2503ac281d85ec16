import type { JSX } from 'preact'
import { copyText, notify, run } from '../../state/actions.ts'
import type { CopyFormat, CopySource } from '../../state/protocol.ts'
import { Menu } from '../../ui/menu.tsx'

const FORMATS: readonly { format: CopyFormat; label: string; note: string }[] = [
  { format: 'portcall', label: 'portcall command', note: 'shell' },
  { format: 'curl', label: 'curl', note: 'shell' },
  { format: 'typescript', label: 'TypeScript', note: 'client' },
  { format: 'test', label: 'Test', note: 'portcall/testing' },
]

/** Copies a request as text for another tool. Secrets become variables. */
export function CopyAs({ source, quiet = false }: { source: CopySource; quiet?: boolean }): JSX.Element {
  const copy = async (format: CopyFormat): Promise<void> => {
    const copied = await run('copy-as', { format, source })
    if (!copied) return
    await copyText(copied.text)
    if (copied.note) notify(copied.note)
  }
  const items = FORMATS.map(({ format, label, note }) => ({ id: format, label, note, onSelect: () => void copy(format) }))
  return <Menu label="Copy as" kind={quiet ? 'quiet' : 'plain'} items={items} />
}
