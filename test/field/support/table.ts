import { mkdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const RESULTS = fileURLToPath(new URL('../../../results/', import.meta.url))

/** A table of what was tried. */
export interface Table {
  /** Adds a row. */
  add(cells: readonly (string | number)[]): void
  /** Prints the table, and writes it to `results/field-NAME.md`. */
  write(): void
}

/** Makes a table with these columns. */
export function createTable(name: string, columns: readonly string[]): Table {
  const rows: (readonly (string | number)[])[] = [columns, columns.map(() => '---')]
  return {
    add: (cells) => void rows.push(cells),
    write() {
      const lines = rows.map((cells) => `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |`)
      const text = `${lines.join('\n')}\n`
      mkdirSync(RESULTS, { recursive: true })
      writeFileSync(`${RESULTS}field-${name}.md`, text)
      console.log(text)
    },
  }
}
