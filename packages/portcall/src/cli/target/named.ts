import { noSuch } from '../grammar/nearest.ts'

/** The item of this name among those that a server lists. @throws Stop when there is none. */
export async function named<T extends { readonly name: string }>(kind: string, name: string, list: AsyncIterable<T>): Promise<T> {
  const names: string[] = []
  for await (const item of list) {
    if (item.name === name) return item
    names.push(item.name)
  }
  throw noSuch(kind, name, names)
}
