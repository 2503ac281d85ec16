import type { Editor } from './edit.ts'

/** The editor for a format. */
export async function loadEditor(format: 'json' | 'toml'): Promise<Editor> {
  return format === 'json' ? (await import('./edit-json.ts')).jsonEditor : (await import('./edit-toml.ts')).tomlEditor
}
