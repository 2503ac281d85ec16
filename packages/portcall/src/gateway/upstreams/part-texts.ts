import { setPartTexts } from '../../../../util/src/memo.ts'

/** The key of the text of a part. A WeakMap with the texts of many results costs more in garbage collections than they save. */
const TEXT = Symbol('JSON text')

type Part = { readonly [TEXT]?: string } | null | undefined

/** Sets the JSON text of an object that is a member of others, which are serialized with it. Nobody may change the object afterwards. */
export function setPartText(part: object, text: string): void {
  Object.defineProperty(part, TEXT, { value: text, configurable: true })
}

const hasTexts = (value: object): boolean => Object.values(value).some((part: Part) => part?.[TEXT])

function joinMembers(value: object): string {
  let text = ''
  for (const [name, part] of Object.entries(value)) {
    const written: string | undefined = (part as Part)?.[TEXT] ?? JSON.stringify(part)
    if (written !== undefined) text += `${text && ','}${JSON.stringify(name)}:${written}`
  }
  return `{${text}}`
}

const copy = (part: object): object => (Array.isArray(part) ? [...part] : { ...part })

setPartTexts({
  stringify: (value) => (hasTexts(value) ? joinMembers(value) : JSON.stringify(value)),
  detach: (value) =>
    hasTexts(value)
      ? (Object.fromEntries(
          Object.entries(value).map(([name, part]) => [name, (part as Part)?.[TEXT] ? copy(part) : part]),
        ) as typeof value)
      : value,
})
